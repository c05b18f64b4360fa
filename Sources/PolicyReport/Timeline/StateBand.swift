import Pages
import RangingPolicy

/// The app's states as a band.
struct StateBand {
  let result: Simulation
  let frame: ChartFrame

  func write(into page: inout Markup) {
    var drawn = -Double.infinity
    for interval in result.intervals {
      // Skip changes that are too close together to see.
      guard frame.x(interval.to) - drawn > 1 else { continue }
      drawn = frame.x(interval.to)
      let from = frame.x(interval.from)
      let width = max(0.6, drawn - from)
      page.element(
        "rect",
        [
          "x": Figures.at(from), "y": Figures.at(ChartFrame.bandTop), "width": Figures.at(width),
          "height": Figures.at(ChartFrame.bandBottom - ChartFrame.bandTop),
          "class": "band \(interval.state.rawValue)",
        ])
      if interval.state == .suspended || interval.state == .terminated {
        hatch(from, width, isCrossed: interval.state == .terminated, into: &page)
      }
      let label = interval.state.label
      if width > LabelRoom.width(of: label) + 4 {
        page.text(
          label, from + width / 2, ChartFrame.bandBottom - 6, "bandlabel on-\(interval.state.rawValue)",
          "middle")
      }
    }
  }

  /// Hatches sleep and end, so that they do not depend on colour.
  private func hatch(_ from: Double, _ width: Double, isCrossed: Bool, into page: inout Markup) {
    var path = ""
    let height = ChartFrame.bandBottom - ChartFrame.bandTop
    var offset = 0.0
    while offset + 8 <= width {
      let x = from + offset
      path += "M\(Figures.at(x)) \(Figures.at(ChartFrame.bandBottom))l8 -\(Figures.at(height))"
      if isCrossed { path += "M\(Figures.at(x)) \(Figures.at(ChartFrame.bandTop))l8 \(Figures.at(height))" }
      offset += 12
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "hatch"]) }
  }
}
