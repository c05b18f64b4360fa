import Core
import Phones

/// The result of `compare-log` for people and as JSON.
struct LogAccount {
  let blames: [LogBlame]
  let paths: [String]
  /// What the logs say about the constants.
  let fit: [LogFit.Row]
  let profile: PhoneProfile
  /// The time of the recording's zero, in milliseconds since 1970.
  let begin: Milliseconds?

  var text: String {
    var parts = zip(blames, paths).map { text(of: $0, path: $1) }
    let rows = fit.filter { profile.told($0.rule) != nil }
    if !rows.isEmpty { parts.append("WHAT THE LOG SAYS ABOUT THE CONSTANTS\n\n" + Self.table(rows, profile)) }
    return parts.joined(separator: "\n\n")
  }

  private func text(of blame: LogBlame, path: String) -> String {
    let comparison = blame.comparison
    let subject = "\(profile.os.name) \(profile.strategy.name)"
    var lines = [clock(comparison)].compactMap(\.self)
    if comparison.uncomparedNears > 0 {
      lines.append(
        "near was not compared: nothing says where the beacon was; give --timeline or --capture")
    }
    let causes = blame.causes
    guard let first = causes.first else {
      lines.append(
        comparison.compared == 0
          ? "nothing in \(path) could be compared with \(subject)"
          : "\(path) agrees with \(subject): \(comparison.compared) statements compared")
      return lines.joined(separator: "\n")
    }
    let count = causes.count == 1 ? "one divergence" : "\(causes.count) divergences"
    lines.append("\(path) and \(subject): \(count), \(comparison.compared) statements compared")
    lines += ["", "FIRST DIVERGENCE"] + told(first, comparison)
    if causes.count > 1 { lines += ["", "THE OTHERS"] }
    for cause in causes.dropFirst() { lines += told(cause, comparison) }
    return lines.joined(separator: "\n")
  }

  private func told(_ cause: LogBlame.Cause, _ comparison: LogComparison) -> [String] {
    let divergence = cause.divergence
    let time = Self.calendar(divergence.time, in: comparison)
    let row =
      divergence.count > 1
      ? ", and \(divergence.count - 1) more until \(Amount.seconds(divergence.until))" : ""
    var lines = [
      "at \(Amount.seconds(divergence.time)) (\(time) in the log)\(row)",
      "  predicted   \(divergence.predicted)", "  seen        \(divergence.seen)",
    ]
    if let reason = divergence.reason {
      // Only the rule is named: the prediction may be that it does not hold.
      lines.append("  rule        \(reason.rawValue) (whether \(reason.words))")
    }
    for constant in profile.constants(divergence.constants) {
      let seen = fit.first { $0.rule == constant.name }.map { "; seen: \(Self.words($0))" } ?? ""
      lines.append(
        "  constant    \(constant.name) = \(constant.value), \(constant.confidence.inWords) (\(constant.source.inWords))\(seen)"
      )
    }
    if cause.followers > 0 {
      let values = cause.corrected.map { "\($0.rule) = \(Amount.seconds($0.rounded))" }
      let count = "\(cause.followers) more \(cause.followers == 1 ? "divergence" : "divergences")"
      lines.append(
        "  explains    \(count), gone with "
          + (values.isEmpty ? "the log's own region events" : values.joined(separator: ", ")))
    }
    return lines
  }

  /// How far the clocks are apart.
  private func clock(_ comparison: LogComparison) -> String? {
    guard let alignment = comparison.alignment else { return nil }
    let rests =
      "from \(alignment.matches) \(alignment.matches == 1 ? "event" : "events"), ± \(Amount.seconds(alignment.spread))"
    guard let begin else {
      return "zero of the timeline is \(Self.calendar(0, in: comparison)) in the log (\(rests))"
    }
    let ahead = alignment.offset - begin
    return
      "the log's clock is \(Amount.seconds(abs(ahead))) \(ahead < 0 ? "behind" : "ahead of") the gateway's (\(rests))"
  }

  private static func table(_ rows: [LogFit.Row], _ profile: PhoneProfile) -> String {
    var table = [["NAME", "PROFILE", "SEEN", "FROM", "TO", "OBSERVATIONS"]]
    for row in rows {
      table.append([
        row.rule, profile.told(row.rule)?.value ?? "", Amount.seconds(row.rounded), Amount.seconds(row.least),
        Amount.seconds(row.most), String(row.count),
      ])
    }
    return table.text
  }

  private static func words(_ row: LogFit.Row) -> String {
    "\(Amount.seconds(row.rounded)) (\(row.count) \(row.count == 1 ? "observation" : "observations")"
      + (row.never > 0 ? ", \(row.never) without)" : ")")
  }

  /// A time of the timeline as the log would write it: in UTC, or in the log's own zone if the log names none; without the year
  /// if that is unknown.
  private static func calendar(_ time: Milliseconds, in comparison: LogComparison) -> String {
    let time = WallTime(nanoseconds: comparison.logTime(time).multipliedSaturating(by: 1_000_000))
    return String(time.rfc3339.dropFirst(comparison.namesYear ? 0 : 5).dropLast())
  }

  private static func seconds(_ time: Milliseconds) -> Double { Double(time) / 1000 }

  var json: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("version", 1)
      json.field("kind", "log-comparison")
      json.field("os", profile.os.name)
      json.field("strategy", profile.strategy.name)
      json.objects("logs", Array(zip(paths, blames))) { json, log in
        write(log.1, path: log.0, to: &json)
      }
      json.objects("constants", fit.filter { profile.told($0.rule) != nil }) { json, row in
        json.field("name", row.rule)
        json.field("profile", profile.told(row.rule)?.value ?? "")
        json.field("seen_s", Self.seconds(row.rounded), decimals: 3)
        json.field("least_s", Self.seconds(row.least), decimals: 3)
        json.field("most_s", Self.seconds(row.most), decimals: 3)
        json.field("observations", row.count)
        if row.never > 0 { json.field("never", row.never) }
      }
    }
    return writer.text
  }

  private func write(_ blame: LogBlame, path: String, to json: inout JSONWriter) {
    let comparison = blame.comparison
    json.field("log", path)
    json.field("begin", Self.calendar(0, in: comparison))
    if let alignment = comparison.alignment {
      if let begin { json.field("clock_ahead_s", Self.seconds(alignment.offset - begin), decimals: 3) }
      json.field("clock_spread_s", Self.seconds(alignment.spread), decimals: 3)
      json.field("clock_events", alignment.matches)
    }
    json.field("compared", comparison.compared)
    json.objects("divergences", blame.causes) { json, cause in
      let divergence = cause.divergence
      json.field("kind", divergence.kind.rawValue)
      json.field("t", Self.seconds(divergence.time), decimals: 3)
      json.field("time", Self.calendar(divergence.time, in: comparison))
      json.field("until", Self.seconds(divergence.until), decimals: 3)
      json.field("count", divergence.count)
      json.field("predicted", divergence.predicted)
      json.field("seen", divergence.seen)
      if let reason = divergence.reason { json.field("reason", reason.rawValue) }
      json.field("explains", cause.followers)
      json.objects("constants", profile.constants(divergence.constants)) { json, constant in
        json.field("name", constant.name)
        json.field("value", constant.value)
        json.field("confidence", constant.confidence.rawValue)
        json.field("source", constant.source.inWords)
      }
    }
  }
}
