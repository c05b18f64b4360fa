import JSON
import RangingPolicy

/// Results of `simulate` for people: a line a profile, and below what the codes mean.
struct SimulationTable {
  private static let titles = [
    "OS", "STRATEGY", "FIRST", "WINDOW END", "AT", "NEAR", "OUTCOME", "LATE", "RANGING", "BATTERY", "RISK",
    "REVIEW",
  ]

  let text: String

  /// One approach.
  init(_ results: [Simulation], at instants: [Milliseconds] = []) {
    var table = TextTable(Self.titles)
    for result in results { table.add(Self.row(result)) }
    let reasons = results.map { ($0.profile.os.family, $0.outcome.map { [$0] } ?? []) }
    let columns = [
      ("FIRST", "the first region enter or ranging callback with the beacon in it"),
      (
        "WINDOW END, AT",
        "when the app could last run before the crossing, else next after it; how far away then"
      ),
      ("NEAR", "when the near threshold was crossed; LATE: how long after that the app saw it"),
    ]
    text = table.text + Self.instants(instants, of: results) + "\n\n" + Self.legend(columns, reasons)
  }

  /// Several approaches.
  init(_ tallies: [Tally]) {
    let hasPhones = tallies.contains { $0.phone != nil }
    var table = TextTable(
      (hasPhones ? ["PHONE"] : []) + [
        "OS", "STRATEGY", "DELIVERED", "IN TIME", "LATE", "MISSED", "RANGING", "BATTERY", "MISSED BECAUSE",
      ])
    for tally in tallies {
      let reasons = tally.reasons.map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
      table.add(
        (hasPhones ? [tally.phone ?? ""] : []) + [
          tally.profile.os.name, tally.profile.strategy.name, Self.percent(tally.share), "\(tally.delivered)",
          "\(tally.late)", "\(tally.missedCount)", Self.seconds(tally.ranging),
          "x" + decimal(tally.batteryFactor, decimals: 2), reasons,
        ])
    }
    let columns = [
      ("DELIVERED", "share of the near triggers that the app saw, in time or late"),
      ("IN TIME", "less than a second after the crossing"),
    ]
    text = table.text + "\n\n" + Self.legend(columns, tallies.map(Self.misses))
  }

  /// The strategies of each system, best first.
  init(_ comparisons: [Comparison], visitsPerDay: Int) {
    var parts: [String] = []
    for comparison in comparisons {
      var table = TextTable([
        "", "STRATEGY", "DELIVERED", "WORST", "BEST", "LATE", "MISSED", "BATTERY", "REVIEW", "PERMISSION",
        "FRONT", "MISSED BECAUSE",
      ])
      for (index, entry) in comparison.entries.enumerated() {
        let tally = entry.tally
        let reasons = tally.reasons.map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
        table.add([
          "\(index + 1)", tally.profile.strategy.name, Self.percent(tally.meanShare),
          Self.percent(tally.worstShare), Self.percent(tally.bestShare), "\(tally.late)",
          "\(tally.missedCount)", "x" + decimal(tally.batteryFactor, decimals: 4),
          tally.profile.strategy.reviewRisk.value.rawValue, tally.profile.strategy.permissionAsked,
          entry.isOnFront ? "*" : "", reasons,
        ])
      }
      parts.append(comparison.systems.map(\.name).joined(separator: ", ") + "\n" + table.text)
    }
    let visits = visitsPerDay == 1 ? "one such approach" : "\(visitsPerDay) such approaches"
    let phones = comparisons.lazy.flatMap(\.entries).map { $0.tally.spread.map(\.phone) }.max {
      $0.count < $1.count
    }
    let columns = [
      (
        "DELIVERED",
        "share of the near triggers that the app saw, in time or late: the mean over phones that differ"
      ),
      ("WORST, BEST", "of these phones: " + (phones ?? []).joined(separator: ", ")),
      ("LATE, MISSED", "on the typical phone"),
      ("REVIEW", "how likely an app store refuses the strategy"),
      ("PERMISSION", "what the app asks the user for"),
      (
        "BATTERY",
        "drain of a day with \(visits), otherwise out of range; 2 means twice as fast as without ranging"
      ),
      ("FRONT", "* no other strategy of this system delivers as much for less, or more for as little"),
    ]
    let reasons = comparisons.flatMap { $0.entries.map { Self.misses($0.tally) } }
    text = parts.joined(separator: "\n\n") + "\n\n" + Self.legend(columns, reasons, battery: false)
  }

