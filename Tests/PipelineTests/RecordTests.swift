import Beacons
import Contract
import Core
import Foundation
import Phones
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// What comes in on `phone/<phone>/app/seen`, and goes out on `phone/<phone>/record`.
@Suite struct RecordTests {
  private static func yaml(_ phone: String = "os: ios7, strategy: background-task") -> String {
    PhoneTests.pump + "phones: [{ name: anna, beacon: \"fleet:1.2\", \(phone) }]"
  }

  private struct Record: Decodable, Equatable {
    struct Encounter: Decodable, Equatable {
      var result: String
      var zone: String?
      var outcome: String?
      var late_s: Double?
    }
    var since: String?
    var nears, predicted, seen, missed, unpredicted, late, uncounted, pending: Int
    var `false`: Int
    var seen_pct, late_s, offset_s: Double?
    var latest: [Encounter]
  }

  @discardableResult
  private func tell(
    _ scene: inout Scene, _ text: String = #"{"event":"near"}"#, retained: Bool = false
  ) -> AppReports.Refusal? {
    scene.pipeline.receive(
      Array(text.utf8), topic: "beaconkeeper/forecourt/phone/anna/app/seen", isRetained: retained,
      at: scene.time,
      wallTime: scene.wallTime, into: &scene.output)
  }

