import Foundation
import Testing

@testable import Phones

/// The table of rules: `RuleTable.md` of the documentation, which the program reads.
@Suite struct RuleTableTests {
  /// The page, with one space where columns are aligned.
  private static let page = (StrategyPage.page("RuleTable") ?? "")
    .split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")

  /// The rows below a heading, read apart from the program.
  private static func rows(_ heading: String) -> [[String]] {
    let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") } ?? ""
    return section.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      line.components(separatedBy: "|").dropFirst().dropLast().map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
  }

  private static let circumstances = (Catalogue.devices + Catalogue.conditions).map(\.name)

  @Test func `a row of a device or a condition stands above that of the system`() throws {
    let rows = (Self.rows("What systems allow") + Self.rows("What strategies do")).filter {
      Self.circumstances.contains($0[1])
    }
    #expect(!rows.isEmpty)
    for row in rows {
      let phones = PhoneProfile.all(.observed).compactMap { $0.under(row[1], .observed) }
      #expect(!phones.isEmpty)
      for phone in phones { #expect(phone.told(row[0])?.source == .table(row[4]), "\(row)") }
    }
  }

  @Test func `each row of what was measured is drawn by some phone`() {
    let phones = Variant.allCases.flatMap { variant in
      PhoneProfile.all(variant).flatMap { phone in
        [phone] + (Catalogue.devices + Catalogue.conditions).compactMap { phone.under($0.name, variant) }
      }
    }
    let drawn = Set(phones.flatMap { phone in phone.measured.values.map { "\($0.scope) \($0.source.text)" } })
    for row in Self.rows("What was measured") {
      let scope = row[1].replacingOccurrences(of: " observed", with: "")
      #expect(drawn.contains("\(scope) \(row[6])"), "\(row)")
    }
  }

  @Test(arguments: [
    ("| 57 s, 279 s, 800 s |", "| 279 s, 57 s, 800 s |", "must ascend"),
    ("| 57 s, 279 s, 800 s |", "| 57 s, 279 |", "279 is not a duration"),
    ("| 1 s, 97 % 12 s, 101 s |", "| 1 s, 12 s, 97 % 101 s, 1 s |", "has no share"),
    ("| 18 of 33 |", "| 34 of 33 |", "not of the form"), ("| 18 of 33 |", "| often |", "not of the form"),
    ("| iphone-4s/ios7 |", "| iphone-3g/ios7 |", "is not there"),
  ])
  func `a wrong row of what was measured is refused with its reason`(
    row: String, wrong: String, why: String
  ) throws {
    let isThere = Self.page.contains(row)
    #expect(isThere, "\(row)")
    let error = #expect(throws: ConstantError.self) {
      try RuleTable(Self.page.replacingOccurrences(of: row, with: wrong))
    }
    #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
  }

  /// The row of a rule that is in force where the scopes hold, of which the last goes before the others; nil if there are
  /// none or two.
  private static func inForce(
    _ rule: String, _ scopes: [String], _ variant: Variant, of rows: [[String]]
  ) -> [String]? {
    for suffix in variant == .observed ? [" observed", ""] : [""] {
      for scope in scopes.reversed() {
        let found = rows.filter { $0[0] == rule && $0[1] == scope + suffix }
        if found.count > 1 { return nil }
        if let row = found.first { return row }
      }
    }
    return nil
  }

  /// The rows in force for a profile, each of which must be what the profile says.
  private static func check(
    _ profile: some RuledProfile, _ scopes: [String], _ variant: Variant, of rows: [[String]]
  ) throws -> [[String]] {
    try type(of: profile).rules.map { rule in
      let told = profile.told(rule)
      let row = try #require(inForce(rule.name, scopes, variant, of: rows), "\(rule.name): not one row")
      #expect(rule.text(try rule.value(row[2])) == told.value, "\(rule.name)")
      #expect(row[3] == told.confidence.rawValue && .table(row[4]) == told.source, "\(rule.name)")
      return row
    }
  }

  @Test func `every rule has one row in force for each system and variant, and no row is idle`() throws {
    let rows = Self.rows("What systems allow")
    var used: Set<[String]> = []
    for variant in Variant.allCases {
      var scopes: [OSProfile.Family: [String]] = [.iOS: ["any"], .android: ["any"]]
      for system in Catalogue.systems(variant) {
        scopes[system.family]?.append(system.name)
        used.formUnion(try Self.check(system, scopes[system.family] ?? [], variant, of: rows))
      }
    }
    #expect(rows.filter { !used.contains($0) && !Self.circumstances.contains($0[1]) } == [])
  }

  @Test func `every rule has one row in force for each strategy and variant, and no row is idle`() throws {
    let rows = Self.rows("What strategies do")
    let strategies = Self.rows("Strategies")
    var used: Set<[String]> = []
    for variant in Variant.allCases {
      for (strategy, row) in zip(Catalogue.strategies(variant), strategies) {
        #expect(strategy.name == row[0])
        used.formUnion(try Self.check(strategy, ["any", row[1], row[0]], variant, of: rows))
      }
    }
    #expect(rows.filter { !used.contains($0) && !Self.circumstances.contains($0[1]) } == [])
  }

