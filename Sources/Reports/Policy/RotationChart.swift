import Phones

/// Two rounds of a rotation: which region is on air, the callbacks of a phone that arrives at the start, and when its app
/// ranges.
struct RotationChart {
  let proposal: WakeProposal
  let plan: WakePlan
  let id: String
  private let strips: Strips

  init(_ proposal: WakeProposal, _ plan: WakePlan, id: String) {
    self.proposal = proposal
    self.plan = plan
    self.id = id
    strips = Strips(end: 2 * plan.period, limit: 500)
  }

  func write(into page: inout Markup) {
    let title = "Two rounds of the plan for \(proposal.profile.name)"
    page.element("p", ["id": "\(id)-t", "class": "unseen"], title)
    page.element(
      "div", ["class": "timeline rotation", "role": "img", "aria-labelledby": "\(id)-t"]
    ) { page in
      let arrival = proposal.request.visit.approach
      let walk = arrival <= strips.end ? [arrival] : []
      strips.writeTicks(into: &page)
      strips.write("words", into: &page) { page in
        strips.write(walk.map { ($0, "at the gateway") }, style: "name", into: &page)
      }
      for region in 0..<plan.regions {
        write("lane", "region \(region + 1)", into: &page) { strips.write(broadcasts(of: region), into: &$0) }
      }
      let told = proposal.example.callbacks.filter { $0.time <= strips.end }
      write("lane", "notified", into: &page) { page in
        strips.write(told.map { ($0.time, $0.isEnter ? "▲" : "▼", "") }, into: &page)
      }
      write("band", "app", into: &page) { strips.write(states, into: &$0) }
      page.element("div", ["class": "axis"], "")
      strips.writeUnit(seconds: "seconds from the phone's coming", into: &page)
      strips.write("over", into: &page) { page in
        for time in walk {
          page.element("i", ["class": "crossing", "style": strips.place(time..<time)], "")
        }
      }
    }
  }

  private func write(
    _ style: String, _ name: String, into page: inout Markup, _ content: (inout Markup) -> Void
  ) {
    strips.write(style, into: &page, side: { $0.element("span", ["class": "side"], name) }, content)
  }

  private func broadcasts(of region: Int) -> [Strips.Bar] {
    let own = plan.broadcasts.filter { $0.region == region }
    return (Int64(-1)...1).flatMap { round in
      own.map { broadcast -> Range<Milliseconds> in
        let from = broadcast.start + round * plan.period
        return max(0, from)..<max(0, min(from + broadcast.duration, strips.end))
      }
    }.filter { !$0.isEmpty }.map { Strips.Bar(span: $0, style: "onair") }
  }

  private var states: [Strips.Bar] {
    proposal.example.intervals.filter { $0.from < strips.end }.map { interval in
      Strips.Bar(
        span: interval.from..<max(interval.from, min(interval.to, strips.end)),
        style: interval.state.rawValue, label: interval.state.label)
    }
  }
}
