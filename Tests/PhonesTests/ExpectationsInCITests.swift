import Foundation
import Phones
import Testing

/// The example of the manual's page on expectations in CI. Its last test compares them.
@Suite struct ExpectationsInCITests {
  @Test func theAppNoticesTheBeacon() throws {
    let os = try #require(Catalogue.system(named: "ios17"))
    let strategy = try #require(Catalogue.strategy(named: "background-task"))
    let phone = try #require(PhoneProfile(os: os, strategy: strategy))
    // From 50 m at 2 m/s, then a minute at the beacon; near is 4 m.
    let walk = Timeline(approachFrom: 50_000_000, speed: 2_000_000, stay: 60_000)
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    let simulation = Simulation(phone, near: near, timeline: walk)
    for text in ["delivered within 2 s", "ranging at 20 s", "suspended at 70 s"] {
      let miss = try Simulation.Expectation(text).miss(in: simulation)
      #expect(miss == nil, "\(miss?.description ?? "")")
    }
  }

  @Test func aTimelineBringsItsExpectations() throws {
    let phone = Walk(os: "ios17", strategy: "background-task").profile
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    let bytes = Array(
      """
      {"t":0,"distance_m":50}
      {"t":25,"distance_m":0}
      {"expect":"delivered","os":"ios17"}
      {"t":20,"expect":"suspended"}
      {"expect":"late","os":"ios7"}
      """.utf8)
    let file = TimelineFile(bytes)
    let simulation = Simulation(phone, near: near, timeline: file.timeline())
    let missed = file.expectations
      .filter { $0.applies(to: phone, of: nil, on: "visit.jsonl", among: [phone.os.name]) }
      .compactMap { $0.expectation.miss(in: simulation) }
    #expect(missed.map(\.expected) == [.init(.state(.suspended, at: 20_000))])
  }

  @Test func theManualsExampleIsTheCodeHere() throws {
    let here = URL(fileURLWithPath: #filePath)
    let page = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/Phones/Phones.docc/ExpectationsInCI.md")
    func lines(_ url: URL) throws -> [String] {
      try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { $0.drop { $0 == " " } }.map(
        String.init)
    }
    let compiled = Set(try lines(here))
    let blocks = try lines(page).split(separator: "```swift").dropFirst().map { $0.prefix { $0 != "```" } }
    #expect(blocks.count == 2)
    for line in blocks.joined() { #expect(compiled.contains(line), "\(line)") }
  }
}
