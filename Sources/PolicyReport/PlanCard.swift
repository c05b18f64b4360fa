import Pages
import RangingPolicy
import WakePlanner

/// One profile's plan: the drawing, how well it worked in simulation, its cost and the constants that decide it.
struct PlanCard {
  let proposal: WakeProposal
  let uuid: String?
  let id: String

  init(_ proposal: WakeProposal, uuid: String?, id: String) {
    self.proposal = proposal
    self.uuid = uuid
    self.id = id
  }

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
    ConstantsTable(constants, caption: "This plan hangs on").write(into: &page)
  }
}
