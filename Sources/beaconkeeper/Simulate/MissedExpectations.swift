import RangingPolicy

/// Says on standard error which expectations were not met, and what decided.
struct MissedExpectations {
  let book: ExpectationBook
  /// Whether --for can make a simulation longer.
  let takesSpan: Bool

  /// More are only counted.
  private static let toldLimit = 20

  func tell() {
    guard book.expectations > 0, book.missedCount > 0 else { return }
    let missed = book.checks.filter { $0.happened != nil }
    for check in missed.prefix(Self.toldLimit) {
      say("\(check.source): error: not met\(Self.subject(check))")
      say(check.message.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    }
    let rest = book.missedCount - min(missed.count, Self.toldLimit)
    if rest > 0 { say("and \(rest) more; --json and --junit list them") }
    if let needs = book.needs, takesSpan {
      let seconds = (needs + 999) / 1000
      say("  hint: --for \(seconds)s simulates that long")
    }
    say(
      "beaconkeeper: \(book.missedExpectations) of \(book.expectations) "
        + "\(book.expectations == 1 ? "expectation was" : "expectations were") not met "
        + "(\(book.missedCount) of \(book.count) \(book.count == 1 ? "check" : "checks"))")
  }

  /// ` by ios17 background-task on 50m@1m/s`.
  private static func subject(_ check: ExpectationBook.Check) -> String {
    guard let os = check.os, let strategy = check.strategy, let approach = check.approach else { return "" }
    let phone = check.phone.map { "phone \($0), " } ?? ""
    return " by \(phone)\(os) \(strategy) on \(approach)"
  }
}