  /// The latest that was published, and what would be published to a new broker.
  private func record(_ scene: Scene) throws -> (told: Record?, now: Record) {
    let all = scene.pipeline.allStates().filter { $0.topic.hasSuffix("/anna/record") }
    for message in all {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload).isEmpty)
    }
    let now = try JSONDecoder().decode(Record.self, from: Data(try #require(all.last).payload))
    let told = try scene.state("phone/anna/record").map {
      #expect(
        MessageSchemas.faults(topic: "beaconkeeper/g/phone/anna/record", payload: Array($0.utf8)).isEmpty)
      return try JSONDecoder().decode(Record.self, from: Data($0.utf8))
    }
    return (told, now)
  }

  /// Comes in from 20 m, stands at 1 m, and leaves again; the app says so, or not.
  private func visit(_ scene: inout Scene, seen: String? = #"{"event":"near"}"#) throws {
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 6)
    if let seen { #expect(tell(&scene, seen) == nil) }
    try scene.hear(rssi: -85, for: 10)
    scene.pass(100)
  }

  @Test func `a near that the app noticed is seen, and one that it did not is missed in the end`() throws {
    var scene = try Scene(Self.yaml())
    try visit(&scene, seen: nil)
    #expect(try record(scene).told == nil, "an app that never reports is not judged")
    try visit(&scene)
    let first = try record(scene)
    #expect(
      first.told == first.now && first.now.seen == 1 && first.now.seen_pct == 100 && first.now.since != nil)
    #expect(first.now.latest.map(\.result) == ["seen"] && first.now.latest.first?.outcome == "DELIVERED")
    try visit(&scene, seen: nil)
    let second = try #require(try record(scene).told)
    #expect(second.nears == 2 && second.predicted == 2 && second.missed == 1 && second.seen_pct == 50)
    #expect(second.latest.map(\.result) == ["missed", "seen"] && second.pending == 0)
  }

  @Test func `a phone that has just begun has a record already`() throws {
    var scene = try Scene(Self.yaml())
    scene.pipeline.begin(
      at: MonotonicTime(nanoseconds: 1_500_001), wallTime: scene.wallTime, into: &scene.output)
    #expect(try record(scene).now.since == nil)
  }

  @Test func `an app that is predicted to miss and does not is unpredicted`() throws {
    var scene = try Scene(Self.yaml("os: ios7, strategy: stock"))
    try visit(&scene)
    let told = try #require(try record(scene).told)
    #expect(told.unpredicted == 1 && told.seen == 1 && told.predicted == 0 && told.seen_pct == nil)
  }

  @Test func `a report while nothing is near is false; the same one again is not counted`() throws {
    var scene = try Scene(Self.yaml())
    try scene.hear(rssi: -85, for: 15)
    let stated = #"{"event":"near","time":"2026-11-20T21:50:12Z","beacon":"fleet:1.2"}"#
    tell(&scene, stated)
    scene.pass(1)
    tell(&scene, stated)
    try scene.hear(rssi: -85, for: 31)
    let told = try record(scene).now
    #expect(told.false == 1 && told.uncounted == 1 && told.nears == 0 && told.offset_s == 3)
    #expect(told.latest.map(\.result) == ["false"] && told.latest.first?.zone == nil)
  }

  @Test func `the lateness counts from near, by the report's own time unless its clock is wrong`() throws {
    var scene = try Scene(Self.yaml())
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 6)
    let near = try #require(scene.output.transitions.first { $0.event == .near })
    let seconds = Double(near.wallTime.nanoseconds) / 1e9
    scene.pass(3)
    tell(&scene, #"{"event":"near","time":\#(seconds + 1.5)}"#)
    #expect(try abs((record(scene).now.late_s ?? 0) - 1.5) < 0.01)
    #expect(try record(scene).now.late == 1)
    // Two hours behind: it counts when it arrives.
    try scene.hear(rssi: -85, for: 20)
    try scene.hear(rssi: -59, for: 6)
    tell(&scene, #"{"event":"near","time":\#(seconds - 7200)}"#)
    let now = try record(scene).now
    #expect(now.seen == 2 && (now.offset_s ?? 0) > 7200 && (0...6).contains(now.late_s ?? -1))
  }

  @Test(arguments: [
    "near", "{", #"{"event":"near","beacon":"ghost"}"#, #"{"event":"near","time":"soon"}"#, "[]",
    String(repeating: " ", count: 100_000),
  ])
  func `nonsense is refused and counted, and changes nothing`(text: String) throws {
    var scene = try Scene(Self.yaml())
    try scene.hear(rssi: -85, for: 1)
    let before = try record(scene).now
    #expect(tell(&scene, text) != nil)
    #expect(scene.pipeline.refusedSightings == 1 && scene.pipeline.refusedReports == 0)
    #expect(try record(scene).now == before)
  }

  @Test(arguments: ["fleet:1.2", "fleet", "F29DC74A-DBBD-12DE-318A-C8B046DD4425/1/2"])
  func `the beacon has its name, that of its region, or its identity`(name: String) throws {
    var scene = try Scene(Self.yaml())
    try scene.hear(rssi: -85, for: 1)
    #expect(tell(&scene, #"{"event":"near","beacon":"\#(name)"}"#) == nil)
    #expect(tell(&scene, #"{"event":"near","beacon":"\#(name)3"}"#) != nil)
    #expect(try record(scene).now.since != nil)
  }

  @Test func `retained reports are refused, and clearing one says nothing`() throws {
    var scene = try Scene(Self.yaml())
    try scene.hear(rssi: -85, for: 1)
    #expect(tell(&scene, retained: true)?.description.contains("retain") == true)
    #expect(tell(&scene, "", retained: true) == nil)
    #expect(tell(&scene, #"{"event":"foreground"}"#) == nil, "what says nothing about near is accepted")
    #expect(try record(scene).now.since == nil && scene.pipeline.refusedSightings == 1)
  }

  @Test func `without a near rule there is nothing to compare with`() throws {
    let zones = "zones: [{ name: pump, enter: { distance: 6 m }, exit: { distance: 9 m } }]\n"
    let head = PhoneTests.pump.prefix { $0 != "z" } + ""
    var scene = try Scene(
      head + zones + "phones: [{ name: anna, beacon: \"fleet:1.2\", os: ios7, strategy: stock }]")
    try scene.hear(rssi: -85, for: 1)
    #expect(tell(&scene)?.description.contains("near rule") == true)
  }

  @Test
  func `it survives a reload and a restart; another strategy begins anew, and a phone that goes clears it`()
    throws
  {
    var scene = try Scene(Self.yaml())
    try visit(&scene)
    try visit(&scene, seen: nil)
    let before = try record(scene).now
    let saved = scene.output.records.compactMapValues(\.self)
    #expect(Array(saved.keys) == ["anna"])

    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(Self.yaml()), into: &scene.output)
    #expect(try record(scene).now == before)
    try scene.reload(Self.yaml("os: ios7, strategy: background-task, rearm: 8 m"))
    #expect(
      try record(scene).now == before, "other distances: the phone begins anew, but not what was counted")

    for isSameBoot in [true, false] {
      var next = try Scene(Self.yaml())
      next.pass(isSameBoot ? 500 : 3)
      next.pipeline.restore(
        records: saved, isSameBoot: isSameBoot, at: next.time, wallTime: next.wallTime, into: &next.output)
      #expect(try record(next).now == before)
      try visit(&next)
      #expect(try record(next).now.seen == 2)
    }
    // A board without a clock of its own begins years earlier, and still tells.
    var early = try Scene(Self.yaml())
    let past = WallTime(nanoseconds: 0)
    early.pipeline.restore(
      records: saved, isSameBoot: false, at: early.time, wallTime: past, into: &early.output)
    try visit(&early)
    #expect(try record(early).told?.seen == 2)

    var other = try Scene(Self.yaml("os: ios7, strategy: stock"))
    other.pipeline.restore(
      records: saved, isSameBoot: true, at: other.time, wallTime: other.wallTime, into: &other.output)
    #expect(try record(other).now.since == nil && other.output.records["anna"] == .some(nil))

    for _ in 0..<2 { tell(&scene) }
    let untold = try record(scene).now.uncounted
    scene.output.records = [:]
    try scene.reload(Self.yaml("os: ios7, strategy: background-task, rearm: 9 m"))
    #expect(try record(scene).now.uncounted == untold)
    #expect(scene.output.records["anna"] != nil, "what was not told yet is saved, or a restart counted back")
    try scene.reload(Self.yaml("os: ios7, strategy: stock"))
    #expect(try record(scene).now.since == nil)
    #expect(scene.output.records["anna"] == .some(nil), "or it came back with the strategy")
    try scene.reload(PhoneTests.pump)
    #expect(scene.output.records["anna"] == .some(nil))
    let cleared = scene.pipeline.allStates().filter { $0.topic.hasSuffix("/anna/record") }
    #expect(cleared.map(\.payload) == [[]])
  }

  @Test(arguments: 0..<4) func `damaged rows of the record are forgotten and never trap`(seed: UInt64) throws
  {
    var scene = try Scene(Self.yaml())
    try visit(&scene)
    let saved = try #require(scene.output.records["anna"] ?? nil)
    var dice = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var octets = saved
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        octets[Int.random(in: 0..<octets.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) { octets.removeLast(Int.random(in: 0...octets.count, using: &dice)) }
      var next = try Scene(Self.yaml())
      next.pipeline.restore(
        records: ["anna": octets], isSameBoot: Bool.random(using: &dice), at: next.time,
        wallTime: next.wallTime,
        into: &next.output)
      next.pass(5)
      tell(&next)
      next.pass(100)
      _ = next.pipeline.allStates()
    }
  }

  @Test func `at the end of a run nothing is left untold`() throws {
    var scene = try Scene(Self.yaml())
    try visit(&scene)
    try scene.hear(rssi: -59, for: 6)
    tell(&scene)
    scene.pass(0.1)
    scene.pipeline.tellLastRecords(into: &scene.output)
    let last = try record(scene)
    #expect(last.told == last.now)
  }
}
