import Phones

/// Compares the strategies: for each system a drawing of the trade-off and a table.
struct ComparisonSection {
  let comparisons: [Comparison]
  let visitsPerDay: Int

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "comparison"]) { page in
      page.element("h2", ["id": "comparison"], "Which strategy for this site?")
      page.element(
        "p",
        "Battery is the drain of a whole day with \(visitsPerDay) such "
          + "\(visitsPerDay == 1 ? "approach" : "approaches"), the phone out of range for the rest of it. A strategy "
          + "on the front (★) delivers, and no other of its system delivers as much for less, or more for as little. Delivered is the mean "
          + "over a crowd of phones that differ in range, RSSI, latency and phase; nine of ten of them are within the upright lines."
      )
      page.element("div", ["class": "rankings"]) { page in
        for (index, comparison) in comparisons.enumerated() {
          write(comparison, id: "c\(index + 1)", into: &page)
        }
      }
    }
  }

  private func write(_ comparison: Comparison, id: String, into page: inout Markup) {
    page.element("article", ["aria-labelledby": "\(id)-h"]) { page in
      page.element("h3", ["id": "\(id)-h"], comparison.systems.map(\.name).joined(separator: ", "))
      page.element("figure") { page in TradeOffChart(comparison: comparison, id: id).write(into: &page) }
      page.element(
        "div", ["class": "fit", "tabindex": "0", "role": "region", "aria-labelledby": "\(id)-b"]
      ) { table(comparison, id: id, into: &$0) }
    }
  }

  private func table(_ comparison: Comparison, id: String, into page: inout Markup) {
    page.element("table", ["class": "stack"]) { page in
      page.element("caption", ["id": "\(id)-b"], "Best first")
      ComparisonRow.table(visitsPerDay: visitsPerDay).write(ComparisonRow.all(comparison), into: &page)
    }
  }
}

/// The share delivered against the drain of a day, with the front that no strategy beats.
///
/// The cost axis is logarithmic in the drain above 1, so that it can show both a few seconds and a whole day.
struct TradeOffChart {
  let comparison: Comparison
  let id: String

  private static let left = 64.0, right = 408.0, top = 34.0, floor = 214.0
  private static let cheapest = -5.0, dearest = 0.3

  private struct Point {
    var number: Int
    var x: Double
    var y: Double
    /// Nine of ten phones are between these.
    var worst: Double
    var best: Double
    var isOnFront: Bool
  }

