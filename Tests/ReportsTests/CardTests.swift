import CCrypto
import Foundation
import Phones
import TestSupport
import Testing

@testable import Reports

/// What belongs together stands on one card, and every near trigger is told.
@Suite struct CardTests {
  private static let near = NearDistances(near: 4_000_000, rearm: 6_000_000)

  private static func report(_ timeline: Timeline, _ profiles: [PhoneProfile]) -> Report {
    let approach = Approach(name: "story", near: near, timeline: timeline)
    var tallies = profiles.map { Tally($0) }
    var examples: [Report.Example] = []
    for place in profiles.indices {
      let result = Simulation(profiles[place], near: near, timeline: timeline)
      tallies[place].add(result)
      examples.append(Report.Example(approach: approach, result: result))
    }
    return Report(scenario: [], tallies: tallies, examples: examples, version: "test")
  }

  private static func profile(_ os: String, _ strategy: String) throws -> PhoneProfile {
    try #require(PhoneProfile.all(.seed).first { $0.os.name == os && $0.strategy.name == strategy })
  }

  @Test func `each beacon has its curve, and its near triggers its name`() throws {
    let walk = Timeline(
      events: [],
      waypoints: [
        .init(time: 0, distance: 50_000_000), .init(time: 50_000, distance: 0),
        .init(time: 0, distance: 30_000_000, beacon: 1), .init(time: 30_000, distance: 0, beacon: 1),
      ], beacons: [.init(name: "vase"), .init(name: "coin")])
    let html = Self.report(walk, [try Self.profile("ios7", "background-task")]).html
    #expect(html.matches(of: #/class="curve"/#).count == 2)
    #expect(html.contains("vase 46 s") && html.contains("coin 26 s"))
  }

  @Test func systemsWithTheSameResultShareACard() throws {
    let walk = Timeline(approachFrom: 50_000_000, speed: 1_000_000)
    let report = Self.report(
      walk, try ["ios7.0", "ios7", "ios13"].map { try Self.profile($0, "background-task") })
    let page = try #require(PageReader(report.html))
    #expect(page.elements["article"] == 2)
    #expect(page.text.contains("ios7.0 = ios7 · background-task"))
    #expect(page.text.contains("ios13 · background-task"))
  }

  @Test(arguments: [
    (["a"], "a"), (["a", "b"], "a = b"), (["a", "c"], "a = c"), (["a", "b", "c"], "a to c (3 alike)"),
    (["a", "b", "d"], "a = b = d"), (["b", "c", "d", "e"], "b to e (4 alike)"),
    (["a", "b", "c", "e"], "a = b and 2 more alike"),
  ])
  func alikeSystemsAreNamedShortly(names: [String], words: String) throws {
    let profile = PhoneProfile.all(.seed)[0]
    let order = ["a", "b", "c", "d", "e"].map { name in
      var os = profile.os
      os.name = name
      return PhoneProfile(os: os, strategy: profile.strategy)
    }
    #expect(SystemNames(order.compactMap { $0 }).words(names) == words)
  }

  @Test func everyNearHasItsOwnVerdictAndEvidence() throws {
    let story = Timeline(
      events: [.init(time: 20_000, event: .background)],
      waypoints: [
        .init(time: 0, distance: 40_000_000), .init(time: 25_000, distance: 2_000_000),
        .init(time: 30_000, distance: 30_000_000), .init(time: 300_000, distance: 30_000_000),
        .init(time: 310_000, distance: 2_000_000), .init(time: 400_000, distance: 2_000_000),
      ])
    let report = Self.report(story, [try Self.profile("ios7", "stock")])
    let page = try #require(PageReader(report.html))
    #expect(page.text.contains("These verdicts hang on") && page.text.contains("GRACE_EXPIRED"))
    #expect(page.elements["ol"] == 2)
    // One came through and one did not: the first does not stand for both.
    #expect(page.text.contains("in part") && page.text.contains("(1 of 2)"))
  }

  @Test func costsAreOverTheSameTime() throws {
    let walk = Timeline(approachFrom: 50_000_000, speed: 1_000_000)
    let short = Simulation(try Self.profile("ios7", "location-always"), near: Self.near, timeline: walk)
    let long = Simulation(try Self.profile("ios7", "background-task"), near: Self.near, timeline: walk)
    #expect(short.end < long.end)
    // 50 s at full duty, idle afterwards: cheaper than a task of 186 s.
    let same = short.batteryFactor(over: long.end)
    #expect(same > 1 && same < long.batteryFactor(over: long.end) && short.batteryFactor > same)
    #expect(abs((same - 1) * Double(long.end) - (short.batteryFactor - 1) * Double(short.end)) < 1)
    let page = try #require(PageReader(Self.report(walk, [short.profile, long.profile]).html))
    #expect(
      page.text.contains("Battery: all over the same \(Figures.time(long.end)), idle after their own end."))
  }

  @Test func nothingInTheDataEndsItsElement() {
    let text = PageData.embedded("{\"a\":\"</script><!--&\u{2028}\u{FFFF}é😀\"}")
    #expect(
      text == #"{"a":"\u003c/script\u003e\u003c!--\u0026\u2028\uffff\u00e9\ud83d\ude00"}"#)
  }

  @Test func thePolicyNamesTheScriptByItsFingerprint() {
    let text = Script.page.text
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(Array(text.utf8), text.utf8.count, &digest, nil, EVP_sha256(), nil)
    #expect(Script.page.fingerprint == Data(digest).base64EncodedString())
    let html = Page(title: "t", version: "1", sheet: "", script: .page, caution: "").html { _ in }
    #expect(html.contains("script-src &#39;sha256-\(Script.page.fingerprint)&#39;"))
    #expect(html.contains(">" + text + "</script>") && !text.dropLast(6).contains("]]>"))
  }

  @Test func aHundredProfilesOnALongTimelineMakeABoundedPage() throws {
    var walk: [Timeline.Waypoint] = []
    var events: [Timeline.Entry] = []
    for step in Int64(0)..<1500 {
      walk.append(.init(time: step * 20_000, distance: step % 3 == 0 ? 2_000_000 : 60_000_000))
      events.append(.init(time: step * 20_000 + 5, event: step % 2 == 0 ? .audio(true) : .audio(false)))
      events.append(
        .init(time: step * 20_000 + 9, event: .beginTask(TaskID(rawValue: Int32(step)), granted: true)))
    }
    let base = try Self.profile("ios7", "background-task")
    let profiles = (0..<100).map { index in
      var (os, strategy) = (base.os, base.strategy)
      os.name = "ios\(index)"
      strategy.name = "own-\(index)"
      return PhoneProfile(os: os, strategy: strategy)
    }.compactMap { $0 }
    let timeline = Timeline(events: events, waypoints: walk)
    let result = Simulation(base, near: Self.near, timeline: timeline)
    #expect(result.history.facts.count > 3000)
    let html = Self.report(timeline, profiles).html
    #expect(html.utf8.count < 5_000_000, "\(html.utf8.count)")
  }
}
