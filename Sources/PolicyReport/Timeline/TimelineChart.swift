import Pages
import RangingPolicy

/// A drawing of one phone's approach: the distance with its thresholds and near triggers, the app's states, and a lane for
/// everything else that happened. It is what paper and browsers without scripts show.
struct TimelineChart {
  let result: Simulation
  let near: NearDistances
  /// A prefix that keeps its element ids apart from those of other drawings on the page.
  let id: String
  let frame: ChartFrame
  let curve: [(time: Milliseconds, metres: Double?)]

  /// More crossings than this cannot be told apart.
  static let markLimit = 24

  /// `until`: where the time axis ends; nil: where the result ends.
  init(
    _ result: Simulation, near: NearDistances, id: String, until: Milliseconds? = nil,
    points: Int = DistanceCurve.limit
  ) {
    self.result = result
    self.near = near
    self.id = id
    curve = DistanceCurve(result.timeline, until: result.knownUntil, limit: points).points
    frame = ChartFrame(
      result, near: near, farthest: curve.compactMap(\.metres).max(), until: max(until ?? 0, result.end))
  }

  func write(into page: inout Markup) {
    page.chart(
      id, width: ChartFrame.width, height: frame.height, style: "chart still",
      "Distance and app state under \(result.profile.name)", Account(result).sentence
    ) { page in
      drawAxes(into: &page)
      drawThresholds(into: &page)
      StateBand(result: result, frame: frame).write(into: &page)
      LaneDrawing(result: result, frame: frame).write(into: &page)
      drawCurve(into: &page)
      drawLabels(into: &page)
    }
  }

  private func drawAxes(into page: inout Markup) {
    page.element("text", ["x": "4", "y": "16", "class": "unit"], "m")
    for value in frame.metres.ticks(4, steps: Scale.distanceSteps) {
      let y = frame.metres(value)
      page.line(ChartFrame.left, y, ChartFrame.right, y, "grid")
      page.text(Figures.number(value, 1), ChartFrame.left - 5, y + 4, "axis", "end")
    }
    for value in frame.time.ticks(5, steps: Scale.timeSteps) {
      let x = frame.time(value)
      page.line(x, ChartFrame.top, x, frame.bottom, "grid")
      page.line(x, frame.bottom, x, frame.bottom + 5, "axisline")
      let anchor = x > ChartFrame.right - 20 ? "end" : "middle"
      page.text(Self.clock(value, of: frame.time.to), x, frame.bottom + 18, "axis", anchor)
    }
    page.line(ChartFrame.left, ChartFrame.floor, ChartFrame.right, ChartFrame.floor, "axisline")
    page.line(ChartFrame.left, frame.bottom, ChartFrame.right, frame.bottom, "axisline")
    page.text(
      frame.time.to > 7200 ? "hours" : frame.time.to > 600 ? "minutes" : "seconds from the start",
      (ChartFrame.left + ChartFrame.right) / 2, frame.height - 8, "unit", "middle")
  }

  private static func clock(_ seconds: Double, of span: Double) -> String {
    if span > 7200 { return Figures.number(seconds / 3600, 1) }
    return Figures.number(span > 600 ? seconds / 60 : seconds, 1)
  }

  var thresholds: [(name: String, distance: Micrometres, style: String)] {
    var thresholds: [(String, Micrometres, String)] = []
    if let near = near.near { thresholds.append(("near", near, "nearline")) }
    if near.rearm != near.near { thresholds.append(("re-arm", near.rearm, "rearmline")) }
    thresholds.append(("heard", result.profile.strategy.heardDistance.value, "heardline"))
    return thresholds.filter { Double($0.1) / 1e6 <= frame.metres.to }
  }

  private func drawThresholds(into page: inout Markup) {
    for threshold in thresholds {
      let y = frame.metres(Double(threshold.distance) / 1e6)
      page.line(ChartFrame.left, y, ChartFrame.right, y, threshold.style)
    }
  }

  private func drawCurve(into page: inout Markup) {
    var path = ""
    var isDown = false
    for point in curve {
      guard let distance = point.metres else {
        isDown = false
        continue
      }
      path += "\(isDown ? "L" : "M")\(Figures.at(frame.x(point.time))) \(Figures.at(frame.metres(distance)))"
      isDown = true
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "curve"]) }
  }
}
