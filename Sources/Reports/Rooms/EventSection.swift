import Beacons
import Core
import Proximity

/// Reported events, in words.
struct EventSection {
  let report: RoomReport

  func write(into page: inout Markup) {
    let journey = report.journey
    page.element("section", ["aria-labelledby": "events"]) { page in
      page.element("h2", ["id": "events"], "Events")
      guard journey.transitionCount > 0 else {
        page.element("p", ["class": "note"], "None: the beacon came into no room.")
        return
      }
      if journey.transitionCount > journey.transitions.count {
        page.element(
          "p", ["class": "note"], "The first \(journey.transitions.count) of \(journey.transitionCount).")
      }
      page.element("div", ["class": "scroll"]) { page in
        page.element("table") { page in
          page.rows(below: ["time", "what", "why"]) { page in
            for (left, entered) in steps { write(left, entered, into: &page) }
          }
        }
      }
    }
  }

  private typealias Step = (left: RoomTransition?, entered: RoomTransition?)

  /// A move from one room to another is one line.
  private var steps: [Step] {
    var steps: [Step] = []
    for transition in report.journey.transitions {
      if transition.event == .exit {
        steps.append((transition, nil))
      } else if let left = steps.last?.left, steps.last?.entered == nil, left.time == transition.time {
        steps[steps.count - 1].entered = transition
      } else {
        steps.append((nil, transition))
      }
    }
    return steps
  }

  private func write(_ left: RoomTransition?, _ entered: RoomTransition?, into page: inout Markup) {
    guard let told = entered ?? left else { return }
    page.element("tr") { page in
      page.element("td", ["class": "number"], TimeWords.second(told.wallTime))
      page.element("td") { page in
        page.element("span", ["class": "swatch \(RoomStyle.name(told.room))", "aria-hidden": "true"])
        switch (left, entered) {
        case (let left?, let entered?):
          page.say("from \(report.name(of: left.room)) to \(report.name(of: entered.room))")
        case (nil, _): page.say("entered \(report.name(of: told.room))")
        case (_, nil): page.say("left \(report.name(of: told.room))")
        }
      }
      page.element("td", why(told))
    }
  }

  private func why(_ transition: RoomTransition) -> String {
    var parts: [String] = []
    if let probability = transition.probability { parts.append("\(Figures.percent(probability)) sure") }
    parts += transition.evidence.map { evidence in
      let expected = evidence.expected.map { " (expected \(level($0)))" } ?? ""
      return "\(report.name(of: evidence.receiver)) heard \(level(evidence.rssi)) dBm\(expected)"
    }
    if transition.evidence.isEmpty {
      parts.append("not heard any more, last by \(report.name(of: transition.receiver))")
    }
    return parts.joined(separator: "; ")
  }

  private func level(_ level: Double) -> String {
    let text = Figures.number(level, 0)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : text
  }
}
