extension Script {
  /// Reads out the chosen time: in each card, and to screen readers for the card in use.
  static let readOut = #"""
    function distanceAt(card, time) {
      if (time > card.known) return 'not known';
      const i = before(card.d, time);
      if (i < 0 || card.d[i][1] === null) return 'out of range';
      const [from, metresThen] = card.d[i], next = card.d[i + 1];
      if (!next || next[1] === null || next[0] <= from) return metres(metresThen);
      return metres(metresThen + (next[1] - metresThen) * (time - from) / (next[0] - from));
    }

    const holding = (lane, time) => lane.r.reduce((found, row) => {
      const i = before(row, time);
      return i >= 0 && time < row[i][1] ? found.concat([row[i]]) : found;
    }, []);

    function findings(card, time) {
      if (time > card.end) return [['State', 'not followed further']];
      if (time > card.until) return [['State', 'too much for this page: see --json']];
      const found = [['Distance', distanceAt(card, time)]], window = card.w[before(card.w, time)];
      if (window) {
        found.push(['State', data.states[window[1]][2] + (window[3] < 0 ? '' : '. ' + words[window[3]])]);
        if (card.most >= 0) {
          const left = window[1] > 2 ? 0 : window[2] < 0 ? Infinity : Math.max(0, window[2] - time);
          found.push(['Time left', left === Infinity ? 'unlimited' : clock(left)]);
        }
      }
      for (const lane of card.lanes) {
        const spans = lane.r.length ? holding(lane, time) : null, kind = words[lane.k];
        if (kind === 'tasks') found.push(['Tasks held', String(spans ? spans.length : 0)]);
        else if (kind === 'location') found.push(['Location', spans && spans.length ? 'on' : 'off']);
        else if (spans && spans.length) found.push([words[lane.n], spans.map((span) => words[span[2]]).join(', ')]);
      }
      const i = before(card.f, time), facts = card.f.slice(Math.max(0, i - 1), i + 1).reverse();
      if (facts.length) found.push(['Last', facts.map((fact) => words[fact[1]] + ' at ' + clock(fact[0])).join('; ')]);
      return found;
    }

    function readOut(chart) {
      const lines = [['At', clock(view.at)]].concat(findings(chart.card, view.at));
      chart.out.replaceChildren(...lines.map(([name, value]) => {
        const item = document.createElement('div'), term = document.createElement('dt'), told = document.createElement('dd');
        term.textContent = name;
        told.textContent = value;
        if (name === 'State' || name === 'Last') item.className = 'long';
        item.append(term, told);
        return item;
      }));
    }

    // Only once the pointer rests: nobody can listen to every pixel.
    let pause = 0;
    function speak() {
      clearTimeout(pause);
      if (!view.active) return;
      pause = setTimeout(() => {
        document.getElementById('say').textContent = clock(view.at) + '. '
          + findings(view.active.card, view.at).map(([name, value]) => name + ': ' + value).join('. ') + '.';
      }, 350);
    }
    """#
}
