import Foundation
import Phones
import TestSupport
import Testing

@testable import Reports

@Suite struct ReportTests {
  private static let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
  private static let walk = Approach(
    name: "50m@1m/s", near: near, timeline: Timeline(approachFrom: 50_000_000, speed: 1_000_000))

  private static func report(_ approaches: [Approach], name: String = "walk") -> Report {
    let profiles = PhoneProfile.all(.seed)
    var tallies = profiles.map { Tally($0) }
    var examples: [Report.Example] = []
    for (place, profile) in profiles.enumerated() {
      for approach in approaches {
        let result = Simulation(profile, near: approach.near, timeline: approach.timeline)
        tallies[place].add(result)
        examples.append(Report.Example(approach: approach, result: result))
      }
    }
    var report = Report(scenario: [("approach", name)], tallies: tallies, examples: examples, version: "test")
    report.comparisons = Comparison.ranking(tallies)
    return report
  }

  /// Two beacons, of which the second is missed.
  private static var pair: Report {
    let timeline = Timeline(
      events: [],
      waypoints: [
        .init(time: 0, distance: 50_000_000), .init(time: 5000, distance: 1_000_000),
        .init(time: 0, distance: 120_000_000, beacon: 1), .init(time: 120_000, distance: 0, beacon: 1),
      ], beacons: [.init(name: "Amphora"), .init(name: "Bronze")], end: 130_000, start: .background)
    return report([Approach(name: "two", near: near, timeline: timeline)])
  }

  @Test func `the script has each beacon's distance, and a miss is not hidden behind the first near`() throws
  {
    let html = Self.pair.html
    let page = try #require(PageReader(html))
    let data = try #require(html.components(separatedBy: "id=\"data\">").last)
    #expect(data.contains("Amphora") && data.contains("Bronze") && data.contains(#""d":[["#))
    #expect(page.text.contains("1 of 2 near triggers came through, missed: Bronze at 116 s. The first:"))
    #expect(html.contains(">2 Bronze</th>"))
  }

  @Test func `the legend explains the columns of the page, all of them and no others`() throws {
    let compared = try #require(PageReader(Self.report([Self.walk]).html))
    for column in ["Hangs on", "90 % by", "Confidence M"] { #expect(compared.text.contains(column)) }
    #expect(compared.text.contains("That is the typical phone"))
    let system = try #require(Catalogue.system(named: "ios7", variant: .seed))
    let strategy = try #require(Catalogue.strategy(named: "stock", variant: .seed))
    let profile = try #require(PhoneProfile(os: system, strategy: strategy))
    let result = Simulation(profile, near: Self.walk.near, timeline: Self.walk.timeline)
    var tally = Tally(profile)
    tally.add(result)
    let single = Report(
      scenario: [], tallies: [tally], examples: [.init(approach: Self.walk, result: result)], version: "1")
    #expect(!single.html.contains("Hangs on</dt>") && !single.html.contains("Confidence L"))
  }

  @Test func everyPageIsWellFormedAndPointsOnlyAtItself() throws {
    let page = try #require(PageReader(Self.report([Self.walk]).html))
    #expect(page.references == [])
    #expect(Set(page.ids).count == page.ids.count)
    #expect(Set(page.targets).isSubset(of: page.ids))
    // The data, and what draws from it.
    #expect(page.elements["script"] == 2 && page.elements["link"] == nil && page.elements["img"] == nil)
    #expect(!Style.sheet.contains("url(") && !Style.sheet.contains("@import"))
    #expect(page.elements["h1"] == 1)
  }

  @Test func everyProfileHasADrawingWithItsAccountInWords() throws {
    let report = Self.report([Self.walk])
    let page = try #require(PageReader(report.html))
    let cards = Card.all(of: report.examples)
    #expect(cards.reduce(0) { $0 + $1.profiles.count } == report.examples.count)
    let drawings = cards.count + report.comparisons.count
    #expect(page.elements["article"] == drawings)
    for card in cards {
      #expect(page.ids.contains("\(card.id)-d") && page.text.contains(Account(result: card.result).sentence))
    }
    #expect(page.elements["desc"] == report.comparisons.count)
  }

  @Test func aVerdictNamesItsUncertainConstantsWithValueAndSource() throws {
    let page = try #require(PageReader(Self.report([Self.walk]).html))
    #expect(page.text.contains("about 30 s from iOS 13 on; no primary source"))
    #expect(page.text.contains("task_cap"))
    #expect(page.text.contains("the app's window ended at 36 s with the phone 14 m away"))
  }

  @Test(arguments: [
    "</title><script>alert(1)</script>", "\" onload=\"x", "a&b<c>'d'", "\u{0}\u{8}\u{1B}[31m",
    "\u{202E}gnp.exe",
    "]]>", "&#0;",
  ])
  func noNameBreaksThePage(name: String) throws {
    var approach = Self.walk
    approach.name = name
    var phone = Self.report([approach, approach], name: name)
    for index in phone.examples.indices { phone.examples[index].phone = name }
    let page = try #require(PageReader(phone.html))
    #expect(page.elements["script"] == 2)
    #expect(page.references == [])
  }

  @Test func severalApproachesAreCountedByReason() throws {
    let slow = Approach(
      name: "slow", near: Self.near, timeline: Timeline(approachFrom: 50_000_000, speed: 200_000))
    let report = Self.report([Self.walk, slow])
    let tally = try #require(
      report.tallies.first { $0.profile.os.name == "ios7" && $0.profile.strategy.name == "background-task" })
    #expect(tally.delivered == 1 && tally.missed == [.taskExpired: 1] && tally.share == 0.5)
    let page = try #require(PageReader(report.html))
    #expect(page.text.contains("TASK_EXPIRED 1"))
  }

  @Test func theSameFindingsMakeTheSamePage() {
    #expect(Self.report([Self.walk]).html == Self.report([Self.walk]).html)
  }

  @Test func aLongTimelineMakesASmallDrawing() {
    var walk: [Timeline.Waypoint] = []
    for step in Int64(0)..<20_000 {
      walk.append(.init(time: step * 1000, distance: step % 7 == 0 ? nil : step % 60 * 1_000_000))
    }
    let approach = Approach(
      name: "long", near: Self.near, timeline: Timeline(events: [], waypoints: walk))
    let profile = PhoneProfile.all(.seed)[0]
    let result = Simulation(profile, near: Self.near, timeline: approach.timeline)
    var page = Markup()
    TimelineChart(result, near: Self.near, id: "x").write(into: &page)
    #expect(page.text.utf8.count < 40_000)
  }

  @Test func aMonthOfScansMakesASmallDrawing() throws {
    let month = Timeline(events: [], waypoints: [.init(time: 0, distance: 20_000_000)], end: 2_592_000_000)
    for profile in PhoneProfile.all(.seed) where profile.os.name == "android8" {
      let result = Simulation(profile, near: Self.near, timeline: month)
      var page = Markup()
      TimelineChart(result, near: Self.near, id: "x").write(into: &page)
      #expect(page.text.utf8.count < 300_000, "\(profile.name) \(page.text.utf8.count)")
    }
  }

  @Test func theLogarithmIsThatOfTheLibrary() {
    for number in [1e-9, 0.0001, 0.37, 1, 2, 9.99, 123_456] {
      #expect(abs(Logarithm.ten(number) - log10(number)) < 1e-6)
    }
  }
}
