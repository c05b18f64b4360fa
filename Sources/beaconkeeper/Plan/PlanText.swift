import JSON
import RangingPolicy
import WakePlanner

/// A plan as text: the rotation, its timeline, and the proof.
struct PlanText {
  let text: String

  init(_ proposal: WakeProposal, uuid: String?) {
    let words = PlanWords(proposal, uuid: uuid)
    var lines = [Self.headline(proposal)]
    if proposal.plan != nil { lines += [words.rotation] }
    if let plan = proposal.plan { lines += ["", PlanTimeline(proposal, plan).text] }
    let constants = proposal.decidingConstants.enumerated().map { index, constant in
      let source = PolicySource.inWords(constant.source)
      return (
        name: index == 0 ? "Rests on" : "",
        words: "\(constant.name) \(constant.value) (\(source); \(constant.confidence.inWords))"
      )
    }
    lines += ["", TextTable.list(words.summary + constants)]
    if let plan = proposal.plan, proposal.verdict == .gapFree {
      lines += ["", "For a gateway to broadcast it, in its configuration:", Self.configuration(plan, uuid)]
    }
    text = lines.joined(separator: "\n")
  }

  private static func headline(_ proposal: WakeProposal) -> String {
    let name = "\(proposal.profile.os.name), \(proposal.profile.strategy.name)"
    let why = proposal.why.map { ": \($0)" } ?? ""
    switch proposal.verdict {
    case .gapFree:
      let regions = proposal.plan?.regions ?? 0
      return "\(name): \(regions == 1 ? "one region keeps" : "\(regions) regions keep") the app listening."
    case .needsNone: return "\(name): no wake regions are needed\(why)."
    case .none where proposal.plan == nil: return "\(name): wake regions do not help\(why)."
    case .none: return "\(name): no rotation keeps the app listening all the time\(why). The best one found:"
    }
  }

  private static func configuration(_ plan: WakePlan, _ uuid: String?) -> String {
    var lines = [
      "  wake:", "    uuid: \(uuid ?? "00000000-0000-0000-0000-000000000000   # one of your own")",
      "    period: \(Amount.seconds(plan.period))", "    broadcasts:",
    ]
    for broadcast in plan.broadcasts {
      lines.append(
        "      - { region: \(broadcast.region + 1), start: \(Amount.seconds(broadcast.start)), duration: "
          + "\(Amount.seconds(broadcast.duration)) }")
    }
    return lines.joined(separator: "\n")
  }
}

/// Plans for several pairs: a line each.
struct PlanTable {
  let text: String

  init(_ proposals: [WakeProposal]) {
    var table = TextTable([
      "OS", "STRATEGY", "PLAN", "REGIONS", "PERIOD", "ON AIR", "CALLS/MIN", "COVER", "GAP", "FIRST",
      "BATTERY",
      "REVIEW",
    ])
    for proposal in proposals { table.add(Self.row(proposal)) }
    var reasons: [String] = []
    for why in proposals.compactMap(\.why) where !reasons.contains(why) { reasons.append(why) }
    let legend = [
      (
        "PLAN",
        "yes: no gaps; part: the best possible, with gaps; unneeded: works without; none: nothing helps"
      ),
      ("ON AIR", "time on air, all regions together, as a share of all time"),
      ("CALLS/MIN", "region enters and exits delivered to the app within reach"),
      (
        "COVER, GAP",
        "listening share of an hour within reach, from the first window on; the worst case found"
      ),
      ("FIRST", "from coming within reach to the first window; the longest found"),
      ("BATTERY", "drain of a day with one such hour, as a multiple of a phone that does not range"),
      ("REVIEW", "how likely an app store refuses an app that is woken this often"),
    ]
    text =
      table.text + "\n\n" + TextTable.list(legend)
      + (reasons.isEmpty ? "" : "\n\nWhere there is none, or none is needed:\n")
      + reasons.map { "  \($0)" }.joined(separator: "\n")
  }

  private static func row(_ proposal: WakeProposal) -> [String] {
    let plan = proposal.plan
    let word =
      switch proposal.verdict {
      case .gapFree: "yes"
      case .needsNone: "unneeded"
      case .none: plan == nil ? "none" : "part"
      }
    var cells = [proposal.profile.os.name, proposal.profile.strategy.name, word]
    if let plan {
      cells += ["\(plan.regions)", Amount.seconds(plan.period), PlanWords.percent(plan.airShare)]
      cells.append(decimal(proposal.cost.callbacksPerMinute, decimals: 1))
    } else {
      cells += ["", "", "", ""]
    }
    cells.append(PlanWords.percent(proposal.share))
    cells.append(Amount.seconds(proposal.longestGap))
    cells.append(proposal.longestWait.map(Amount.seconds) ?? "never")
    cells.append("x" + decimal(proposal.cost.batteryOfDay, decimals: 2))
    return cells + [proposal.reviewRisk.level.rawValue]
  }
}
