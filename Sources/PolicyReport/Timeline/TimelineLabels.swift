import Pages
import RangingPolicy

extension TimelineChart {
  /// Marks first, because they stand where they must; then the names, where there is room left.
  func drawLabels(into page: inout Markup) {
    var room = LabelRoom()
    drawMarks(&room, into: &page)
    drawCut(&room, into: &page)
    for threshold in thresholds {
      let label = "\(threshold.name) \(Figures.metres(threshold.distance))"
      let y = frame.metres(Double(threshold.distance) / 1e6)
      // Above the line or below it, as far left as possible.
      let places = stride(from: ChartFrame.left + 4, to: ChartFrame.right, by: 12).flatMap { x in
        [y - 17, y + 2].map { Self.box(label, x, $0) }
      }
      guard let place = room.place(places, within: Self.plot) else { continue }
      page.text(label, place.x, place.y + 13, "threshold", "start")
    }
  }

  private static let plot = LabelRoom.Box(
    x: ChartFrame.left, y: 2, width: ChartFrame.right - ChartFrame.left, height: ChartFrame.floor - 2)

  private static func box(_ label: String, _ x: Double, _ y: Double) -> LabelRoom.Box {
    LabelRoom.Box(x: x, y: y, width: LabelRoom.width(of: label), height: 16)
  }

  private func drawMarks(_ room: inout LabelRoom, into page: inout Markup) {
    for verdict in result.verdicts.prefix(Self.markLimit) {
      let x = frame.x(verdict.crossed)
      page.line(x, ChartFrame.top - 4, x, frame.bottom, "crossing")
      let outcome = Outcome(verdict.outcome, wasNear: true)
      let place = verdict.delivered.map { frame.x($0) } ?? x
      let y =
        result.timeline.distance(at: verdict.crossed).map { frame.metres($0) }
        ?? (ChartFrame.top + ChartFrame.floor) / 2
      if verdict.delivered != nil, place > x + 1 { page.line(x, y, place, y, "delay") }
      // Where marks are too close for their signs, they are small: the table below tells them apart.
      let box = LabelRoom.Box(x: place - 9, y: y - 9, width: 18, height: 18)
      let everywhere = LabelRoom.Box(x: -1e6, y: -1e6, width: 2e6, height: 2e6)
      let isFree = room.place([box], within: everywhere) != nil
      page.element(
        "circle",
        [
          "cx": Figures.at(place), "cy": Figures.at(y), "r": isFree ? "8" : "4",
          "class": "mark \(outcome.style)",
        ])
      if isFree { page.text(outcome.sign, place, y + 4.5, "sign", "middle") }
    }
    guard result.verdicts.count == 1, let verdict = result.verdicts.first else { return }
    name(
      "near at \(Figures.time(verdict.crossed))", frame.x(verdict.crossed), 4, "markname", &room, into: &page)
  }

  /// Marks where a recording ended.
  private func drawCut(_ room: inout LabelRoom, into page: inout Markup) {
    guard result.timeline.isCut else { return }
    let x = frame.x(result.timeline.end)
    page.line(x, ChartFrame.top - 4, x, frame.bottom, "cut")
    name("end of the recording", x, ChartFrame.top + 2, "threshold", &room, into: &page)
  }

  /// Writes the name of an upright line beside it, on the side that has room.
  private func name(
    _ label: String, _ x: Double, _ y: Double, _ style: String, _ room: inout LabelRoom,
    into page: inout Markup
  ) {
    let width = LabelRoom.width(of: label)
    let places = [0.0, 18, 36].flatMap { down in
      [Self.box(label, x + 5, y + down), Self.box(label, x - 5 - width, y + down)]
    }
    guard let place = room.place(places, within: Self.plot) else { return }
    let isLeft = place.x < x
    page.text(label, isLeft ? x - 5 : x + 5, place.y + 13, style, isLeft ? "end" : "start")
  }
}