  private var points: [Point] {
    comparison.entries.enumerated().compactMap { index, entry in
      guard let share = entry.tally.meanShare else { return nil }
      return Point(
        number: index + 1, x: x(entry.tally.batteryFactor - 1), y: y(share),
        worst: y(entry.tally.shareInterval?.lowerBound ?? share),
        best: y(entry.tally.shareInterval?.upperBound ?? share),
        isOnFront: entry.isOnFront)
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
        "viewBox": "0 0 420 270", "role": "img", "aria-labelledby": "\(id)-t", "aria-describedby": "\(id)-d",
        "xmlns": "http://www.w3.org/2000/svg", "class": "chart",
      ]
    ) { page in
      page.element("title", ["id": "\(id)-t"], "Share delivered against battery on \(name)")
      page.element("desc", ["id": "\(id)-d"], description)
      drawAxes(into: &page)
      drawFront(into: &page)
      drawSpreads(into: &page)
      drawPoints(into: &page)
    }
  }

  private var description: String {
    comparison.entries.enumerated().map { index, entry in
      "\(index + 1) \(entry.tally.profile.strategy.name): \(Figures.percent(entry.tally.meanShare)) delivered "
        + "(\(Figures.percent(entry.tally.shareInterval?.lowerBound)) to \(Figures.percent(entry.tally.shareInterval?.upperBound))), battery "
        + Figures.drain(entry.tally.batteryFactor) + (entry.isOnFront ? ", on the front" : "")
    }.joined(separator: "; ") + "."
  }

  private func drawAxes(into page: inout Markup) {
    for share in [0, 0.25, 0.5, 0.75, 1] {
      let y = y(share)
      page.line(Self.left, y, Self.right, y, "grid")
      page.text(Figures.percent(share), Self.left - 12, y + 4, "axis", "end")
    }
    for (excess, label) in [
      (0.0001, "0.01 %"), (0.001, "0.1 %"), (0.01, "1 %"), (0.1, "10 %"), (1, "100 %"),
    ] {
      let x = x(excess)
      page.line(x, Self.floor, x, Self.floor + 5, "axisline")
      page.text(label, x, Self.floor + 19, "axis", "middle")
    }
    page.line(Self.left, Self.floor, Self.right, Self.floor, "axisline")
    page.text("delivered", 4, 12, "unit", "start")
    page.text(
      "extra battery a day, each step ×10", (Self.left + Self.right) / 2, 262, "unit", "middle"
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

  /// Draws a line over the range that nine of ten phones are in, with a bar at each end.
  private func drawSpreads(into page: inout Markup) {
    for point in points where point.worst - point.best > 1 {
      page.line(point.x, point.worst, point.x, point.best, "spread")
      for end in [point.worst, point.best] { page.line(point.x - 4, end, point.x + 4, end, "spread") }
    }
  }

  /// Draws the points. Points in the same place share one mark; their numbers are beside it, in a free place.
  private func drawPoints(into page: inout Markup) {
    var groups: [[Point]] = []
    for point in points {
      let near = groups.firstIndex { abs($0[0].x - point.x) < 13 && abs($0[0].y - point.y) < 13 }
      if let near { groups[near].append(point) } else { groups.append([point]) }
    }
    var room = LabelRoom()
    for group in groups {
      room.take(LabelRoom.Box(x: group[0].x - 8, y: group[0].y - 8, width: 16, height: 16))
    }
    for group in groups { draw(group, &room, into: &page) }
  }

  private func draw(_ group: [Point], _ room: inout LabelRoom, into page: inout Markup) {
    let (x, y) = (group[0].x, group[0].y)
    let isOnFront = group.contains(where: \.isOnFront)
    page.element(
      "circle",
      [
        "cx": Figures.at(x), "cy": Figures.at(y), "r": isOnFront ? "8" : "6",
        "class": isOnFront ? "dot front-dot" : "dot",
      ])
    let label = (isOnFront ? "★ " : "") + group.map { "\($0.number)" }.joined(separator: " ")
    let width = LabelRoom.width(of: label)
    // Right, left, below, above; then the same from farther away, with a line to the mark.
    var places: [LabelRoom.Box] = []
    for far in [0.0, 18, 36, 54, 72] {
      let (right, left, below, above) = (x + 10 + far, x - 10 - far - width, y + 9 + far, y - 25 - far)
      let corners: [(Double, Double)] = [
        (right, below), (left, below), (right, above), (left, above), (x - width / 2, above),
        (x - width / 2, below),
        (right, y - 8), (left, y - 8),
      ]
      for corner in corners {
        places.append(LabelRoom.Box(x: corner.0, y: corner.1, width: width, height: 16))
      }
    }
    let frame = LabelRoom.Box(x: Self.left - 8, y: 16, width: 420 - Self.left + 6, height: Self.floor - 14)
    guard let place = room.place(places, within: frame) else { return }
    let middle = (x: place.x + width / 2, y: place.y + 8)
    if abs(middle.y - y) > 30 || abs(middle.x - x) > width / 2 + 20 {
      page.line(x, y, middle.x, middle.y, "leader")
    }
    page.text(label, place.x + 2, place.y + 13, "dotname", "start")
  }
}

/// A decimal logarithm of our own. The C library's may differ in the last digit between machines, and a page must be
/// identical everywhere.
enum Logarithm {
  /// The logarithm of a positive number, to about six digits.
  static func ten(_ number: Double) -> Double {
    guard number > 0, number.isFinite else { return -300 }
    // ln(m · 2^e) = ln m + e · ln 2, and ln m = 2 · atanh((m − 1) / (m + 1)).
    let ratio = (number.significand - 1) / (number.significand + 1)
    let square = ratio * ratio
    var term = ratio
    var sum = 0.0
    for power in stride(from: 1.0, through: 15, by: 2) {
      sum += term / power
      term *= square
    }
    let natural = 2 * sum + Double(number.exponent) * 0.693_147_180_559_945_3
    return natural / 2.302_585_092_994_046
  }
}

/// The free places for text in a drawing, so that no label covers another.
struct LabelRoom {
  struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func touches(_ other: Box) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
  }

  private var taken: [Box] = []

  mutating func take(_ box: Box) { taken.append(box) }

  /// Uses the first free place; nil: none is free.
  mutating func place(_ places: [Box], within frame: Box) -> Box? {
    let free = places.first { box in
      box.x >= frame.x && box.x + box.width <= frame.x + frame.width && box.y >= frame.y
        && box.y + box.height <= frame.y + frame.height && !taken.contains { $0.touches(box) }
    }
    if let free { take(free) }
    return free
  }

  /// The approximate width of a text in the page's own fonts, rather too large than too small.
  static func width(of text: String) -> Double { Double(text.count) * 13.5 * 0.64 + 4 }
}
