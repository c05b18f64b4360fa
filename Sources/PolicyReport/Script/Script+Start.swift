extension Script {
  /// The controls, and the start of it all.
  static let start = #"""
    const controls = document.getElementById('controls');
    const choices = [...controls.querySelectorAll('select')];

    function filter() {
      const [system, strategy, outcome] = choices.map((choice) => choice.value);
      let shown = 0;
      for (const chart of view.charts) {
        const { systems, strategy: own, outcome: result } = chart.article.dataset;
        const isMeant = (!system || systems.split(' ').includes(system)) && (!strategy || own === strategy)
          && (!outcome || result === outcome);
        chart.article.hidden = !isMeant;
        shown += isMeant ? 1 : 0;
      }
      document.getElementById('count').textContent = shown + ' of ' + view.charts.length
        + (view.charts.length === 1 ? ' card' : ' cards') + (shown ? '' : ': choose less');
    }

    function start(card) {
      const article = document.getElementById(card.id), still = article.querySelector('svg.still');
      const box = document.createElement('div'), out = document.createElement('dl');
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      box.className = 'live';
      out.className = 'readout';
      svg.setAttribute('class', 'chart');
      svg.setAttribute('aria-hidden', 'true');
      box.append(svg);
      box.tabIndex = 0;
      for (const [name, value] of [
        ['role', 'slider'], ['aria-label', 'Instant in ' + article.querySelector('h3 .name').textContent],
        ['aria-valuemin', 0], ['aria-valuemax', last], ['aria-describedby', card.id + '-d'],
      ]) box.setAttribute(name, value);
      still.after(box, out);
      const chart = { card, article, box, out, svg, isStale: true };
      view.charts.push(chart);
      listen(chart);
      return chart;
    }

    data.cards.forEach(start);
    document.documentElement.classList.add('scripted');
    controls.hidden = false;
    addEventListener('scroll', () => { soon(redraw); soon(recursor); }, { passive: true });
    const resized = new ResizeObserver(() => { for (const chart of view.charts) chart.isStale = true; soon(redraw); });
    resized.observe(document.querySelector('.cards'));

    for (const choice of choices) choice.addEventListener('change', filter);
    controls.addEventListener('click', (event) => {
      const what = event.target.dataset.do, middle = (view.from + view.to) / 2;
      const around = view.at >= view.from && view.at <= view.to ? view.at : middle;
      if (what === 'in') zoom(0.5, around);
      if (what === 'out') zoom(2, around);
      if (what === 'back') pan(-0.25);
      if (what === 'on') pan(0.25);
      if (what === 'reset') setView(0, last);
    });
    // A link to a card that is hidden shows all again.
    document.addEventListener('click', (event) => {
      const link = event.target.closest('a[href^="#p"]'), card = link && document.getElementById(link.hash.slice(1));
      if (!card || !card.hidden) return;
      for (const choice of choices) choice.value = '';
      filter();
    });
    // Paper cannot be clicked on.
    let opened = [];
    addEventListener('beforeprint', () => {
      opened = [...document.querySelectorAll('details:not([open])')];
      for (const one of opened) one.open = true;
    });
    addEventListener('afterprint', () => { for (const one of opened) one.open = false; });

    const first = data.cards.find((card) => card.v.length);
    view.at = first ? first.v[0][0] : 0;
    filter();
    update();
    // All of them once, so that the page has its height; later only those on the screen.
    for (const chart of view.charts) draw(chart);
    """#
}
