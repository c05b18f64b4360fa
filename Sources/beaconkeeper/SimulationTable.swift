import RangingPolicy

/// Results of `simulate` for people: a line a profile.
struct SimulationTable {
  private static let titles = [
    "OS", "STRATEGY", "FIRST", "WINDOW END", "AT", "NEAR", "OUTCOME", "LATE", "RANGING", "BATTERY", "RISK",
    "REVIEW",
  ]

  let text: String

  init(_ results: [Simulation]) {
    let rows = [Self.titles] + results.map(Self.row)
    let widths = Self.titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    text = lines.joined(separator: "\n")
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
      distance.map { rounded($0, 1) + " m" } ?? "",
      verdict.map { seconds($0.crossed) } ?? "never",
      result.outcome?.rawValue ?? "",
      verdict?.lateness.map(seconds) ?? "",
      seconds(result.totals.ranging),
      "x" + rounded(result.batteryFactor, 2),
      result.profile.strategy.risk.value.rawValue, result.profile.strategy.reviewRisk.value.rawValue,
    ]
  }

  private static func seconds(_ time: Milliseconds) -> String { rounded(Double(time) / 1000, 1) + " s" }

  private static func rounded(_ number: Double, _ digits: Int) -> String {
    let scale = digits == 1 ? 10.0 : 100.0
    let value = (number * scale).rounded() / scale
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