  /// A line for each instant and profile.
  private static func instants(_ instants: [Milliseconds], of results: [Simulation]) -> String {
    guard !instants.isEmpty else { return "" }
    var table = TextTable([
      "AT", "OS", "STRATEGY", "STATE", "BACKGROUND TIME REMAINING", "DISTANCE", "WHY NOT RANGING",
    ])
    for time in instants {
      for result in results {
        let window = result.window(at: time)
        table.add([
          seconds(time), result.profile.os.name, result.profile.strategy.name, window?.state.rawValue ?? "",
          window.map { $0.remaining(at: time).map(seconds) ?? "unlimited" } ?? "",
          result.timeline.distance(at: time).map { decimal($0, decimals: 1) + " m" } ?? "",
          window?.why?.rawValue ?? "",
        ])
      }
    }
    return "\n\n" + table.text
  }

  private static func row(_ result: Simulation) -> [String] {
    let verdict = result.verdicts.first
    let closing = result.closing
    let distance = closing.flatMap { result.timeline.distance(at: $0.time) }
    let neverRanged = result.totals.ranging == 0
    return [
      result.profile.os.name, result.profile.strategy.name,
      result.totals.detected.map(seconds) ?? "never",
      closing.map { seconds($0.time) } ?? (neverRanged ? "none" : "open"),
      distance.map { decimal($0, decimals: 1) + " m" } ?? "",
      verdict.map { seconds($0.crossed) } ?? "never",
      result.outcome?.rawValue ?? "",
      verdict?.lateness.map(seconds) ?? "",
      seconds(result.totals.ranging),
      "x" + decimal(result.batteryFactor, decimals: 2),
      result.profile.strategy.risk.value.rawValue, result.profile.strategy.reviewRisk.value.rawValue,
    ]
  }

  private static func misses(_ tally: Tally) -> (OSProfile.Family, [Reason]) {
    (tally.profile.os.family, Array(tally.missed.keys))
  }

  /// What the columns and those codes mean that occur, in the words of the platforms that they occur on.
  private static func legend(
    _ columns: [(String, String)], _ reasons: [(OSProfile.Family, [Reason])], battery: Bool = true
  ) -> String {
    var found: [Reason: Set<OSProfile.Family>] = [:]
    for (family, reasons) in reasons {
      for reason in reasons { found[reason, default: []].insert(family) }
    }
    var lines = columns
    if battery {
      lines.append(
        (
          "BATTERY",
          "drain over the time followed, as a multiple of a phone that neither ranges nor locates; --compare takes a whole day"
        ))
      lines.append(("RISK, REVIEW", "how easily the strategy breaks; how likely an app store refuses it"))
    }
    lines += Reason.allCases.compactMap { reason in
      found[reason].map { (reason.rawValue, reason.explanation(on: $0)) }
    }
    if !columns.contains(where: { $0.0 == "FIRST" }) { lines.removeAll { $0.0 == "RISK, REVIEW" } }
    return TextTable.list(lines)
  }

  private static func percent(_ share: Double?) -> String {
    share.map { decimal($0 * 100, decimals: 1) + " %" } ?? "none"
  }

  private static func seconds(_ time: Milliseconds) -> String {
    decimal(Double(time) / 1000, decimals: 1) + " s"
  }
}
