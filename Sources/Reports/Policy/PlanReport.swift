import Phones

/// The results of `plan` as one self-contained HTML page.
package struct PlanReport: Sendable {
  /// The question, as names and values, such as `speed`, `1m/s`.
  package var scenario: [(name: String, value: String)]
  package var proposals: [WakeProposal]
  /// The UUID of the regions; nil: the user has to choose one.
  package var uuid: String?
  package var version: String

  package init(
    scenario: [(name: String, value: String)], proposals: [WakeProposal], uuid: String? = nil, version: String
  ) {
    self.scenario = scenario
    self.proposals = proposals
    self.uuid = uuid
    self.version = version
  }

  package var html: String {
    Page(title: title, version: version, sheet: Style.sheet, caution: Page.simulated).html { page in
      page.element("header") { page in
        page.element("h1", title)
        page.element(
          "p",
          "Each time that a phone enters or leaves a beacon region, its app may range for a while. A gateway that "
            + "broadcasts regions in turns can renew that time again and again, so that the app listens as long as the "
            + "phone is within reach.")
        Page.scenario(scenario, into: &page)
      }
      writeSummary(into: &page)
      page.element("section", ["aria-labelledby": "plans"]) { page in
        page.element("h2", ["id": "plans"], "Plans")
        writeKey(into: &page)
        page.element("div", ["class": "cards"]) { page in
          for (index, proposal) in proposals.enumerated() {
            PlanCard(proposal: proposal, uuid: uuid, id: "p\(index + 1)").write(into: &page)
          }
        }
      }
      writeLegend(into: &page)
    }
  }

  private var title: String { "Which wake regions keep the app listening?" }

  private func writeSummary(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "summary"]) { page in
      page.element("h2", ["id": "summary"], "Summary")
      page.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-labelledby": "summary"]
      ) { page in
        page.element("table", ["class": "wide stack"]) { page in
          page.element("caption", "A phone that stays within reach for an hour")
          PlanRow.table.write(PlanRow.all(proposals), into: &page)
        }
      }
    }
  }

  private func writeKey(into page: inout Markup) {
    page.element("ul", ["class": "key", "aria-label": "Key to the drawings"]) { page in
      page.swatch("onair", "a region is on air")
      page.element("li", "▲ the app is notified of an enter; ▼ of an exit")
      for state in [Window.State.ranging, .suspended] { page.swatch(state.rawValue, state.words) }
      page.element("li", "dashed upright line: the phone has walked up to the gateway")
    }
  }

  private static let latencies = (
    name: "Entry latency, exit latency",
    words:
      "how long after a region comes on air, or leaves it, the phone may notify the app; it may do so at any time before that"
  )

  private func writeLegend(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "legend", "class": "legend"]) { page in
      page.element("h2", ["id": "legend"], "What the words mean")
      page.element("dl") {
        $0.terms(PlanRow.table.meanings(on: .page) + [Self.latencies] + Legend.confidences)
      }
      page.element("p", Legend.sources)
    }
  }
}

/// One profile's plan: the drawing, how well it worked in simulation, its cost and the constants that decide it.
struct PlanCard {
  let proposal: WakeProposal
  let uuid: String?
  let id: String

  func write(into page: inout Markup) {
    let profile = proposal.profile
    page.element("article", ["id": id, "aria-labelledby": "\(id)-h"]) { page in
      page.element("h3", ["id": "\(id)-h"]) { page in
        page.say(profile.name + " ")
        Outcome(proposal).write(into: &page)
      }
      page.element("p", ["class": "what"], "\(profile.os.summary). \(profile.strategy.summary).")
      if let why = proposal.why { page.element("p", why.prefix(1).uppercased() + why.dropFirst() + ".") }
      if let plan = proposal.plan {
        page.element("figure") { page in
          RotationChart(proposal, plan, id: id).write(into: &page)
          page.element("figcaption", PlanWords(proposal, uuid: uuid).rotation)
        }
      }
      page.element("table", ["class": "constants figures"]) { page in
        page.element("caption", "In figures")
        page.element("tbody") { page in
          for (name, words) in PlanWords(proposal, uuid: uuid).summary {
            page.element("tr") { page in
              page.element("th", ["scope": "row"], name)
              page.element("td", words)
            }
          }
        }
      }
      writeConstants(into: &page)
    }
  }

  private func writeConstants(into page: inout Markup) {
    let constants = proposal.decidingConstants
    guard !constants.isEmpty else { return }
    ConstantsTable(constants: constants, caption: "This plan hangs on").write(into: &page)
  }
}
