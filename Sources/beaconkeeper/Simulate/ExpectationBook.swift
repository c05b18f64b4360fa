import Phones
import Reports

/// Checks every result against the expectations. Its size is bounded: it keeps the first checks that were met and those that
/// were not, and counts all.
struct ExpectationBook {
  /// One expectation of one result.
  struct Check {
    var expectation: String
    var source: String
    /// nil: the expectation applied to no result.
    var os: String?
    var strategy: String?
    var phone: String?
    var approach: String?
    /// One line; nil: it was met.
    var happened: String?
    /// Several lines; empty if it was met.
    var message = ""
    /// The phone never came near, and nothing was expected.
    var isSkipped = false
  }

  private let asked: [AskedExpectation]
  private let systems: Set<String>
  /// Without expectations: whether each near trigger is checked for its delivery.
  private let checksTriggers: Bool
  private(set) var checks: [Check] = []
  private(set) var count = 0
  private(set) var missedCount = 0
  /// By index in `asked`.
  private var applications: [Int]
  private var misses: [Int]
  private var keptMet = 0
  /// The length that a simulation would need to reach all expectations.
  private(set) var needs: Milliseconds?

  private static let metLimit = 9000
  private static let missLimit = 1000

  init(_ asked: [AskedExpectation] = [], systems: Set<String> = [], checksTriggers: Bool = false) {
    self.asked = asked
    self.systems = systems
    self.checksTriggers = checksTriggers && asked.isEmpty
    applications = asked.map { _ in 0 }
    misses = applications
  }

  var leftOut: Int { count - checks.count }
  var expectations: Int { asked.count }
  var missedExpectations: Int { misses.count { $0 > 0 } }

  mutating func hold(_ result: Simulation, of phone: String?, on approach: String) {
    for (place, asked) in asked.enumerated()
    where asked.scoped.applies(to: result.profile, of: phone, on: approach, among: systems) {
      applications[place] += 1
      let expectation = asked.scoped.expectation
      let miss = expectation.miss(in: result)
      if miss != nil { misses[place] += 1 }
      if let time = miss?.needs { needs = max(needs ?? 0, time) }
      add(check("\(expectation)", asked.source, result, phone, approach, miss))
    }
    guard checksTriggers else { return }
    for number in result.verdicts.indices {
      let expectation = Simulation.Expectation(.delivered, ofNear: number + 1)
      add(check("\(expectation)", "", result, phone, approach, expectation.miss(in: result)))
    }
    if result.verdicts.isEmpty {
      var check = check("delivered", "", result, phone, approach, nil)
      check.isSkipped = true
      add(check)
    }
  }

  private func check(
    _ expectation: String, _ source: String, _ result: Simulation, _ phone: String?, _ approach: String,
    _ miss: ExpectationMiss?
  ) -> Check {
    Check(
      expectation: expectation, source: source, os: result.profile.os.name,
      strategy: result.profile.strategy.name, phone: phone, approach: approach, happened: miss?.happened,
      message: miss.map { "\($0)" } ?? "")
  }

  private mutating func add(_ check: Check) {
    count += 1
    if check.happened != nil {
      if missedCount < Self.missLimit { checks.append(check) }
      missedCount += 1
    } else if keptMet < Self.metLimit {
      checks.append(check)
      keptMet += 1
    }
  }

  /// Adds expectations that applied to no result as missed: a misspelt name must not pass. Call it once, at the end.
  ///
  /// - Parameter simulated: the result, in words.
  mutating func finish(simulated: String) {
    for (place, asked) in asked.enumerated() where applications[place] == 0 {
      misses[place] = 1
      let happened = "it applied to nothing that was simulated"
      let scoped = asked.scoped
      let scope = scoped.scope.isEmpty ? "" : " (\(scoped.scope))"
      add(
        Check(
          expectation: "\(scoped.expectation)", source: asked.source, os: scoped.os,
          strategy: scoped.strategy,
          phone: scoped.phone, approach: scoped.approach, happened: happened,
          message: "expected: \(scoped.expectation)\(scope)\nhappened: \(happened)\nsimulated: \(simulated)"))
    }
  }
}

extension JUnitReport {
  /// A test case for each check.
  init(_ book: ExpectationBook) {
    self.init(
      cases: book.checks.map { check in
        var name = check.expectation
        if let phone = check.phone { name += ", phone \(phone)" }
        if let approach = check.approach { name += ", \(approach)" }
        let outcome: Case.Outcome
        if check.isSkipped {
          outcome = .skipped("the phone never came near")
        } else if let happened = check.happened {
          outcome = .failed(
            happened, text: check.source.isEmpty ? check.message : "\(check.source)\n\(check.message)")
        } else {
          outcome = .passed
        }
        return Case(
          name: name, className: "\(check.os ?? "any").\(check.strategy ?? "any")", outcome: outcome)
      }, leftOut: book.leftOut)
  }
}

extension ExpectationBook {
  /// Further ones are only counted.
  private static let toldLimit = 20

  /// Prints to standard error which expectations were not met, and what decided.
  ///
  /// - Parameter takesSpan: whether --for can make a simulation longer.
  func tellMissed(takesSpan: Bool) {
    guard expectations > 0, missedCount > 0 else { return }
    let missed = checks.filter { $0.happened != nil }
    for check in missed.prefix(Self.toldLimit) {
      say("\(check.source): error: not met\(Self.subject(check))")
      say(check.message.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    }
    let rest = missedCount - min(missed.count, Self.toldLimit)
    if rest > 0 { say("and \(rest) more; --json and --junit list them") }
    if let needs = needs, takesSpan {
      let seconds = (needs + 999) / 1000
      say("  hint: --for \(seconds)s simulates that long")
    }
    say(
      "beaconkeeper: \(missedExpectations) of \(expectations) "
        + "\(expectations == 1 ? "expectation was" : "expectations were") not met "
        + "(\(missedCount) of \(count) \(count == 1 ? "check" : "checks"))")
  }

  /// ` by ios17 background-task on 50m@1m/s`.
  private static func subject(_ check: Check) -> String {
    guard let os = check.os, let strategy = check.strategy, let approach = check.approach else { return "" }
    let phone = check.phone.map { "phone \($0), " } ?? ""
    return " by \(phone)\(os) \(strategy) on \(approach)"
  }
}
