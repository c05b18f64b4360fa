import Beacons
import JSON
import Pages
import Proximity

/// The axis that all lanes share. Lanes stretch with the screen; so their text is beside them, not in them.
struct TimeFrame {
  private let report: RoomReport
  private let scale: Scale

  /// Of a lane, in its own units.
  static let width = 1000.0
  private static let tickCount = 8

  init(_ report: RoomReport) {
    self.report = report
    let from = (report.journey.start ?? .zero).seconds
    scale = Scale(from: from, to: max(report.journey.end.seconds, from + 1), start: 0, end: Self.width)
  }

  func x(_ time: MonotonicTime) -> Double { scale(time.seconds) }

  /// Round times of day, as seconds of the journey.
  private var ticks: [Double] {
    let start = Double(report.start.nanoseconds) / 1e9
    let calendar = Scale(from: start + scale.from, to: start + scale.to, start: 0, end: 1)
    return calendar.ticks(Self.tickCount, steps: Scale.timeSteps.filter { $0 >= 1 }).map { $0 - start }
  }

  func writeUprights(_ height: Double, into page: inout Markup) {
    for tick in ticks {
      page.line(scale(tick), 0, scale(tick), height, "upright")
    }
  }

  func writeTicks(into page: inout Markup) {
    page.element("div", ["class": "lane", "aria-hidden": "true"]) { page in
      page.element("span", ["class": "lanename"])
      page.element("div", ["class": "ticks"]) { page in
        let span = scale.to - scale.from
        for (place, tick) in ticks.enumerated() {
          let share = (tick - scale.from) / span * 100
          let edge = share < 3 ? " atstart" : share > 97 ? " atend" : ""
          page.element(
            "span",
            [
              "class": (place % 3 == 0 ? "coarse" : "fine") + edge,
              "style": "left:\(Figures.number(share, 2))%",
            ], words(tick, span))
        }
      }
    }
  }

  private func words(_ tick: Double, _ span: Double) -> String {
    let text = report.calendar(.zero + .seconds(tick.rounded())).rfc3339
    let time = text.dropFirst(11)
    if span > 86_400 { return "\(text.dropFirst(5).prefix(5)) \(time.prefix(5))" }
    return String(time.prefix(span > 600 ? 5 : 8))
  }
}

extension MonotonicTime {
  /// Since the clock's start.
  var seconds: Double { Double(nanoseconds) / 1e9 }
}
