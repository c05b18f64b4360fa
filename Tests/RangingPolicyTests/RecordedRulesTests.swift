import Foundation
import RangingPolicy
import Testing

/// Every rule of every system and strategy in both variants, and what `--explain` shows of each pair, as recorded in
/// `rules.txt`. Whoever changes a rule records it anew, and sees in the difference what else has changed:
///
///     BEACONKEEPER_RECORD=1 swift test --filter RecordedRulesTests
@Suite struct RecordedRulesTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("rules.txt")

  @Test func `rules are those that are recorded`() throws {
    let now = Self.recording()
    if ProcessInfo.processInfo.environment["BEACONKEEPER_RECORD"] != nil {
      try Data((now.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
    }
    let before = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self).split(separator: "\n")
    for line in now.difference(from: before.map(String.init)) {
      switch line {
      case .insert(_, let line, _): Issue.record("not recorded: \(line)")
      case .remove(_, let line, _): Issue.record("recorded, but no more: \(line)")
      }
    }
  }

  private static func recording() -> [String] {
    var lines = Catalogue.systems().map { "\($0.name) | \($0.family) | \($0.summary)" }
    for strategy in Catalogue.strategies() {
      let traits = "\(strategy.mechanism) | \(strategy.needs) | \(strategy.permissionAsked)"
      lines.append("\(strategy.name) | \(traits) | \(strategy.summary)")
    }
    lines += values(OSProfile.constants.map(\.name)) { variant, name in
      Catalogue.systems(variant).map { ($0.name, told(name, $0, Catalogue.strategies()[0])) }
    }
    lines += values(StrategyProfile.constants.map(\.name)) { variant, name in
      Catalogue.strategies(variant).map { ($0.name, told(name, Catalogue.systems()[0], $0)) }
    }
    return lines + pairs()
  }

  /// One line for each value of a rule, with all that have it. The observed ones follow where they differ.
  private static func values(
    _ names: [String], _ all: (Variant, String) -> [(owner: String, value: String)]
  ) -> [String] {
    names.flatMap { name in
      let seed = grouped(all(.seed, name)).map { "\(name) | \($0.value) | \($0.owners)" }
      let observed = grouped(all(.observed, name)).map { "\(name) | \($0.value) | \($0.owners)" }
      return seed + (observed == seed ? [] : observed.map { "observed " + $0 })
    }
  }

  private static func grouped(_ all: [(owner: String, value: String)]) -> [(value: String, owners: String)] {
    var groups: [(value: String, owners: String)] = []
    for (owner, value) in all {
      if let place = groups.firstIndex(where: { $0.value == value }) {
        groups[place].owners += " " + owner
      } else {
        groups.append((value, owner))
      }
    }
    return groups
  }

  private static func told(_ name: String, _ os: OSProfile, _ strategy: StrategyProfile) -> String {
    var profile = PhoneProfile.all()[0]
    (profile.os, profile.strategy) = (os, strategy)
    guard let told = profile.told(name) else { return "nothing" }
    return "\(told.value) | \(told.confidence.rawValue) | \(told.source)"
  }

  /// What is shown of a strategy and of the systems it meets, and why it does not exist on the others.
  private static func pairs() -> [String] {
    values(Catalogue.strategies().map(\.name)) { variant, name in
      let strategy = Catalogue.strategy(named: name, variant: variant)!
      return [(strategy.name, "shows " + strategy.ruleNames.joined(separator: " "))]
        + Catalogue.systems(variant).map { os in
          let shown = PhoneProfile(os: os, strategy: strategy)?.systemRuleNames.joined(separator: " ")
          let why = PhoneProfile.mismatch(os: os, strategy: strategy)?.replacing(os.name, with: "they")
          return (os.name, shown ?? why ?? "")
        }
    }
  }
}
