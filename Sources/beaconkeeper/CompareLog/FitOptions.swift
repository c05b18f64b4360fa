import ArgumentParser
import Core
import Phones

/// `compare-log --fit`: constants from logs, as a part of a configuration.
struct FitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the constants that the logs show, for `profiles:`; - is standard output.", valueName: "file"))
  var fit: String?
  @Option(help: ArgumentHelp("Write no constant with fewer observations.", valueName: "number"))
  var fitLeast = 5
  @Option(help: ArgumentHelp("The phone, for the source of what --fit writes.", valueName: "text"))
  var fitDevice: String?

  func check() throws {
    guard fitLeast >= 1 else { throw ValidationError("--fit-least \(fitLeast) is less than 1.") }
    if fitDevice != nil && fit == nil { throw ValidationError("--fit-device goes with --fit.") }
  }

  func write(_ observed: LogFit, profile: PhoneProfile) throws {
    guard let fit else { return }
    let rows = observed.rows.filter { $0.count >= fitLeast }
    for row in observed.rows where row.count < fitLeast && profile.told(row.rule) != nil {
      say(
        "\(row.rule): \(Amount.seconds(row.rounded)) from \(row.count), too few for --fit-least \(fitLeast)")
    }
    let os = Self.lines(rows, of: profile.os, "os", profile.os.name, device: fitDevice)
    let strategy = Self.lines(
      rows, of: profile.strategy, "strategies", profile.strategy.name, device: fitDevice)
    guard !(os + strategy).isEmpty else {
      throw failure("no constant has \(fitLeast) observations; --fit-least 1 writes each", .dataError)
    }
    let text = (["profiles:"] + os + strategy).joined(separator: "\n") + "\n"
    try ReportFile(path: fit).write(text)
  }

  private static func lines(
    _ rows: [LogFit.Row], of part: some RuledProfile, _ key: String, _ base: String, device: String?
  ) -> [String] {
    let rows = rows.filter { part.told($0.rule) != nil }
    guard !rows.isEmpty else { return [] }
    let head = ["  \(key):", "    - name: \(base)-seen", "      based_on: \(base)", "      set:"]
    return head
      + rows.map { row in
        let observed = "\(row.count) \(row.count == 1 ? "observation" : "observations")"
        var source =
          (row.isSpread
            ? observed
            : "median of \(observed), \(Amount.seconds(row.least)) to \(Amount.seconds(row.most))")
          + ", in \(row.logs) \(row.logs == 1 ? "log" : "logs")"
        if let device { source += " of \(device)" }
        // Many observations of one phone are still a single report.
        let confidence = row.logs >= 3 && row.count >= 20 ? Confidence.medium : .low
        var quoted = JSONWriter()
        quoted.value(source)
        let spread = row.spread
        let value =
          row.isSpread
          ? "values: \"\(spread.values)\", " + (spread.never.isEmpty ? "" : "never: \(spread.never), ")
            + "trials: \(spread.trials)"
          : "value: \(Amount.seconds(row.rounded))"
        return
          "        \(row.rule): { \(value), source: \(quoted.text), confidence: \(confidence.rawValue) }"
      }
  }
}
