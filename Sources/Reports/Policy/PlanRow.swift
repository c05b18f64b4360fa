import Phones

/// A row for each pair of system and strategy, on the terminal and on the page.
package struct PlanRow {
  let proposal: WakeProposal
  /// On the terminal: all systems with the same plan.
  let systems: String
  /// The id of its card on the page.
  let anchor: String

  static func all(_ proposals: [WakeProposal]) -> [PlanRow] {
    proposals.enumerated().map { PlanRow(proposal: $0.element, systems: "", anchor: "p\($0.offset + 1)") }
  }

  /// For a terminal: systems on which a strategy has the same result share a row, and the newest systems come first.
  package static func alike(_ proposals: [WakeProposal]) -> [PlanRow] {
    let names = SystemNames(proposals.map(\.profile))
    var groups: [(cells: [String], proposals: [WakeProposal])] = []
    for row in all(proposals) {
      let cells = table.cells(row)
      if let same = groups.firstIndex(where: { $0.cells == cells }) {
        groups[same].proposals.append(row.proposal)
      } else {
        groups.append((cells, [row.proposal]))
      }
    }
    return names.newestFirst(groups.map(\.proposals), \.profile).map { alike in
      PlanRow(proposal: alike[0], systems: names.words(alike.map(\.profile)), anchor: "")
    }
  }

  package static var table: Table<PlanRow> {
    Table([
      .init("Profile", on: .page) {
        $0.proposal.profile.name
      } write: { row, page in
        page.element("a", ["href": "#\(row.anchor)"], row.proposal.profile.name)
      },
      .init("OS", on: .terminal) { $0.systems },
      .init("Strategy", on: .terminal) { $0.proposal.profile.strategy.name },
      .init("Result", on: .page) {
        $0.word
      } write: {
        Outcome($0.proposal).write(into: &$1)
      },
      .init(
        "Plan", on: .terminal,
        meaning:
          "yes: no gaps; part: the best possible, with gaps; unneeded: works without; none: nothing helps"
      ) { $0.word },
      .number("Regions") { $0.proposal.plan.map { "\($0.regions)" } ?? "" },
      .number("Period") { $0.proposal.plan.map { Figures.time($0.period) } ?? "" },
      .number("On air", meaning: "time on air, all regions together, as a share of all time") {
        $0.proposal.plan.map { PlanWords.percent($0.airShare) } ?? ""
      },
      .number("Calls/min", meaning: "enters and exits that the app is notified of within reach") { row in
        row.proposal.plan.map { _ in Figures.number(row.proposal.cost.callbacksPerMinute, 1) } ?? ""
      },
      .number(
        "Cover",
        meaning:
          "share of an hour within reach, from its first window on, in which the app ranged; the least found"
      ) { PlanWords.percent($0.proposal.share) },
      .number("Gap", meaning: "the longest time in which the app did not range after its first window") {
        Figures.time($0.proposal.longestGap)
      },
      .number("First", meaning: "from coming within reach to the first window; the longest found") {
        $0.proposal.longestWait.map(Figures.time) ?? "never"
      },
      .number(
        "Battery", meaning: "drain of a day with one such hour, as a multiple of a phone that does not range"
      ) { Figures.factor($0.proposal.cost.batteryOfDay) },
      .init("Review", meaning: "how likely an app store refuses an app that is woken this often") {
        $0.proposal.reviewRisk.level.rawValue
      },
    ])
  }

  private var word: String {
    switch proposal.verdict {
    case .gapFree: "yes"
    case .needsNone: "unneeded"
    case .none: proposal.plan == nil ? "none" : "part"
    }
  }
}
