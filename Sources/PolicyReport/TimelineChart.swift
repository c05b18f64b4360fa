import RangingPolicy

/// A drawing of one phone's approach: the distance with its thresholds, below it the states as bands and
/// the ranging callbacks, and where each near trigger was delivered or missed.
struct TimelineChart {
  let result: Simulation
  let near: NearDistances
  /// A prefix that keeps its element ids apart from those of other drawings on the page.
  let id: String

  private static let width = 480.0, height = 270.0
  private static let left = 40.0, right = 470.0, top = 28.0, floor = 182.0
  private static let callbackTop = 188.0, bandTop = 202.0, bandBottom = 226.0
  /// More crossings than this cannot be told apart.
  private static let markLimit = 24

  private let time: Scale
  private let metres: Scale
  private let curve: [(time: Milliseconds, metres: Double?)]

  init(_ result: Simulation, near: NearDistances, id: String) {
    self.result = result
    self.near = near
    self.id = id
    let heard = Double(min(result.profile.strategy.heardDistance.value, 200_000_000)) / 1e6
    curve = DistanceCurve(result.timeline, until: result.knownUntil).points
    let farthest = curve.compactMap(\.metres).max() ?? heard
    let far = max(farthest, 2 * Double(near.near ?? 1_000_000) / 1e6)
    time = Scale(
      from: 0, to: max(0.001, Double(result.end) / 1000), start: Self.left, end: Self.right)
    metres = Scale(from: 0, to: 1.05 * far, start: Self.floor, end: Self.top)
  }

  func write(into page: inout Markup) {
    page.element(
      "svg",
      [
        "viewBox": "0 0 480 270", "role": "img", "aria-labelledby": "\(id)-t", "aria-describedby": "\(id)-d",
        "xmlns": "http://www.w3.org/2000/svg", "class": "chart",
      ]
    ) { page in
      page.element("title", ["id": "\(id)-t"], "Distance and app state under \(result.profile.name)")
      page.element("desc", ["id": "\(id)-d"], Account(result).sentence)
      drawAxes(into: &page)
      drawThresholds(into: &page)
      drawBands(into: &page)
      drawCallbacks(into: &page)
      drawCurve(into: &page)
      drawThresholdNames(into: &page)
      drawMarks(into: &page)
      drawCut(into: &page)
    }
  }

  private func x(_ time: Milliseconds) -> Double { self.time(Double(time) / 1000) }

  private func drawAxes(into page: inout Markup) {
    page.element("text", ["x": "4", "y": "14", "class": "unit"], "m")
    for value in metres.ticks(5, steps: Scale.distanceSteps) {
      let y = metres(value)
      page.line(Self.left, y, Self.right, y, "grid")
      page.text(Figures.number(value, 1), Self.left - 5, y + 4, "axis", "end")
    }
    for value in time.ticks(5, steps: Scale.timeSteps) {
      let x = time(value)
      page.line(x, Self.bandBottom, x, Self.bandBottom + 5, "axisline")
      let anchor = x > Self.right - 20 ? "end" : "middle"
      page.text(Self.clock(value, of: time.to), x, Self.bandBottom + 18, "axis", anchor)
    }
    page.line(Self.left, Self.floor, Self.right, Self.floor, "axisline")
    page.text(
      time.to > 7200 ? "hours" : time.to > 600 ? "minutes" : "seconds from the start",
      (Self.left + Self.right) / 2, Self.height - 8, "unit", "middle")
  }

  private static func clock(_ seconds: Double, of span: Double) -> String {
    if span > 7200 { return Figures.number(seconds / 3600, 1) }
    return Figures.number(span > 600 ? seconds / 60 : seconds, 1)
  }

  private var thresholds: [(name: String, distance: Micrometres, style: String)] {
    var thresholds: [(String, Micrometres, String)] = []
    if let near = near.near { thresholds.append(("near", near, "nearline")) }
    if near.rearm != near.near { thresholds.append(("re-arm", near.rearm, "rearmline")) }
    thresholds.append(("heard", result.profile.strategy.heardDistance.value, "heardline"))
    return thresholds.filter { Double($0.1) / 1e6 <= metres.to }
  }

  private func drawThresholds(into page: inout Markup) {
    for threshold in thresholds {
      let y = metres(Double(threshold.distance) / 1e6)
      page.line(Self.left, y, Self.right, y, threshold.style)
    }
  }

  /// Draws the names of the thresholds. A name that would overlap another is moved to its right.
  private func drawThresholdNames(into page: inout Markup) {
    var placed: [(y: Double, end: Double)] = []
    for threshold in thresholds {
      let y = metres(Double(threshold.distance) / 1e6)
      let label = "\(threshold.name) \(Figures.metres(threshold.distance))"
      let start = placed.filter { abs($0.y - y) < 15 }.map(\.end).max() ?? Self.left + 4
      placed.append((y, start + 8.5 * Double(label.count)))
      page.text(label, start, y - 4, "threshold", "start")
    }
  }

