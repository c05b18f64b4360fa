extension Script {
  /// The time span that all charts share, and the format of times.
  static let view = #"""
    const data = JSON.parse(document.getElementById('data').textContent);
    const words = data.words;
    const last = Math.max(1, data.end);
    const shortest = Math.min(last, 500);
    // `at`: the instant that is read out; `charts`: one for each card, filled below.
    const view = { from: 0, to: last, at: 0, active: null, charts: [] };

    const number = (value, decimals) => String(+value.toFixed(decimals));
    const metres = (value) => number(value, value < 10 ? 1 : 0) + '\u00a0m';

    // As in the rest of the page: never finer than useful.
    function clock(time) {
      const seconds = time / 1000;
      if (Math.abs(seconds) < 600) return number(seconds, 1) + '\u00a0s';
      const minutes = Math.trunc(time / 60000), rest = Math.trunc(time / 1000) % 60;
      if (minutes < 120) return minutes + '\u00a0min' + (rest > 0 ? '\u00a0' + rest + '\u00a0s' : '');
      return Math.trunc(minutes / 60) + '\u00a0h' + (minutes % 60 > 0 ? '\u00a0' + minutes % 60 + '\u00a0min' : '');
    }

    const timeSteps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 30000, 60000, 120000, 300000, 600000,
      1200000, 1800000, 3600000, 7200000, 14400000, 21600000, 43200000, 86400000, 172800000, 604800000];
    const metreSteps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000];

    const stepFor = (wanted, steps) => steps.find((step) => step >= wanted) || wanted;

    function ticks(from, to, count, steps) {
      const step = stepFor((to - from) / count, steps), found = [];
      for (let i = Math.ceil(from / step); i * step <= to; i += 1) found.push(i * step);
      return found;
    }

    // The last entry that began by then; entries are in order.
    function before(entries, time) {
      let low = 0, high = entries.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (entries[middle][0] <= time) low = middle + 1; else high = middle;
      }
      return low - 1;
    }

    function setView(from, to) {
      const span = Math.min(last, Math.max(shortest, to - from));
      view.from = Math.min(Math.max(0, from), last - span);
      view.to = view.from + span;
      update();
    }

    function zoom(factor, around) {
      const span = (view.to - view.from) * factor;
      const share = (around - view.from) / (view.to - view.from);
      const kept = Math.min(last, Math.max(shortest, span));
      setView(around - share * kept, around + (1 - share) * kept);
    }

    const pan = (share) => setView(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

    function setInstant(time, chart) {
      view.at = Math.round(Math.min(Math.max(0, time), last));
      if (chart) view.active = chart;
      if (view.at < view.from || view.at > view.to) {
        const half = (view.to - view.from) / 2;
        setView(view.at - half, view.at + half);
      } else {
        moveCursors();
      }
    }
    """#
}
