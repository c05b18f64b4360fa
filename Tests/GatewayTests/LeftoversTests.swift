import Configuration
import Contract
import Core
import Foundation
import Scenes
import Testing

@testable import Gateway

@Suite("What an earlier configuration left at the broker")
struct LeftoversTests {
  private let leftovers: Leftovers

  init() throws {
    leftovers = Leftovers(
      try Scene.configuration(
        """
        gateway: { name: home }
        beacons:
          - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
          - { name: "gate: north", ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4426 } }
          - { name: Anna's key, address: "C1:00:00:00:00:05" }
        zones:
          - { name: pump 3 }
        rooms:
          - { name: living room, receivers: [esp] }
        phones:
          - { name: anna, beacon: "fleet:1.2", os: ios17, strategy: background-task }
        home_assistant: { zones: { pump 3: zone.home } }
        """))
  }

  @Test func `what was retained below another base is cleared, and nothing of others`() {
    let discovery = Discovery(Topics(gateway: "home"), version: "1", prefix: "homeassistant")
    let formerly = ["home/ble/home/zone/pump%203/occupancy", "home/ble/home/status"]
    let cleared = [
      "homeassistant/device/beaconkeeper_home/zone_pump/config", "beaconkeeper/home/zone/pump%203/occupancy",
      "beaconkeeper/home/health", formerly[0], formerly[1],
    ].compactMap { leftovers.removal(ofRemembered: $0, discovery) }
    #expect(cleared.map(\.topic) == formerly)
    #expect(cleared.allSatisfy { $0.payload.isEmpty && $0.retained })
  }

  @Test func `what was retained under a former name is looked for below the base of then`() {
    let remembered: Set<String> = [
      "home/ble/the%20shed/zone/pump/occupancy", "x/other/zone/pump/occupancy",
      "homeassistant/device/beaconkeeper_shed/zone_pump/config",
    ]
    let found = FormerNameService.topics(of: "the shed", remembered, root: "new")
    #expect(found.map(\.base) == ["home/ble/the%20shed"])
    #expect(FormerNameService.topics(of: "the shed", [], root: "new").map(\.base) == ["new/the%20shed"])
  }

