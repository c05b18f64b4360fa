import Core
import Phones
import Reports

/// A plan as text: the rotation, its timeline, and the proof.
struct PlanText {
  let text: String

  init(_ proposal: WakeProposal, uuid: String?) {
    let words = PlanWords(proposal, uuid: uuid)
    var lines = [Self.headline(proposal)]
    if proposal.plan != nil { lines += [words.rotation] }
    if let plan = proposal.plan { lines += ["", PlanTimeline(proposal, plan).text] }
    let constants = proposal.decidingConstants.enumerated().map { index, constant in
      let origin = "\(constant.source.inWords); \(constant.confidence.inWords)"
      return (name: index == 0 ? "Rests on" : "", words: "\(constant.name) \(constant.value) (\(origin))")
    }
    lines += ["", [[String]](terms: words.summary + constants).text]
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

/// Plans for several pairs of system and strategy, a line for each. Systems with the same result share a line.
struct PlanTable {
  let text: String

  init(_ proposals: [WakeProposal]) {
    let table = PlanRow.table
    var reasons: [String] = []
    for why in proposals.compactMap(\.why) where !reasons.contains(why) { reasons.append(why) }
    text =
      table.text(PlanRow.alike(proposals)) + "\n\n" + [[String]](terms: table.legend).text
      + (reasons.isEmpty ? "" : "\n\nWhere there is none, or none is needed:\n")
      + reasons.map { "  \($0)" }.joined(separator: "\n")
  }
}

extension Table {
  /// The meaning of the titles on the terminal.
  var legend: [(name: String, words: String)] {
    meanings(on: .terminal).map { ($0.name.uppercased(), $0.words) }
  }
}

/// Two rounds of a plan in characters, for a phone that arrives at the start and is notified as late as possible.
struct PlanTimeline {
  let text: String

  private static let columns: Milliseconds = 60

  init(_ proposal: WakeProposal, _ plan: WakePlan) {
    let span = 2 * plan.period
    // Whole seconds a column.
    let step = max(1000, (span / Self.columns + 999) / 1000 * 1000)
    let columns = stride(from: 0, to: span, by: Int64.Stride(step)).map { $0..<min(span, $0 + step) }
    var rows: [(name: String, words: String)] = [("", Self.clock(columns))]
    for region in 0..<plan.regions {
      rows.append(
        ("region \(region + 1)", String(columns.map { Self.isOnAir(region, plan, $0) ? "#" : "." })))
    }
    let calls = proposal.example.callbacks
    let told = columns.map { column -> Character in
      let inside = calls.filter { column.contains($0.time) }
      if inside.isEmpty { return " " }
      if inside.allSatisfy(\.isEnter) { return "^" }
      return inside.contains(where: \.isEnter) ? "x" : "v"
    }
    rows.append(("notified", String(told)))
    let ranging = proposal.example.intervals.filter { $0.state == .ranging }
    let app = columns.map { column -> Character in
      let listened = ranging.reduce(Milliseconds(0)) {
        $0 + max(0, min($1.to, column.upperBound) - max($1.from, column.lowerBound))
      }
      return listened >= column.upperBound - column.lowerBound ? "=" : listened > 0 ? "-" : "."
    }
    rows.append(("app", String(app)))
    text =
      [[String]](terms: rows).text
      + "\n  # on air   ^ enter, v exit, x both   = ranging, - partly, . not;   a column is "
      + Amount.seconds(step)
  }

  /// A label every ten columns.
  private static func clock(_ columns: [Range<Milliseconds>]) -> String {
    var line = ""
    for (index, column) in columns.enumerated() where index % 10 == 0 {
      let label = Amount.seconds(column.lowerBound)
      guard index + label.count <= columns.count + 4 else { break }
      line += String(repeating: " ", count: max(0, index - line.count)) + label
    }
    return line
  }

  private static func isOnAir(_ region: Int, _ plan: WakePlan, _ column: Range<Milliseconds>) -> Bool {
    var time = column.lowerBound
    while time < column.upperBound {
      let onAir = plan.onAir(at: time)
      if onAir.regions.contains(region) { return true }
      guard let until = onAir.until else { return false }
      time = until
    }
    return false
  }
}
