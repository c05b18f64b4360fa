import Pages
import RangingPolicy
import WakePlanner

/// Two rounds of a rotation: which region is on air, the callbacks of a phone that arrives at the start, and when its app
/// ranges.
struct RotationChart {
  let proposal: WakeProposal
  let plan: WakePlan
  let id: String

  private static let left = 70.0, right = 412.0, top = 24.0, rowHeight = 18.0
  private let time: Scale
  private let span: Milliseconds

  init(_ proposal: WakeProposal, _ plan: WakePlan, id: String) {
    self.proposal = proposal
    self.plan = plan
    self.id = id
    span = 2 * plan.period
    time = Scale(from: 0, to: Double(span) / 1000, start: Self.left, end: Self.right)
  }

  private var toldTop: Double { Self.top + Double(plan.regions) * Self.rowHeight + 4 }
  private var bandTop: Double { toldTop + 20 }
  private var bandBottom: Double { bandTop + 24 }
  private var height: Double { bandBottom + 44 }

  func write(into page: inout Markup) {
    page.chart(
      id, height: height, "Two rounds of the plan for \(proposal.profile.name)",
      PlanWords(proposal).rotation
    ) { page in
      drawAxis(into: &page)
      drawRegions(into: &page)
      drawCallbacks(into: &page)
      drawBand(into: &page)
      drawWalk(into: &page)
    }
  }

  private func x(_ time: Milliseconds) -> Double { self.time(Double(time) / 1000) }

  private func drawAxis(into page: inout Markup) {
    for value in time.ticks(5, steps: Scale.timeSteps) {
      let x = time(value)
      page.line(x, Self.top - 4, x, bandBottom, "grid")
      page.line(x, bandBottom, x, bandBottom + 5, "axisline")
      page.text(
        Figures.number(time.to > 600 ? value / 60 : value, 1), x, bandBottom + 18, "axis",
        x > Self.right - 20 ? "end" : "middle")
    }
    page.line(Self.left, bandBottom, Self.right, bandBottom, "axisline")
    page.text(
      time.to > 600 ? "minutes" : "seconds from the phone's coming", (Self.left + Self.right) / 2, height - 6,
      "unit", "middle")
  }

  private func drawRegions(into page: inout Markup) {
    for region in 0..<plan.regions {
      let y = Self.top + Double(region) * Self.rowHeight
      page.text("region \(region + 1)", Self.left - 6, y + 11, "axis", "end")
      page.line(Self.left, y + 14, Self.right, y + 14, "grid")
    }
    for broadcast in plan.broadcasts {
      let y = Self.top + Double(broadcast.region) * Self.rowHeight
      for round in Int64(-1)...1 {
        let from = broadcast.start + round * plan.period
        let to = from + broadcast.duration
        guard to > 0, from < span else { continue }
        let start = x(max(0, from))
        page.element(
          "rect",
          [
            "x": Figures.at(start), "y": Figures.at(y), "height": "14",
            "width": Figures.at(max(1, x(min(to, span)) - start)), "class": "onair",
          ])
      }
    }
  }

  private func drawCallbacks(into page: inout Markup) {
    page.text("notified", Self.left - 6, toldTop + 12, "axis", "end")
    var path = ""
    for callback in proposal.example.callbacks where callback.time <= span {
      let x = Figures.at(x(callback.time))
      path +=
        callback.isEnter
        ? "M\(x) \(Figures.at(toldTop + 2))l5 11h-10z" : "M\(x) \(Figures.at(toldTop + 13))l5 -11h-10z"
    }
    if !path.isEmpty { page.element("path", ["d": path, "class": "told"]) }
  }

  private func drawBand(into page: inout Markup) {
    page.text("app", Self.left - 6, bandBottom - 8, "axis", "end")
    for interval in proposal.example.intervals where interval.from < span {
      let from = x(interval.from)
      let width = max(0.6, x(min(interval.to, span)) - from)
      page.element(
        "rect",
        [
          "x": Figures.at(from), "y": Figures.at(bandTop), "width": Figures.at(width),
          "height": Figures.at(bandBottom - bandTop), "class": "band \(interval.state.rawValue)",
        ])
      let label = interval.state.label
      if width > LabelRoom.width(of: label) + 4 {
        page.text(
          label, from + width / 2, bandBottom - 8, "bandlabel on-\(interval.state.rawValue)", "middle")
      }
    }
  }

  private func drawWalk(into page: inout Markup) {
    let arrival = proposal.request.visit.approach
    guard arrival <= span else { return }
    let x = x(arrival)
    page.line(x, Self.top - 8, x, bandBottom, "crossing")
    let isLeft = x > (Self.left + Self.right) / 2
    page.text("at the gateway", x + (isLeft ? -5 : 5), Self.top - 9, "markname", isLeft ? "end" : "start")
  }
}