  @Test func `of a file that a power cut spoilt only the topics count`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).topics").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lines: [[UInt8]] = [
      Array("a/b".utf8), [0, 0, 0], Array("a/+".utf8), [0xFF, 0x61], Array("ü/%20".utf8), [0, 0],
    ]
    try Data(lines.joined(separator: [0x0A])).write(to: URL(fileURLWithPath: path))
    #expect(RememberedTopics(path: path).all == ["a/b", "ü/%20"])
  }

  @Test func `changed topics are in the file after the last change, however fast the changes come`()
    async throws
  {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID()).topics"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let remembered = RememberedTopics(path: path)
    for number in 0..<1_000 { remembered.note("topic/\(number)", isCleared: false) }
    for topic in ["a", "b", "c"] { remembered.note(topic, isCleared: false) }
    for number in 0..<1_000 { remembered.note("topic/\(number)", isCleared: true) }
    remembered.note("b", isCleared: true)
    remembered.note("c", isCleared: true)
    remembered.note("c", isCleared: false)
    remembered.forgetCleared(at: LiveClock.now, isKept: { _ in false }, except: { $0.intersection(["b"]) })
    for _ in 0..<500 where RememberedTopics(path: path).all != ["a", "b", "c"] {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(RememberedTopics(path: path).all == ["a", "b", "c"])
  }

  @Test func `what only memory finds is forgotten an hour after it was cleared`() {
    let remembered = RememberedTopics(path: nil)
    for topic in ["here", "elsewhere"] {
      remembered.note(topic, isCleared: false)
      remembered.note(topic, isCleared: true)
    }
    func forget(after span: TimeSpan) {
      remembered.forgetCleared(at: LiveClock.now + span, isKept: { $0 == "elsewhere" }, except: { _ in [] })
    }
    forget(after: .seconds(3500))
    #expect(remembered.all == ["elsewhere"])
    forget(after: .seconds(3600))
    #expect(remembered.all == [])
  }

  @Test func retainedPlacesAreClearedWhenPlacesAreSwitchedOff() throws {
    let plain = Leftovers(
      try Scene.configuration(
        "gateway: { name: home }\nbeacons: [{ name: key, address: \"C1:00:00:00:00:05\" }]"))
    #expect(plain.removal(of: "beaconkeeper/home/beacon/key/zone") == nil)
    #expect(plain.removal(of: "beaconkeeper/home/beacon/key/place")?.payload == [])
    #expect(plain.removal(of: "beaconkeeper/home/beacon/key/room")?.payload == [])
  }

  @Test(
    "is left alone where the configuration still knows it",
    arguments: [
      "zone/pump%203/occupancy", "phone/anna/window", "phone/anna/record", "beacon/Anna%27s%20key/state",
      "beacon/fleet%3A1.2/state",
      "room/living%20room/occupancy", "beacon/fleet%3A1.2/room",
      "beacon/gate%3A%20north%3A7.7/state", "beacon/fleet%3A1.2/zone", "beacon/fleet%3A1.2/place",
    ])
  func known(topic: String) {
    #expect(leftovers.isOwn("beaconkeeper/home/" + topic))
    #expect(leftovers.removal(of: "beaconkeeper/home/" + topic) == nil)
  }

  @Test(
    "is taken back where it knows it no more",
    arguments: [
      "zone/living%20room/occupancy", "room/pump%203/occupancy", "room/kitchen/occupancy",
      "beacon/vans%3A1/room",
      "zone/pump%204/occupancy", "phone/bert/window", "phone/bert/record", "beacon/fleet/state",
      "beacon/vans%3A1.2/state",
      "beacon/vans%3A1.2/zone", "beacon/vans%3A1.2/place", "beacon/%3A1.2/state", "beacon//state",
      "beacon/%/state",
    ])
  func dropped(topic: String) throws {
    let removal = try #require(leftovers.removal(of: "beaconkeeper/home/" + topic))
    #expect(removal.topic == "beaconkeeper/home/" + topic)
    #expect(removal.payload.isEmpty && removal.retained)
  }

  @Test(
    "is put right where it says that a beacon is in a zone", arguments: ["Anna%27s%20key", "fleet%3A1.2"])
  func claim(level: String) throws {
    let payload = """
      {"v":1,"zones":["pump 3"],"distance_m":1.5,"distance_sd_m":0.5,"rssi_dbm":-60.0,"interval_s":0.1,
       "last_seen":"2026-11-20T21:50:04.900Z","receiver":"hci0",
       "readings":{"temperature_c":24.3,"temperature_c_2":3,"door":true,"button":"press","nonsense":1}}
      """
    let topic = "beaconkeeper/home/beacon/\(level)/state"
    let correction = try #require(leftovers.correction(of: topic, Array(payload.utf8)))
    let message = correction.message
    let name = try #require(level.removingPercentEncoding)
    #expect(correction.beacon == name)
    #expect(message.topic == topic)
    #expect(
      String(decoding: message.payload, as: UTF8.self)
        == #"{"v":1,"gateway":"home","beacon":"\#(name)","zones":[],"distance_m":null,"distance_sd_m":null,"rssi_dbm":null,"interval_s":null,"#
        + #""last_seen":"2026-11-20T21:50:04.900Z","receiver":"hci0","#
        + #""readings":{"door":true,"temperature_c":24.3,"temperature_c_2":3}}"#)
  }

  @Test func aStalePlainTextZoneIsCorrected() {
    let topic = "beaconkeeper/home/beacon/fleet%3A1.2/zone"
    let correction = leftovers.correction(of: topic, Array("office".utf8))
    #expect(correction?.message.topic == topic)
    #expect(correction.map { String(decoding: $0.message.payload, as: UTF8.self) } == "not_home")
    #expect(leftovers.correction(of: topic, Array("not_home".utf8)) == nil)
  }

  @Test func aStaleRoomIsCorrected() {
    let topic = "beaconkeeper/home/beacon/fleet%3A1.2/room"
    let correction = leftovers.correction(of: topic, Array(#"{"v":1,"room":"living room"}"#.utf8))
    #expect(correction?.message.topic == topic)
    #expect(
      correction.map { String(decoding: $0.message.payload, as: UTF8.self) }
        == #"{"v":1,"gateway":"home","beacon":"fleet:1.2","room":null,"probability":null,"since":null,"#
        + #""last_room":"living room","last_seen_at":null,"runner_up":null,"position":null}"#)
    for claimless in [#"{"room":null}"#, "{}", #"{"room":7}"#, "[", "", String(repeating: " ", count: 5000)] {
      #expect(leftovers.correction(of: topic, Array(claimless.utf8)) == nil)
    }
  }

  /// Where another client has overwritten what is not known in this run.
  @Test func `nothing is said of a beacon that is not known but that it is nowhere`() throws {
    func nowhere(_ what: String) throws -> String {
      let message = try #require(leftovers.nowhere(at: "beaconkeeper/home/beacon/fleet%3A1.2/\(what)"))
      return String(decoding: message.payload, as: UTF8.self)
    }
    #expect(try nowhere("zone") == "not_home")
    #expect(try nowhere("state") == "")
    #expect(try nowhere("room").contains(#""room":null"#))
    #expect(try nowhere("room").contains(#""last_room":null,"last_seen_at":null"#))
    #expect(leftovers.nowhere(at: "beaconkeeper/home/zone/office/occupancy") == nil)
  }

  @Test func aStaleStateThatNamesOnlyARoomIsCorrected() throws {
    let payload =
      #"{"zones":[],"room":"hall","last_seen":"2026-11-20T21:50:04.900Z","receiver":"r","readings":{}}"#
    let topic = "beaconkeeper/home/beacon/fleet%3A1.2/state"
    let message = try #require(leftovers.correction(of: topic, Array(payload.utf8))).message
    #expect(String(decoding: message.payload, as: UTF8.self).contains(#""zones":[],"room":null,"#))
  }

  /// It may be in no zone, and have fallen silent while nobody heard.
  @Test func aStaleDistanceIsCorrected() throws {
    let payload =
      #"{"zones":[],"room":null,"distance_m":8.73,"last_seen":"2026-11-20T21:50:04.900Z","receiver":"r","readings":{}}"#
    let topic = "beaconkeeper/home/beacon/fleet%3A1.2/state"
    let message = try #require(leftovers.correction(of: topic, Array(payload.utf8))).message
    #expect(
      String(decoding: message.payload, as: UTF8.self).contains(#""zones":[],"room":null,"distance_m":null,"#)
    )
  }

  @Test(
    "is left as it is where it claims nothing, makes no sense, or is taken back anyhow",
    arguments: [
      ("fleet%3A1.2", #"{"zones":[],"last_seen":"2026-11-20T21:50:04.900Z","receiver":"r","readings":{}}"#),
      ("fleet%3A1.2", #"{"zones":["a"],"last_seen":"yesterday","receiver":"r","readings":{}}"#),
      ("fleet%3A1.2", #"{"zones":["a"]}"#), ("fleet%3A1.2", ""), ("fleet%3A1.2", "[[[[["),
      ("vans%3A1.2", #"{"zones":["a"],"last_seen":"2026-11-20T21:50:04.900Z","receiver":"r","readings":{}}"#),
      ("fleet%3A1.2", Self.state(zones: #"["a",1]"#)), ("fleet%3A1.2", Self.state(zones: "null")),
      ("fleet%3A1.2", Self.state(room: "7")), ("fleet%3A1.2", Self.state(readings: "[]")),
      ("fleet%3A1.2", Self.state(receiver: "null")),
      ("fleet%3A1.2", Self.state(seen: "0001-01-01T00:00:00.000Z")),
      ("fleet%3A1.2", Self.state(readings: #"{"rssi":1e999}"#)),
      ("fleet%3A1.2", Self.state(readings: #"{"a":\#(nested(100_000))}"#)),
      ("fleet%3A1.2", Self.state(readings: #"{"a":"\#(String(repeating: "a", count: 1 << 16))"}"#)),
      ("fleet%3A1.2", Self.state() + "{}"),
    ])
  func noClaim(level: String, payload: String) {
    #expect(leftovers.correction(of: "beaconkeeper/home/beacon/\(level)/state", Array(payload.utf8)) == nil)
  }

  private static func state(
    zones: String = #"["a"]"#, room: String = "null", seen: String = "2026-11-20T21:50:04.900Z",
    receiver: String = #""r""#, readings: String = "{}"
  ) -> String {
    #"{"zones":\#(zones),"room":\#(room),"last_seen":"\#(seen)","receiver":\#(receiver),"readings":\#(readings)}"#
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func ofAwkwardReadingsThoseThatMakeSenseStay() throws {
    let readings =
      #"{"temperature_c":1,"temperature_c":2,"door":null,"\u0064oor":true,"temperature_c_2":"3","#
      + #""temperature_c_3":{"y":1},"temperature_c_4":\#(Self.nested(20))}"#
    let message = try #require(
      leftovers.correction(
        of: "beaconkeeper/home/beacon/fleet%3A1.2/state", Array(Self.state(readings: readings).utf8))
    ).message
    let text = String(decoding: message.payload, as: UTF8.self)
    #expect(text.hasSuffix(#""readings":{"temperature_c":1}}"#), "\(text)")
  }

  @Test(
    "is never a topic of somebody else, or of another kind",
    arguments: [
      "beaconkeeper/homes/zone/pump/occupancy", "beaconkeeper/home/zone/pump/enter",
      "beaconkeeper/home/status",
      "beaconkeeper/home/health", "beaconkeeper/home/zone/a/b/occupancy", "beaconkeeper/home", "",
      "beaconkeeper/home/phone/bert/verdict", "homeassistant/zone/x/occupancy",
    ])
  func foreign(topic: String) {
    #expect(!leftovers.isOwn(topic))
    #expect(leftovers.removal(of: topic) == nil)
  }
}
