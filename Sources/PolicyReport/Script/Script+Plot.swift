extension Script {
  /// Draws the distance, the near triggers and the state band of a card.
  static let plot = #"""
    const top0 = 24, plotHeight = 118, bandTop = top0 + plotHeight + 8, bandHeight = 21;

    // Coordinates for one card at its width on the screen, so that text keeps its size.
    function frameOf(chart) {
      const width = Math.max(240, chart.box.clientWidth);
      const left = 38, right = width - 8, span = view.to - view.from;
      return {
        width, left, right,
        x: (time) => left + (time - view.from) / span * (right - left),
        y: (distance) => top0 + plotHeight * (1 - Math.min(1, distance / chart.card.far)),
        isSeen: (from, to) => to > view.from && from < view.to,
        clip(time) { return this.x(Math.min(Math.max(time, view.from), view.to)); },
      };
    }

    function drawPlot(pen, frame, card) {
      const floor = top0 + plotHeight;
      pen.write('m', 4, 14, 'unit');
      for (const value of ticks(0, card.far, 4, metreSteps)) {
        pen.line(frame.left, frame.y(value), frame.right, frame.y(value), 'grid');
        pen.write(number(value, 1), frame.left - 5, frame.y(value) + 4, 'axis', 'end');
      }
      for (const line of card.lines) pen.line(frame.left, frame.y(line[1]), frame.right, frame.y(line[1]), words[line[2]]);
      pen.line(frame.left, floor, frame.right, floor, 'axisline');
      let path = '', previous = null;
      for (const point of card.d) {
        const spot = point[1] === null ? null : [frame.x(point[0]), frame.y(point[1])];
        // Only what can be seen: coordinates far outside would lose precision.
        if (spot && previous && spot[0] >= frame.left && previous[0] <= frame.right) path += cutTo(frame, previous, spot);
        previous = spot;
      }
      pen.path(path, 'curve');
    }

    function cutTo(frame, a, b) {
      const along = (x) => b[0] === a[0] ? a[1] : a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]);
      const from = Math.max(a[0], frame.left), to = Math.min(b[0], frame.right);
      return `M${at(from)} ${at(along(from))}L${at(to)} ${at(to === b[0] ? b[1] : along(to))}`;
    }

    function drawNears(pen, frame, card, bottom) {
      const bounds = [frame.left, 1, frame.right, top0 + plotHeight];
      let seen = 0;
      for (const [crossed, delivered, sign, style, distance] of card.v) {
        const late = delivered < 0 ? crossed : delivered;
        if (!frame.isSeen(crossed - 1, late + 1)) continue;
        if ((seen += 1) > 200) break;
        const y = distance === null ? top0 + plotHeight / 2 : frame.y(distance);
        if (crossed >= view.from && crossed <= view.to) pen.line(frame.x(crossed), top0 - 4, frame.x(crossed), bottom, 'crossing');
        if (late > crossed) pen.line(frame.clip(crossed), y, frame.clip(late), y, 'delay');
        const x = frame.x(late);
        if (x < frame.left - 1 || x > frame.right + 1) continue;
        const isFree = pen.isFree(x - 9, y - 9, 18, 18);
        if (isFree) pen.take(x - 9, y - 9, 18, 18);
        pen.text += `<circle cx="${at(x)}" cy="${at(y)}" r="${isFree ? 8 : 4}" class="mark ${words[style]}"/>`;
        if (isFree) pen.write(words[sign], x, y + 4, 'sign', 'middle');
        if (card.v.length < 13) {
          const name = (card.v.length > 1 ? '' : 'near at ') + clock(crossed), cx = frame.x(crossed);
          pen.place(name, [[cx + 5, 2], [cx - widthOf(name) - 4, 2]], bounds, 'markname');
        }
      }
      if (card.cut >= view.from && card.cut <= view.to && card.cut >= 0) {
        const x = frame.x(card.cut), name = 'end of the recording';
        pen.line(x, top0 - 4, x, bottom, 'cut');
        pen.place(name, [20, 36, 52].flatMap((y) => [[x + 5, y], [x - widthOf(name) - 4, y]]), bounds, 'threshold');
      }
      for (const line of card.lines) {
        const places = [];
        for (let x = frame.left + 4; x < frame.right; x += 12) places.push([x, frame.y(line[1]) - 16], [x, frame.y(line[1]) + 2]);
        pen.place(words[line[0]], places, bounds, 'threshold');
      }
    }

    function drawBand(pen, frame, card) {
      let begun = 0, drawn = -1;
      for (let i = 0; i < card.w.length; i += 1) {
        const next = i + 1 < card.w.length ? card.w[i + 1] : [card.until, -1];
        if (next[1] === card.w[i][1]) continue;
        const from = card.w[begun][0], state = data.states[card.w[i][1]];
        begun = i + 1;
        if (!frame.isSeen(from, next[0])) continue;
        const x = frame.clip(from), end = frame.clip(next[0]);
        if (end - drawn < 0.4) continue;
        drawn = end;
        pen.rect(x, bandTop, end - x, bandHeight, 'band ' + state[0]);
        if (state[0] === 'suspended' || state[0] === 'terminated') hatch(pen, x, end, state[0] === 'terminated');
        if (end - x > widthOf(state[1]) + 10) pen.write(state[1], (x + end) / 2, bandTop + 15, 'bandlabel on-' + state[0], 'middle');
      }
    }

    function hatch(pen, from, to, isCrossed) {
      let path = '';
      for (let x = from; x + 8 <= to; x += 12) {
        path += `M${at(x)} ${bandTop + bandHeight}l8 ${-bandHeight}`;
        if (isCrossed) path += `M${at(x)} ${bandTop}l8 ${bandHeight}`;
      }
      pen.path(path, 'hatch');
    }
    """#
}
