import RangingPolicy
import WakePlanner

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
      TextTable.list(rows)
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