  @Test(arguments: [("ios13", "ios14"), ("ios26", "ios99"), ("android16", "android99")])
  func `a system that is added has the rules of the one before it`(older: String, added: String) throws {
    let table = try RuleTable(
      Self.page.components(separatedBy: "\n").flatMap { line in
        line.hasPrefix("| \(older) ") ? [line, "| \(added) | another system |"] : [line]
      }.joined(separator: "\n"))
    for variant in Variant.allCases {
      let systems = table.systems(variant)
      let place = try #require(systems.firstIndex { $0.name == added })
      #expect(systems[place - 1].name == older && systems[place].constants == systems[place - 1].constants)
      #expect(systems.filter { $0.name != added } == Catalogue.systems(variant))
    }
  }

  @Test func `every rule is one that the program reads, by a name of its kind`() {
    let names =
      NumberRule.allCases.map(\.name) + LimitRule.allCases.map(\.name) + FlagRule.allCases.map(\.name)
      + FactorRule.allCases.map(\.name) + RiskRule.allCases.map(\.name)
    #expect(names.sorted() == PhoneProfile.rules.map(\.name).sorted())
    for rule in PhoneProfile.rules {
      let isRead =
        switch rule.kind {
        case .duration, .distance, .count:
          rule.isOptional
            ? LimitRule.allCases.contains { $0.place == rule.place }
            : NumberRule.allCases.contains { $0.place == rule.place }
        case .flag: FlagRule.allCases.contains { $0.place == rule.place }
        case .factor: FactorRule.allCases.contains { $0.place == rule.place }
        case .risk: RiskRule.allCases.contains { $0.place == rule.place }
        }
      #expect(isRead, "\(rule.name)")
      #expect(!rule.meaning.isEmpty)
    }
  }

  @Test(arguments: [
    ("| task_cap | ios13 ", "| task_cap | ios12 ", "ios12"),
    ("| task_cap | ios13 ", "| task_cap | ios6 ", "two such rows"),
    ("| task_cap | ios13 ", "| task_cup | ios13 ", "no such rule"),
    ("| task_cap | any ", "| task_cap | ios9 ", "no row for any"),
    ("| 600 s | H | S0 |", "| 600 | H | S0 |", "600 is not a duration"),
    ("| 600 s | H | S0 |", "| 600 s | X | S0 |", "not H, M or L"),
    ("| 600 s | H | S0 |", "| 600 s | H |", "not of 5 cells"),
    ("| cycle, job ", "| bicycle ", "bicycle is no platform"), ("| ios26 ", "| os26 ", "neither family"),
  ])
  func `a wrong row is refused with its reason`(row: String, wrong: String, why: String) throws {
    let isThere = Self.page.contains(row)
    #expect(isThere, "\(row)")
    let error = #expect(throws: ConstantError.self) {
      try RuleTable(Self.page.replacingOccurrences(of: row, with: wrong))
    }
    #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
  }

  @Test func `documents are named where the table cites them, and not in a user's own words`() throws {
    #expect(PolicySource.table("S0, S3").inWords == "Radius Networks 2014, D. G. Young 2023")
    #expect(
      PolicySource.table("S1: at every change, on an S10 or AES4").inWords
        == "museum audio guide: at every change, on an S10 or AES4")
    var profile = Walk(strategy: "background-task").profile
    profile.set("task_cap", to: .number(45_000), source: "a Galaxy S4", confidence: .low)
    #expect(profile.told("task_cap")?.source.inWords == "a Galaxy S4")
    _ = try profile.set("review_risk", to: "low", source: "my S1 and S2", confidence: .low)
    #expect(profile.strategy.constant(.reviewRisk).source.inWords == "my S1 and S2")
  }

  @Test func `what the page on rules says of values is what the table says`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Sources/Phones/Phones.docc/Rules.md")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    func value(_ rule: String, _ os: String) -> String {
      Catalogue.system(named: os, variant: .observed)?.told(rule)?.value ?? ""
    }
    for words in [
      "fetch gives \(value("fetch_time", "ios18")) (`fetch_time`)",
      "region entry after \(value("entry_latency", "ios18"))",
      "exit after \(value("exit_latency", "ios18")) (\(value("exit_latency", "ios7")) on iOS 7)",
      "accuracy coarser than \(value("location_accuracy_limit", "ios16.4"))",
    ] {
      #expect(text.contains(words))
    }
    for name in text.split(separator: "`").map(String.init)
    where name.contains("_") && name == name.lowercased() {
      #expect(name.contains(" ") || PhoneProfile.rules.contains { $0.name == name }, "\(name)")
    }
  }
}
