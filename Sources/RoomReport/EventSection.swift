import Beacons
import Pages
import Proximity

/// What was told, in words.
struct EventSection {
  private let report: RoomReport

  init(_ report: RoomReport) { self.report = report }

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
          page.element("thead") { page in
            page.element("tr") { page in
              for title in ["time", "what", "why"] { page.element("th", ["scope": "col"], title) }
            }
          }
          page.element("tbody") { page in
            for transition in journey.transitions { write(transition, into: &page) }
          }
        }
      }
    }
  }

  private func write(_ transition: RoomTransition, into page: inout Markup) {
    page.element("tr") { page in
      page.element("td", ["class": "number"], TimeWords.second(transition.wallTime))
      page.element("td") { page in
        page.element("span", ["class": "swatch \(RoomStyle.name(transition.room))", "aria-hidden": "true"])
        page.say("\(transition.event == .enter ? "entered" : "left") \(report.name(of: transition.room))")
      }
      page.element("td", why(transition))
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
