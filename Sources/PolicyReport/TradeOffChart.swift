import RangingPolicy

/// The share delivered against the drain of a day, with the front that no strategy beats.
///
/// The cost axis is logarithmic in the drain above 1, so that it can show both a few seconds and a whole day.
struct TradeOffChart {
  let comparison: Comparison
  let id: String

  private static let width = 480.0, height = 270.0
  private static let left = 56.0, right = 448.0, top = 34.0, floor = 214.0
  private static let cheapest = -5.0, dearest = 0.3

  init(_ comparison: Comparison, id: String) {
    self.comparison = comparison
    self.id = id
  }

  private struct Point {
    var number: Int
    var x: Double
    var y: Double
    var isOnFront: Bool
  }

  private var points: [Point] {
    comparison.entries.enumerated().compactMap { index, entry in
      guard let share = entry.tally.share else { return nil }
      return Point(
        number: index + 1, x: x(entry.tally.batteryFactor - 1), y: y(share), isOnFront: entry.isOnFront)
    }
  }

  private func x(_ excess: Double) -> Double {
    let power = excess > 0 ? Logarithm.ten(excess) : Self.cheapest
    let share =
      (min(max(power, Self.cheapest), Self.dearest) - Self.cheapest) / (Self.dearest - Self.cheapest)
    return Self.left + share * (Self.right - Self.left)
  }

  private func y(_ share: Double) -> Double { Self.floor - share * (Self.floor - Self.top) }

  func write(into page: inout Markup) {
    let name = comparison.systems.map(\.name).joined(separator: ", ")
    page.element(
      "svg",
      [
        "viewBox": "0 0 480 270", "role": "img", "aria-labelledby": "\(id)-t", "aria-describedby": "\(id)-d",
        "xmlns": "http://www.w3.org/2000/svg", "class": "chart",
      ]
    ) { page in
      page.element("title", ["id": "\(id)-t"], "Share delivered against battery on \(name)")
      page.element("desc", ["id": "\(id)-d"], description)
      drawAxes(into: &page)
      drawFront(into: &page)
      drawPoints(into: &page)
    }
  }

  private var description: String {
    comparison.entries.enumerated().map { index, entry in
      "\(index + 1) \(entry.tally.profile.strategy.name): \(Figures.percent(entry.tally.share)) delivered, battery "
        + Figures.drain(entry.tally.batteryFactor) + (entry.isOnFront ? ", on the front" : "")
    }.joined(separator: "; ") + "."
  }

  private func drawAxes(into page: inout Markup) {
    for share in [0, 0.25, 0.5, 0.75, 1] {
      let y = y(share)
      page.line(Self.left, y, Self.right, y, "grid")
      page.text(Figures.percent(share), Self.left - 5, y + 4, "axis", "end")
    }
    for (excess, label) in [
      (0.0001, "+0.01 %"), (0.001, "+0.1 %"), (0.01, "+1 %"), (0.1, "+10 %"), (1, "+100 %"),
    ] {
      let x = x(excess)
      page.line(x, Self.floor, x, Self.floor + 5, "axisline")
      page.text(label, x, Self.floor + 19, "axis", "middle")
    }
    page.line(Self.left, Self.floor, Self.right, Self.floor, "axisline")
    page.text("delivered", 4, 12, "unit", "start")
    page.text(
      "extra battery a day (each step ten times as much)", (Self.left + Self.right) / 2, 262, "unit", "middle"
    )
  }

  /// Draws the front as steps: the most that any strategy delivers for a given cost.
  private func drawFront(into page: inout Markup) {
    let front = points.filter(\.isOnFront).sorted { ($0.x, -$0.y) < ($1.x, -$1.y) }
    guard let first = front.first else { return }
    var path = "M\(Figures.at(first.x)) \(Figures.at(first.y))"
    for point in front.dropFirst() { path += "H\(Figures.at(point.x))V\(Figures.at(point.y))" }
    path += "H\(Figures.at(Self.right))"
    page.element("path", ["d": path, "class": "front"])
  }

  /// Draws the points. Points in the same place share one mark, with all their numbers beside it.
  private func drawPoints(into page: inout Markup) {
    var groups: [[Point]] = []
    for point in points {
      let near = groups.firstIndex { abs($0[0].x - point.x) < 13 && abs($0[0].y - point.y) < 13 }
      if let near { groups[near].append(point) } else { groups.append([point]) }
    }
    for group in groups {
      guard let first = group.first else { continue }
      let isOnFront = group.contains(where: \.isOnFront)
      page.element(
        "circle",
        [
          "cx": Figures.at(first.x), "cy": Figures.at(first.y), "r": isOnFront ? "8" : "6",
          "class": isOnFront ? "dot front-dot" : "dot",
        ])
      let label = (isOnFront ? "★ " : "") + group.map { "\($0.number)" }.joined(separator: " ")
      let isRight = first.x > Self.right - 70
      page.text(
        label, first.x + (isRight ? -11 : 11), first.y + (first.y > Self.floor - 8 ? -8 : 18), "dotname",
        isRight ? "end" : "start")
    }
  }
}
