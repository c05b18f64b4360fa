extension Script {
  /// Draws the lanes below the states, and the time axis.
  static let lanes = #"""
    const rowHeight = 13, nameHeight = 17, gap = 5, shownRows = 3, curveHeight = 30;

    function laneName(pen, frame, name, y) {
      pen.line(frame.left, y, frame.right, y, 'grid');
      pen.write(name, frame.left, y + 12, 'lanename');
      return y + nameHeight;
    }

    function drawLane(pen, frame, lane, top) {
      let y = laneName(pen, frame, words[lane.n], top);
      if (lane.m.length) {
        drawMarks(pen, frame, lane.m, y);
        y += rowHeight + 2;
      }
      for (const row of lane.r.slice(0, shownRows)) {
        let drawn = -1;
        for (const span of row) {
          if (!frame.isSeen(span[0], span[1])) continue;
          const from = frame.clip(span[0]), to = frame.clip(span[1]);
          if (to - drawn < 0.4) continue;
          drawn = to;
          drawSpan(pen, words[lane.k], words[span[2]], words[span[3]], from, to, y, span[1] <= view.to);
        }
        y += rowHeight + 2;
      }
      return y + gap;
    }

    function drawSpan(pen, kind, label, ending, from, to, y, hasEnd) {
      pen.rect(from, y, to - from, rowHeight, `span ${kind} ${ending}`);
      if (hasEnd && ending === 'handler') pen.path(`M${at(to)} ${y + 6.5}l-7 -6v12z`, 'handler');
      if (hasEnd && ending === 'kill') pen.path(`M${at(to)} ${y + 6.5}m-5 -5l10 10m0 -10l-10 10`, 'kill');
      if (to - from > widthOf(label) + 14) pen.write(label, from + 5, y + 10.5, 'spanlabel');
    }

    // A stroke for every mark, its sign where there is room.
    function drawMarks(pen, frame, marks, y) {
      let path = '', sign = -99, stroke = -99;
      for (let i = Math.max(0, before(marks, view.from - 1)); i < marks.length && marks[i][0] <= view.to; i += 1) {
        if (marks[i][0] < view.from) continue;
        const x = Math.min(frame.x(marks[i][0]), frame.right - 6);
        if (x - sign >= 14) {
          sign = x;
          pen.write(words[marks[i][1]], x, y + 11, marks[i][3] ? 'event void' : 'event', 'middle');
        } else if (x - Math.max(stroke + 1, sign + 7) >= 0) {
          stroke = x;
          path += `M${at(x)} ${y + 3}v9`;
        }
      }
      pen.path(path, 'stroke');
    }

    function drawRemaining(pen, frame, card, top) {
      const floor = laneName(pen, frame, words[card.left], top) + curveHeight, high = curveHeight - 2;
      let drawn = -1;
      card.w.forEach((window, i) => {
        const end = i + 1 < card.w.length ? card.w[i + 1][0] : card.until;
        if (window[1] > 2 || !frame.isSeen(window[0], end)) return;
        const from = Math.max(window[0], view.from), to = Math.min(end, view.to), x = frame.x(from), right = frame.x(to);
        if (right - drawn < 0.4) return;
        drawn = right;
        if (window[2] < 0) {
          pen.rect(x, floor - high, right - x, high, 'unlimited');
          if (right - x > 20) pen.write('∞', (x + right) / 2, floor - high / 2 + 4, 'spanlabel', 'middle');
          return;
        }
        const y = (time) => floor - high * Math.max(0, window[2] - time) / Math.max(1, card.most);
        const empty = Math.min(to, Math.max(from, window[2]));
        pen.path(`M${at(x)} ${floor}V${at(y(from))}L${at(frame.x(empty))} ${at(y(empty))}V${floor}z`, 'left');
      });
      pen.line(frame.left, floor, frame.right, floor, 'axisline');
      return floor + gap;
    }

    function drawCallbacks(pen, frame, card, top) {
      const y = laneName(pen, frame, 'Ranging callbacks with the beacon', top);
      const apart = frame.x(card.period) - frame.x(0);
      let path = '', drawn = -1;
      for (const span of card.c) {
        if (!frame.isSeen(span[0], span[1]) || frame.clip(span[1]) - drawn < 0.4) continue;
        drawn = frame.clip(span[1]);
        if (apart < 2) {
          pen.rect(frame.clip(span[0]), y + 2, drawn - frame.clip(span[0]), 8, 'callbackbar');
          continue;
        }
        const first = Math.max(span[0], view.from), end = Math.min(span[1], view.to);
        for (let tick = Math.ceil(first / card.period) * card.period; tick < end; tick += card.period) {
          path += `M${at(frame.x(tick))} ${y}v11`;
        }
      }
      pen.path(path, 'callback');
      return y + rowHeight + gap;
    }

    function drawAxis(pen, frame, bottom) {
      const long = view.to > 7200000, unit = long ? 3600000 : view.to > 600000 ? 60000 : 1000;
      const step = stepFor((view.to - view.from) / 5, timeSteps);
      const decimals = Math.min(3, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
      let end = -99;
      for (const time of ticks(view.from, view.to, 5, timeSteps)) {
        const x = frame.x(time), text = (time / unit).toFixed(decimals), width = widthOf(text);
        pen.line(x, top0, x, bottom + 5, 'grid');
        const start = Math.min(x - width / 2, frame.right + 6 - width);
        if (start < end + 6) continue;
        end = start + width;
        pen.write(text, start, bottom + 18, 'axis');
      }
      pen.line(frame.left, bottom, frame.right, bottom, 'axisline');
      pen.write(long ? 'hours' : unit > 1000 ? 'minutes' : 'seconds from the start', (frame.left + frame.right) / 2, bottom + 34,
        'unit', 'middle');
    }
    """#
}
