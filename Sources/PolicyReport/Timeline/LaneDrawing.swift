import Pages
import RangingPolicy

/// The lanes below the states.
struct LaneDrawing {
  let result: Simulation
  let frame: ChartFrame

  func write(into page: inout Markup) {
    for (lane, top) in zip(frame.lanes, frame.laneTops) { draw(lane, top, into: &page) }
    if let remaining = frame.remaining { draw(remaining, frame.remainingTop, into: &page) }
    drawCallbacks(into: &page)
  }

  private func title(_ title: String, _ top: Double, into page: inout Markup) {
    page.line(ChartFrame.left, top, ChartFrame.right, top, "grid")
    page.text(title, ChartFrame.left, top + 13, "lanename", "start")
  }

  private func draw(_ lane: Lane, _ top: Double, into page: inout Markup) {
    title(lane.title, top, into: &page)
    var y = top + ChartFrame.titleHeight
    if !lane.marks.isEmpty {
      draw(lane.marks, y, into: &page)
      y += ChartFrame.rowHeight + 2
    }
    for row in lane.rows.prefix(Lane.rowLimit) {
      if row.count > 60 {
        drawMany(row, of: lane.kind, y, into: &page)
      } else {
        for span in row { draw(span, of: lane.kind, y, into: &page) }
      }
      y += ChartFrame.rowHeight + 2
    }
  }

  /// Too many to tell labels or ends apart: one path for all.
  private func drawMany(_ row: [Lane.Span], of kind: Lane.Kind, _ y: Double, into page: inout Markup) {
    var path = ""
    var drawn = -Double.infinity
    for span in row where frame.x(span.to) - drawn > 2 {
      let from = max(frame.x(span.from), drawn)
      drawn = max(frame.x(span.to), from + 0.6)
      path += "M\(Figures.at(from)) \(Figures.at(y))H\(Figures.at(drawn))v\(Figures.at(ChartFrame.rowHeight))"
      path += "H\(Figures.at(from))z"
    }
    page.element("path", ["d": path, "class": "span \(kind.rawValue)"])
  }

  private func draw(_ span: Lane.Span, of kind: Lane.Kind, _ y: Double, into page: inout Markup) {
    let from = frame.x(span.from)
    let to = frame.x(span.to)
    page.element(
      "rect",
      [
        "x": Figures.at(from), "y": Figures.at(y), "width": Figures.at(max(0.8, to - from)),
        "height": Figures.at(ChartFrame.rowHeight), "class": "span \(kind.rawValue) \(span.ending.rawValue)",
      ])
    // A handler is a small triangle at the end, a kill a cross: no colour is needed to tell them.
    let middle = Figures.at(y + ChartFrame.rowHeight / 2)
    switch span.ending {
    case .handler: page.element("path", ["d": "M\(Figures.at(to)) \(middle)l-7 -6v12z", "class": "handler"])
    case .kill:
      page.element("path", ["d": "M\(Figures.at(to)) \(middle)m-5 -5l10 10m0 -10l-10 10", "class": "kill"])
    case .leak, .none: break
    }
    let width = LabelRoom.width(of: span.label)
    if to - from > width + 10 { page.text(span.label, from + 5, y + 11, "spanlabel", "start") }
  }

  /// A stroke for every mark, its sign where there is room.
  private func draw(_ marks: [Lane.Mark], _ y: Double, into page: inout Markup) {
    var path = ""
    var stroke = -Double.infinity
    var sign = -Double.infinity
    for mark in marks {
      let x = min(frame.x(mark.time), ChartFrame.right - 6)
      if x - sign >= 14 {
        sign = x
        page.text(mark.sign, x, y + 12, mark.isVoid ? "event void" : "event", "middle")
      } else if x - max(stroke + 1, sign + 7) >= 0 {
        stroke = x
        path += "M\(Figures.at(x)) \(Figures.at(y + 3))v9"
      }
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "stroke"]) }
  }

  private func draw(_ curve: RemainingCurve, _ top: Double, into page: inout Markup) {
    title(curve.title, top, into: &page)
    let floor = top + ChartFrame.titleHeight + ChartFrame.curveHeight
    let scale = Scale(
      from: 0, to: Double(max(1, curve.most)), start: floor, end: floor - ChartFrame.curveHeight + 2)
    var drawn = -Double.infinity
    var (unlimited, counting) = ("", "")
    var signs: [Double] = []
    for piece in curve.pieces where frame.x(piece.to) - drawn > 1.5 {
      let (from, to) = (frame.x(piece.from), frame.x(piece.to))
      drawn = to
      guard let left = piece.left else {
        let top = floor - ChartFrame.curveHeight + 2
        unlimited +=
          "M\(Figures.at(from)) \(Figures.at(floor))V\(Figures.at(top))H\(Figures.at(to))V\(Figures.at(floor))z"
        if to - from > 18 { signs.append((from + to) / 2) }
        continue
      }
      let rest = max(0, left - (piece.to - piece.from))
      let empty = frame.x(min(piece.to, piece.from + left))
      counting +=
        "M\(Figures.at(from)) \(Figures.at(floor))V\(Figures.at(scale(Double(left))))"
        + "L\(Figures.at(empty)) \(Figures.at(scale(Double(rest))))V\(Figures.at(floor))z"
    }
    if !unlimited.isEmpty { page.element("path", ["d": unlimited, "class": "unlimited"]) }
    if !counting.isEmpty { page.element("path", ["d": counting, "class": "left"]) }
    for x in signs { page.text("∞", x, floor - ChartFrame.curveHeight / 2 + 5, "spanlabel", "middle") }
    page.line(ChartFrame.left, floor, ChartFrame.right, floor, "axisline")
  }

  /// Draws one stroke per callback that saw the beacon, or a bar where they are too close.
  private func drawCallbacks(into page: inout Markup) {
    title("Ranging callbacks with the beacon", frame.callbackTop, into: &page)
    let y = frame.callbackTop + ChartFrame.titleHeight
    let period = max(1, result.profile.os.tickPeriod.value)
    let apart = frame.x(period) - frame.x(0)
    var path = ""
    var drawn = -Double.infinity
    for span in result.seeingSpans where frame.x(span.upperBound) - drawn > 0.4 {
      drawn = frame.x(span.upperBound)
      let from = frame.x(span.lowerBound)
      if apart < 2 {
        page.element(
          "rect",
          [
            "x": Figures.at(from), "y": Figures.at(y + 2), "width": Figures.at(max(0.6, drawn - from)),
            "height": "8", "class": "callbackbar",
          ])
        continue
      }
      var tick = (span.lowerBound + period - 1) / period * period
      while tick < span.upperBound {
        path += "M\(Figures.at(frame.x(tick))) \(Figures.at(y))v11"
        tick += period
      }
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "callback"]) }
  }
}