  private func drawBands(into page: inout Markup) {
    var drawn = -Double.infinity
    for interval in result.intervals {
      // Skip changes that are too close together to see.
      guard x(interval.to) - drawn > 0.4 else { continue }
      drawn = x(interval.to)
      let from = x(interval.from)
      let width = max(0.6, x(interval.to) - from)
      let style = "band \(interval.state.rawValue)"
      page.element(
        "rect",
        [
          "x": Figures.at(from), "y": Figures.at(Self.bandTop), "width": Figures.at(width),
          "height": Figures.at(Self.bandBottom - Self.bandTop), "class": style,
        ])
      if interval.state == .suspended || interval.state == .terminated {
        hatch(from, width, isCrossed: interval.state == .terminated, into: &page)
      }
      let label = interval.state.label
      if width > 8.2 * Double(label.count) + 8 {
        page.text(
          label, from + width / 2, Self.bandBottom - 7, "bandlabel on-\(interval.state.rawValue)", "middle")
      }
    }
  }

  /// Hatches sleep and end, so that they do not depend on colour.
  private func hatch(_ from: Double, _ width: Double, isCrossed: Bool, into page: inout Markup) {
    var path = ""
    let height = Self.bandBottom - Self.bandTop
    var offset = 0.0
    while offset + 8 <= width {
      let x = from + offset
      path += "M\(Figures.at(x)) \(Figures.at(Self.bandBottom))l8 -\(Figures.at(height))"
      if isCrossed { path += "M\(Figures.at(x)) \(Figures.at(Self.bandTop))l8 \(Figures.at(height))" }
      offset += 12
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "hatch"]) }
  }

  /// Draws one stroke per callback that saw the beacon, or a bar where they are too close.
  private func drawCallbacks(into page: inout Markup) {
    let period = max(1, result.profile.os.tickPeriod.value)
    let apart = x(period) - x(0)
    var path = ""
    var drawn = -Double.infinity
    for span in result.seeingSpans {
      guard x(span.upperBound) - drawn > 0.4 else { continue }
      drawn = x(span.upperBound)
      if apart < 2 {
        let width = max(0.6, x(span.upperBound) - x(span.lowerBound))
        page.element(
          "rect",
          [
            "x": Figures.at(x(span.lowerBound)), "y": Figures.at(Self.callbackTop + 2),
            "width": Figures.at(width), "height": "6", "class": "callbackbar",
          ])
        continue
      }
      var tick = (span.lowerBound + period - 1) / period * period
      while tick < span.upperBound {
        path += "M\(Figures.at(x(tick))) \(Figures.at(Self.callbackTop))v9"
        tick += period
      }
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "callback"]) }
  }

  private func drawCurve(into page: inout Markup) {
    var path = ""
    var isDown = false
    for point in curve {
      guard let distance = point.metres else {
        isDown = false
        continue
      }
      path += "\(isDown ? "L" : "M")\(Figures.at(x(point.time))) \(Figures.at(metres(distance)))"
      isDown = true
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "curve"]) }
  }

  /// Marks where a recording ended.
  private func drawCut(into page: inout Markup) {
    guard result.timeline.isCut else { return }
    let x = x(result.timeline.end)
    page.line(x, Self.top - 4, x, Self.bandBottom, "cut")
    let isLeft = x > (Self.left + Self.right) / 2
    page.text(
      "end of the recording", x + (isLeft ? -5 : 5), Self.top + 12, "threshold", isLeft ? "end" : "start")
  }

  private func drawMarks(into page: inout Markup) {
    for verdict in result.verdicts.prefix(Self.markLimit) {
      let x = x(verdict.crossed)
      page.line(x, Self.top - 4, x, Self.bandBottom, "crossing")
      let outcome = Outcome(verdict.outcome, wasNear: true)
      let place = verdict.delivered.map { self.x($0) } ?? x
      let y = result.timeline.distance(at: verdict.crossed).map { metres($0) } ?? (Self.top + Self.floor) / 2
      if verdict.delivered != nil, place > x + 1 { page.line(x, y, place, y, "delay") }
      page.element(
        "circle", ["cx": Figures.at(place), "cy": Figures.at(y), "r": "8", "class": "mark \(outcome.style)"])
      page.text(outcome.sign, place, y + 4.5, "sign", "middle")
    }
    guard result.verdicts.count == 1, let verdict = result.verdicts.first else { return }
    let x = x(verdict.crossed)
    let label = "near at \(Figures.time(verdict.crossed))"
    let isLeft = x > (Self.left + Self.right) / 2
    page.text(label, x + (isLeft ? -5 : 5), Self.top - 10, "markname", isLeft ? "end" : "start")
  }
}
