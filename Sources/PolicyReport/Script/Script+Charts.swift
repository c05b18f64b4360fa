extension Script {
  /// Draws the charts that are on the screen, and moves the line of the instant over all of them.
  static let charts = #"""
    function draw(chart) {
      const { card } = chart, frame = frameOf(chart), axis = new Pen(), pen = new Pen(), over = new Pen();
      let y = bandTop + bandHeight + gap;
      drawPlot(pen, frame, card);
      drawBand(pen, frame, card);
      for (const lane of card.lanes) y = drawLane(pen, frame, lane, y);
      if (words[card.left]) y = drawRemaining(pen, frame, card, y);
      y = drawCallbacks(pen, frame, card, y);
      drawAxis(axis, frame, y);
      if (card.until < view.to) {
        const x = frame.clip(card.until), why = card.until < card.end ? 'more with --json' : 'not followed further';
        axis.rect(x, top0, frame.right - x, y - top0, 'beyond');
        if (frame.right - x > widthOf(why) + 8) pen.write(why, (x + frame.right) / 2, bandTop + 15, 'beyondname', 'middle');
      }
      drawNears(over, frame, card, y);
      const height = y + 42;
      chart.svg.setAttribute('viewBox', `0 0 ${frame.width} ${height}`);
      chart.svg.setAttribute('width', frame.width);
      chart.svg.setAttribute('height', height);
      chart.svg.innerHTML = axis.text + pen.text + over.text + `<line class="cursor" y1="${top0 - 6}" y2="${at(y)}"/>`;
      chart.cursor = chart.svg.lastChild;
      chart.frame = frame;
      chart.isStale = false;
      moveCursor(chart);
    }

    function moveCursor(chart) {
      if (!chart.cursor) return;
      const isSeen = view.at >= view.from && view.at <= view.to, x = at(chart.frame.x(view.at));
      chart.cursor.setAttribute('visibility', isSeen ? 'visible' : 'hidden');
      chart.cursor.setAttribute('x1', x);
      chart.cursor.setAttribute('x2', x);
      readOut(chart);
    }

    // At most once a frame. A page that is not painted has no frames, so a timer stands by.
    let timer = 0;
    function soon(work) {
      work.isAsked = true;
      if (timer) return;
      const run = () => {
        if (!timer) return;
        clearTimeout(timer);
        timer = 0;
        for (const job of [redraw, recursor].filter((one) => one.isAsked)) { job.isAsked = false; job(); }
      };
      timer = setTimeout(run, 120);
      requestAnimationFrame(run);
    }

    // On the screen, or soon to be.
    function isNear(chart) {
      const { top, bottom, width } = chart.box.getBoundingClientRect();
      return width > 0 && bottom > -600 && top < innerHeight + 600;
    }

    function redraw() { view.charts.filter((chart) => chart.isStale && isNear(chart)).forEach(draw); }
    function recursor() { view.charts.filter((chart) => !chart.isStale && isNear(chart)).forEach(moveCursor); }

    function update() {
      for (const chart of view.charts) {
        chart.isStale = true;
        chart.box.dataset.from = Math.round(view.from);
        chart.box.dataset.to = Math.round(view.to);
      }
      document.getElementById('range').textContent = clock(Math.round(view.from)) + ' – ' + clock(Math.round(view.to));
      moveCursors();
      soon(redraw);
    }

    function moveCursors() {
      for (const chart of view.charts) {
        chart.box.setAttribute('aria-valuenow', view.at);
        chart.box.setAttribute('aria-valuetext', clock(view.at));
      }
      soon(recursor);
      speak();
    }
    """#
}
