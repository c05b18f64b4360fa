import Pages
import RangingPolicy
import WakePlanner

/// The results of `plan` as one self-contained HTML page.
public struct PlanReport: Sendable {
  /// The question, as names and values, such as `speed`, `1m/s`.
  public var scenario: [(name: String, value: String)]
  public var proposals: [WakeProposal]
  /// The UUID of the regions; nil: the user has to choose one.
  public var uuid: String?
  public var version: String

  public init(
    scenario: [(name: String, value: String)], proposals: [WakeProposal], uuid: String? = nil, version: String
  ) {
    self.scenario = scenario
    self.proposals = proposals
    self.uuid = uuid
    self.version = version
  }

  public var html: String {
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
            PlanCard(proposal, uuid: uuid, id: "p\(index + 1)").write(into: &page)
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
        page.element("table", ["class": "wide"]) { page in
          page.element("caption", "A phone that stays within reach for an hour")
          page.rows(below: [
            "Profile", "Result", "Regions", "Period", "On air", "Callbacks", "Cover", "Gap", "First window",
            "Battery", "Review",
          ]) { page in
            for (index, proposal) in proposals.enumerated() { row(proposal, "p\(index + 1)", into: &page) }
          }
        }
      }
    }
  }

  private func row(_ proposal: WakeProposal, _ id: String, into page: inout Markup) {
    page.element("tr") { page in
      page.element("th", ["scope": "row"]) { page in
        page.element("a", ["href": "#\(id)"], proposal.profile.name)
      }
      page.element("td") { Outcome(proposal).write(into: &$0) }
      var cells: [String] = []
      if let plan = proposal.plan {
        cells = ["\(plan.regions)", Figures.time(plan.period), PlanWords.percent(plan.airShare)]
        cells.append("\(Figures.number(proposal.cost.callbacksPerMinute, 1))/min")
      } else {
        cells = ["", "", "", ""]
      }
      cells.append(PlanWords.percent(proposal.share))
      cells.append(Figures.time(proposal.longestGap))
      cells.append(proposal.longestWait.map(Figures.time) ?? "never")
      cells.append(Figures.factor(proposal.cost.batteryOfDay))
      for cell in cells { page.element("td", ["class": "number"], cell) }
      page.element("td", proposal.reviewRisk.level.rawValue)
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

  private static let words: [(name: String, words: String)] = [
    ("Cover", "share of the time from its first window on in which the app ranged: the least that was found"),
    ("Gap", "the longest time in which the app did not range after its first window"),
    ("First window", "the longest time from coming within reach until the app first ranged"),
    ("On air", "time on air added up over the regions, as a share of all time"),
    ("Callbacks", "enters and exits that the app is notified of while the phone is within reach"),
    (
      "Battery",
      "drain of a day with one visit of an hour, as a multiple of a phone that does not range"
    ),
    ("Review", "how likely an app store refuses an app with this strategy that is woken this often"),
    (
      "Entry latency, exit latency",
      "how long after a region comes on air, or leaves it, the phone may notify the app; it may do so at any time before that"
    ),
  ]

  private func writeLegend(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "legend", "class": "legend"]) { page in
      page.element("h2", ["id": "legend"], "What the words mean")
      page.element("dl") { $0.terms(Self.words + Legend.confidences) }
      page.element("p", Legend.sources)
    }
  }
}
