import Foundation
import Phones
import Testing

/// Every rule of every system and strategy in both variants, and what `--explain` shows of each pair, as recorded in
/// `rules.txt`. Whoever changes a rule records it anew, and sees in the difference what else has changed. Systems and
/// strategies that are not recorded may be added:
///
///     BEACONKEEPER_RECORD=1 swift test --filter RecordedRulesTests
@Suite struct RecordedRulesTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("rules.txt")

  @Test func `rules are those that are recorded`() throws {
    if ProcessInfo.processInfo.environment["BEACONKEEPER_RECORD"] != nil {
      let now = Self.recording { _ in true }
      try Data((now.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
    }
    let before = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self).split(separator: "\n")
    let known = Set(before.map { $0.prefix { $0 != " " } })
    let now = Self.recording { known.contains($0[...]) }
    for line in now.difference(from: before.map(String.init)) {
      switch line {
      case .insert(_, let line, _): Issue.record("not recorded: \(line)")
      case .remove(_, let line, _): Issue.record("recorded, but no more: \(line)")
      }
    }
  }

  /// - Parameter isWanted: whether a system or strategy belongs to it, by its name.
  private static func recording(_ isWanted: (String) -> Bool) -> [String] {
    func systems(_ variant: Variant = .seed) -> [OSProfile] {
      Catalogue.systems(variant).filter { isWanted($0.name) }
    }
    func strategies(_ variant: Variant = .seed) -> [StrategyProfile] {
      Catalogue.strategies(variant).filter { isWanted($0.name) }
    }
    var lines = systems().map { "\($0.name) | \($0.family) | \($0.summary)" }
    for strategy in strategies() {
      let traits = "\(strategy.mechanism) | \(strategy.needs) | \(strategy.permissionAsked)"
      lines.append("\(strategy.name) | \(traits) | \(strategy.summary)")
    }
    lines += values(OSProfile.rules.map(\.name)) { variant, name in
      systems(variant).map { ($0.name, words($0.told(name))) }
    }
    lines += values(StrategyProfile.rules.map(\.name)) { variant, name in
      strategies(variant).map { ($0.name, words($0.told(name))) }
    }
    // What is shown of a strategy and of the systems it meets, and why it does not exist on the others.
    return lines
      + values(strategies().map(\.name)) { variant, name in
        let strategy = Catalogue.strategy(named: name, variant: variant)!
        return [(strategy.name, "shows " + strategy.ruleNames.joined(separator: " "))]
          + systems(variant).map { os in
            let shown = PhoneProfile(os: os, strategy: strategy)?.systemRuleNames.joined(separator: " ")
            let why = PhoneProfile.mismatch(os: os, strategy: strategy)?.replacing(os.name, with: "they")
            return (os.name, shown ?? why ?? "")
          }
      }
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

  private static func words(_ told: StatedRule?) -> String {
    told.map { "\($0.value) | \($0.confidence.rawValue) | \($0.source.text)" } ?? "nothing"
  }
}
