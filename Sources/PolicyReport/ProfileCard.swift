import RangingPolicy

/// One profile on one approach: the drawing, the events as text, and the constants that decide the outcome.
struct ProfileCard {
  let example: Report.Example
  let id: String
  let namesApproach: Bool

  init(_ example: Report.Example, id: String, namesApproach: Bool) {
    self.example = example
    self.id = id
    self.namesApproach = namesApproach
  }

  private var result: Simulation { example.result }

  func write(into page: inout Markup) {
    page.element("article", ["id": id, "aria-labelledby": "\(id)-h"]) { page in
      page.element("h3", ["id": "\(id)-h"]) { page in
        page.say((example.phone.map { "\($0): " } ?? "") + result.profile.name + " ")
        Outcome(result).write(into: &page)
      }
      page.element("p", ["class": "what"]) { page in
        page.say("\(result.profile.os.summary). \(result.profile.strategy.summary).")
        if namesApproach {
          page.element("br")
          page.say("Approach: \(example.approach.name).")
        }
      }
      page.element("figure") { page in
        TimelineChart(result, near: example.approach.near, id: id).write(into: &page)
        page.element("figcaption") { page in
          page.say(Account(result).verdict + " ")
          if let outcome = result.outcome, !outcome.isDelivered { page.element("code", outcome.rawValue) }
        }
      }
      writeConstants(into: &page)
      writeDetails(into: &page)
    }
  }

  private func writeConstants(into page: inout Markup) {
    let constants = result.decidingConstants
    guard !constants.isEmpty else { return }
    ConstantsTable(constants, caption: "This verdict hangs on").write(into: &page)
  }

  /// Further rows are only in the JSON output.
  private static let rowLimit = 40

  private func writeDetails(into page: inout Markup) {
    page.element("details") { page in
      page.element("summary", "States and evidence")
      page.element("table", ["class": "states"]) { page in
        page.element("caption", "States")
        page.element("tbody") { page in
          for interval in result.intervals.prefix(Self.rowLimit) {
            page.element("tr") { page in
              page.element("td", ["class": "number"], Figures.time(interval.from))
              page.element("td", ["class": "number"], Figures.time(interval.to))
              page.element("td", interval.state.words)
            }
          }
        }
      }
      if result.intervals.count > Self.rowLimit {
        page.element("p", ["class": "note"], "and \(result.intervals.count - Self.rowLimit) more")
      }
      let evidence = result.verdicts.first?.evidence ?? []
      if !evidence.isEmpty {
        page.element("p", "What led to the verdict:")
        page.element("ul") { page in
          for fact in evidence { page.element("li", "\(Figures.time(fact.time)) – \(fact.what.rawValue)") }
        }
      }
      let strategy = result.profile.strategy
      page.element("p", "Risk \(strategy.risk.value.rawValue): \(strategy.risk.source).")
      page.element("p", "App review \(strategy.reviewRisk.value.rawValue): \(strategy.reviewRisk.source).")
    }
  }
}
