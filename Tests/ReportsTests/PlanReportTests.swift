import Phones
import TestSupport
import Testing

@testable import Reports

@Suite struct PlanReportTests {
  private static func report(_ pairs: [(os: String, strategy: String)], name: String = "1m/s") throws
    -> PlanReport
  {
    let request = WakeProposal.Request(
      visit: .init(reach: 50_000_000, speed: 1_000_000, duration: 300_000), regions: 3)
    let proposals = try pairs.map { pair in
      let os = try #require(Catalogue.system(named: pair.os, variant: .observed))
      let strategy = try #require(Catalogue.strategy(named: pair.strategy, variant: .seed))
      return WakeProposal(try #require(PhoneProfile(os: os, strategy: strategy)), request)
    }
    return PlanReport(scenario: [("speed", name)], proposals: proposals, uuid: name, version: "test")
  }

  /// A plan, a plan in part, none needed, none.
  private static let pairs = [
    ("ios13", "background-task"), ("ios13", "stock"), ("ios7", "location-always"),
    ("android8", "altbeacon-job"),
    ("ios6", "stock"),
  ]

  @Test func thePageIsWellFormedAndPointsOnlyAtItself() throws {
    let report = try Self.report(Self.pairs)
    let page = try #require(PageReader(report.html))
    #expect(page.references == [])
    #expect(Set(page.ids).count == page.ids.count && Set(page.targets).isSubset(of: page.ids))
    #expect(page.elements["script"] == nil && page.elements["link"] == nil && page.elements["img"] == nil)
    #expect(page.elements["h1"] == 1 && page.elements["article"] == Self.pairs.count)
    // A drawing for each plan, with its account in words.
    #expect(page.elements["figure"] == 2 && page.elements["figcaption"] == 2)
    #expect(report.html == (try Self.report(Self.pairs)).html)
  }

  @Test func aPlanShowsCoverCostAndAssumptions() throws {
    let page = try #require(PageReader(try Self.report(Self.pairs).html))
    for words in [
      "Region 1 is on air for 4 s of every 37 s.", "no gap", "in part", "none needed", "no plan",
      "that takes 6 regions, and 3 are to be had", "with location-always x2 all day", "exit_latency",
      "region exit: up to 30 s",
    ] { #expect(page.text.contains(words), "\(words)") }
  }

  @Test(arguments: ["</title><script>alert(1)</script>", "\" onload=\"x", "a&b<c>'d'", "\u{0}\u{1B}[31m"])
  func noNameBreaksThePage(name: String) throws {
    let page = try #require(PageReader(try Self.report([("ios13", "background-task")], name: name).html))
    #expect(page.elements["script"] == nil && page.references == [])
  }
}
