import Beacons
import Configuration
import Contract
import Core
import Foundation
import Scenes
import Testing

@testable import Gateway
@testable import Pipeline

/// A broker that keeps what is retained, and an announcer that speaks to it.
private struct Home {
  var announcer: Announcer
  var kept: [String: [UInt8]] = [:]
  var time = MonotonicTime.zero
  /// Everything that was said, in order.
  var said: [Message] = []

  init(_ yaml: String = Home.rules) throws { announcer = Announcer(try Scene.configuration(yaml)) }

  static let rules = """
    gateway: { name: home }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: fridge, address: "C1:00:00:00:00:05" }
    zones:
      - { name: shop, beacons: [fridge] }
      - { name: pump, beacons: [fleet], near: { distance: 2 m } }
    """

  mutating func connect() {
    announcer.connected(at: time)
    for (topic, payload) in kept { announcer.received(payload, at: topic, time: time) }
  }

  /// The announcer is asked after what happened before, and then when it has something to say by itself.
  mutating func pass(_ seconds: Int = 60) {
    for quarter in 0..<(seconds * 4) {
      time = time + .milliseconds(250)
      if quarter > 0 {
        guard let next = announcer.nextTime(after: time), next <= time else { continue }
      }
      for message in announcer.next(at: time) {
        said.append(message)
        kept[message.topic] = message.payload.isEmpty ? nil : message.payload
      }
    }
  }

  /// Until everything is said; a minute at most.
  mutating func settle() {
    for _ in 0..<60 where !announcer.isSettled { pass(1) }
  }

  mutating func hear(_ name: String, zones: Set<String> = [], _ readings: Reading...) {
    announcer.note(name, HeardBeacon(zones: zones, readings: Set(readings.map { ReadingKind($0) })))
  }

  /// The same broker, another run of the gateway.
  func restarted(_ yaml: String = Home.rules) throws -> Home {
    var next = try Home(yaml)
    next.kept = kept
    next.time = time
    next.connect()
    next.pass()
    return next
  }

  mutating func reconfigure(_ yaml: String) throws {
    announcer.reconfigure(try Scene.configuration(yaml), at: time)
    pass()
  }

  /// Which devices the broker keeps, by their object ids.
  var devices: Set<String> { Set(kept.keys.map { String($0.split(separator: "/")[3]) }) }

  func components(_ object: String) throws -> [String: [String: Any]] {
    let payload = try #require(kept["homeassistant/device/beaconkeeper_home/\(object)/config"])
    let whole = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    return try #require(whole["components"] as? [String: [String: Any]])
  }
}

@Suite struct AnnouncerTests {
  @Test func announcesNothingBeforeTheRetainedTopicsAreKnown() throws {
    var home = try Home()
    home.pass(10)
    #expect(home.said.isEmpty)
    home.connect()
    home.pass(1)
    #expect(home.said.isEmpty)
    home.pass(5)
    #expect(home.devices == ["gateway", "zone_shop", "zone_pump", "beacon_fridge"])
    #expect(home.said.first?.topic.contains("/gateway/") == true)
  }

  @Test func aSensorAppearsOnceItsReadingIsKnown() throws {
    var home = try Home()
    home.connect()
    home.pass()
    #expect(try home.components("beacon_fridge")["temperature_c"] == nil)
    home.hear("fridge", Reading(.temperature, .number(3)))
    home.pass()
    #expect(try home.components("beacon_fridge")["temperature_c"] != nil)
    #expect(home.said.count { $0.topic.contains("beacon_fridge") } == 2)
    home.hear("fridge", Reading(.temperature, .number(4)))
    home.pass()
    #expect(home.said.count { $0.topic.contains("beacon_fridge") } == 2)
  }

  /// RabbitMQ, for one.
  @Test func `where the broker returns nothing, members are remembered, and cleared with their region`()
    throws
  {
    var home = try Home()
    home.connect()
    home.pass()
    home.hear("fleet:1.2")
    home.pass()
    let topics = Set(home.said.map(\.topic))
    func restarted(_ yaml: String) throws -> Home {
      var next = try Home(yaml)
      next.connect()
      next.announcer.remember(topics)
      next.pass()
      return next
    }
    let member = "homeassistant/device/beaconkeeper_home/beacon_fleet_3A1_2E2/config"
    #expect(topics.contains(member), "\(topics)")
    let again = try restarted(Home.rules)
    #expect(again.said.filter { $0.topic == member }.allSatisfy { !$0.payload.isEmpty })
    #expect(again.devices == home.devices)
    let without = try restarted(
      Home.rules.replacing("  - { name: fleet,", with: "  - { name: other,").replacing(
        "[fleet]", with: "[other]"))
    #expect(without.said.first { $0.topic == member }?.payload.isEmpty == true)
    // What another form announced is released, and then cleared.
    var other = try restarted(Home.rules + "\nhome_assistant: { form: component }")
    other.pass(30)
    let payloads = other.said.filter { $0.topic == member }.map {
      String(decoding: $0.payload, as: UTF8.self)
    }
    #expect(payloads == [#"{"migrate_discovery":true}"#, ""])
  }

  @Test func `with a base of several levels, all that is announced is found there`() throws {
    var home = try Home(
      Home.rules + "\nbroker: { url: \"mqtt://broker.lan\", base_topic: site/house }")
    home.connect()
    home.hear("fleet:1.2", Reading(.temperature, .number(3)))
    home.pass()
    #expect(home.said.count > 4)
    for message in home.said {
      let text = String(decoding: message.payload, as: UTF8.self)
      #expect(text.contains("site/house/home/status") && !text.contains("\"beaconkeeper/"), "\(text)")
    }
  }

  @Test func aBeaconsKindIsLearntFromItsFramesAndSurvivesARestart() throws {
    func device(_ home: Home) throws -> [String: Any] {
      let payload = try #require(home.kept["homeassistant/device/beaconkeeper_home/beacon_fridge/config"])
      let whole = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
      return try #require(whole["device"] as? [String: Any])
    }
    var home = try Home()
    home.connect()
    home.pass()
    #expect(try device(home)["model"] as? String == "Bluetooth device")
    var scene = try Scene()
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 1)
    for (name, news) in scene.pipeline.takeNews() { home.announcer.note(name, news) }
    home.pass()
    #expect(try device(home)["model"] as? String == "RuuviTag")
    #expect(try device(home.restarted())["manufacturer"] as? String == "Ruuvi Innovations")
    try home.reconfigure(Home.rules + "\nhome_assistant: { form: component }")
    let payload = try #require(home.kept.first { $0.key.contains("beacon_fridge__tracker") }?.value)
    #expect(String(decoding: payload, as: UTF8.self).contains("RuuviTag"))
    #expect(try home.restarted(Home.rules + "\nhome_assistant: { form: component }").kept == home.kept)
  }

  @Test func anotherChoiceOfEntitiesAddsAndRemovesThem() throws {
    var home = try Home()
    home.connect()
    home.pass()
    home.hear("fridge", Reading(.temperature, .number(3)), Reading(.movementCount, .number(3)))
    home.pass()
    func there() throws -> Set<String> {
      Set(try home.components("beacon_fridge").filter { $0.value["unique_id"] != nil }.keys)
    }
    #expect(try there() == ["tracker", "zone", "distance", "temperature_c", "movement_count_event"])
    for (entities, expected) in [
      ("all", 9), ("minimal", 2), ("normal", 5),
    ] {
      try home.reconfigure(Home.rules + "\nhome_assistant: { entities: \(entities) }")
      home.hear("fridge", Reading(.temperature, .number(3)), Reading(.movementCount, .number(3)))
      home.pass()
      let found = try there()
      #expect(found.count == expected, "\(entities): \(found)")
    }
  }

  @Test func aMemberWithADisplayNameIsAnnouncedByIt() throws {
    var home = try Home(
      Home.rules.replacing("DD4425 } }", with: "DD4425 }, names: { \"1.2\": Bella } }"))
    home.connect()
    home.pass()
    home.hear("fleet:1.2")
    home.pass()
    let payload = try #require(home.kept.first { $0.key.contains("beacon_fleet_3A1_2E2") }?.value)
    let text = String(decoding: payload, as: UTF8.self)
    #expect(text.contains(#""name":"Bella""#))
    #expect(text.contains("beacon/fleet%3A1.2/state"))
  }

  @Test func aMemberOfARegionBecomesADeviceWhenItIsHeard() throws {
    var home = try Home()
    home.connect()
    home.pass()
    home.hear("fleet:1.2", zones: ["pump"])
    home.pass()
    #expect(try home.components("beacon_fleet_3A1_2E2")["near_pump"] != nil)
    let next = try home.restarted()
    #expect(next.devices.contains("beacon_fleet_3A1_2E2"))
  }

  @Test func membersAreBounded() throws {
    var home = try Home(Home.rules + "\nhome_assistant: { members: 2 }")
    home.connect()
    home.pass()
    for minor in 0..<5 { home.hear("fleet:1.\(minor)") }
    home.pass()
    #expect(home.devices.count { $0.hasPrefix("beacon_fleet") } == 2)
    #expect(home.announcer.refusedMembers == 3)
  }

  @Test func `members that are heard get the places of those that were silent longest`() throws {
    var home = try Home(Home.rules + "\nhome_assistant: { members: 3 }")
    home.connect()
    home.pass()
    for minor in 1...5 { home.hear("fleet:1.\(minor)") }
    home.pass()
    #expect(home.announcer.refusedMembers == 2)
    let members = { (home: Home) in home.devices.filter { $0.contains("fleet") } }
    let start = home.time - .seconds(300)
    func heard(_ ages: [Int]) -> [(name: String, heard: MonotonicTime)] {
      ages.enumerated().map { ("fleet:1.\($0.offset + 1)", home.time - .seconds(Double($0.element))) }
    }
    // All are heard: nobody gives way.
    var given = home.announcer.makeRoom(lastHeard: heard([0, 1, 0, 2, 0]), since: start, at: home.time)
    #expect(given.admitted == [] && given.isCrowded)
    // Two of three are silent, and one of the others is there.
    given = home.announcer.makeRoom(lastHeard: heard([90, 0, 200, 2, 50]), since: start, at: home.time)
    #expect(given.admitted == ["fleet:1.4"] && !given.isCrowded)
    home.hear("fleet:1.4")
    home.pass()
    #expect(
      members(home) == ["beacon_fleet_3A1_2E1", "beacon_fleet_3A1_2E2", "beacon_fleet_3A1_2E4"])
    // One that an earlier run announced, and that this one has not heard.
    given = home.announcer.makeRoom(
      lastHeard: heard([0, 0, 500, 0, 0]).filter { $0.name != "fleet:1.1" }, since: start, at: home.time)
    #expect(given.admitted == ["fleet:1.5"])
    home.hear("fleet:1.5")
    home.pass()
    #expect(
      members(home) == ["beacon_fleet_3A1_2E2", "beacon_fleet_3A1_2E4", "beacon_fleet_3A1_2E5"])
  }

  @Test func `a member with a name takes a place at once`() throws {
    let rules = Home.rules.replacing("DD4425 } }", with: #"DD4425 }, names: { "1.9": Bella } }"#)
    var home = try Home(rules + "\nhome_assistant: { members: 2 }")
    home.connect()
    for minor in [1, 2, 9] { home.hear("fleet:1.\(minor)") }
    home.pass()
    let lastHeard = [1, 2, 9].map { (name: "fleet:1.\($0)", heard: home.time) }
    let given = home.announcer.makeRoom(lastHeard: lastHeard, since: .zero, at: home.time)
    #expect(given.admitted == ["fleet:1.9"] && !given.isCrowded)
    home.pass()
    #expect(home.devices.contains("beacon_fleet_3A1_2E9"))
  }

  @Test(arguments: [0, 3], [true, false]) func aLoweredLimitRemovesTheExcessDevices(
    limit: Int, byReload: Bool
  ) throws {
    var home = try Home()
    home.connect()
    home.pass(2)
    for minor in 1...6 { home.hear("fleet:1.\(minor)") }
    home.pass()
    let members = { (home: Home) in home.devices.count { $0.contains("fleet") } }
    #expect(members(home) == 6)
    let rules = Home.rules + "\nhome_assistant: { members: \(limit) }"
    if byReload {
      try home.reconfigure(rules)
      for minor in 1...6 { home.hear("fleet:1.\(minor)") }
      home.pass()
    } else {
      home = try home.restarted(rules)
    }
    #expect(members(home) == limit)
    #expect(home.devices.contains { $0.contains("fridge") })
  }

  @Test func aDeviceIsNotAnnouncedTwiceWithinSeconds() throws {
    var home = try Home()
    home.connect()
    home.pass(3)
    let before = home.said.count
    home.hear("fridge", Reading(.temperature, .number(3)))
    home.pass(2)
    #expect(home.said.count == before)
    home.pass(5)
    #expect(home.said.count == before + 1)
  }

  @Test func devicesAreAnnouncedAgainInStepsWhenHomeAssistantStarts() throws {
    let beacons = (0..<100).map {
      "  - { name: b\($0), address: \"C1:00:00:00:01:\(String($0 + 16, radix: 16))\" }"
    }
    var home = try Home("gateway: { name: home }\nbeacons:\n" + beacons.joined(separator: "\n"))
    home.connect()
    home.pass()
    #expect(home.said.count == 101)
    home.said.removeAll()
    home.announcer.born(at: home.time)
    home.pass(1)
    #expect(home.said.isEmpty)
    var most = 0
    for _ in 0..<100 {
      let before = home.said.count
      home.time = home.time + .milliseconds(250)
      home.said += home.announcer.next(at: home.time)
      most = max(most, home.said.count - before)
    }
    #expect(home.said.count == 101)
    #expect(most <= 20)
  }

  @Test func aRestartKeepsSensorsThatWereNotHeardYet() throws {
    var home = try Home()
    home.connect()
    home.pass()
    home.hear("fridge", Reading(.temperature, .number(3)), Reading(.temperature, ordinal: 2, .number(3)))
    home.pass()
    let next = try home.restarted()
    #expect(next.kept == home.kept)
    #expect(try next.components("beacon_fridge")["temperature_c_2"] != nil)
  }

  static let without = Home.rules.replacing("      - { name: shop, beacons: [fridge] }\n", with: "")
    .replacing("  - { name: shop, beacons: [fridge] }\n", with: "")

  @Test(arguments: [true, false]) func droppedDevicesAreRemovedOnce(byReload: Bool) throws {
    var home = try Home()
    home.connect()
    home.pass()
    #expect(try home.components("beacon_fridge")["enter_shop"] != nil)
    if byReload {
      try home.reconfigure(Self.without)
    } else {
      home = try home.restarted(Self.without)
    }
    #expect(home.devices == ["gateway", "zone_pump", "beacon_fridge"])
    // Home Assistant lets go of a trigger that is named without options.
    #expect(try home.components("beacon_fridge")["enter_shop"]?.keys.map { $0 } == ["platform"])
    #expect(home.said.count { $0.payload.isEmpty } == 1)
    let next = try home.restarted(Self.without)
    #expect(try next.components("beacon_fridge")["enter_shop"] == nil)
    #expect(next.said.allSatisfy { !$0.payload.isEmpty })
  }

  static let rooms = Home.rules + "\nrooms: [{ name: hall, receivers: [a] }, { name: bath, receivers: [b] }]"

  @Test func `what another client changed is announced again`() throws {
    var home = try Home()
    home.connect()
    home.pass()
    let topic = "homeassistant/device/beaconkeeper_home/zone_shop/config"
    let told = try #require(home.kept[topic])
    let before = home.said.count
    // Its own echo, where the broker sends it.
    _ = home.announcer.take(told, topic: topic, isRetained: false, at: home.time)
    home.pass()
    #expect(home.said.count == before && home.announcer.overwritten == nil)
    for foreign in [[], Array("{}".utf8)] {
      home.kept[topic] = foreign
      _ = home.announcer.take(foreign, topic: topic, isRetained: false, at: home.time)
      home.pass()
      #expect(home.kept[topic] == told && home.announcer.overwritten == topic)
    }
  }

  @Test func `a room with the name of a zone has entities of other names`() throws {
    var home = try Home(
      Home.rules + "\nrooms:\n  - { name: shop, receivers: [hci0] }\n  - { name: hall, receivers: [hci1] }")
    home.connect()
    home.pass()
    let ids = try ["zone_shop", "room_shop", "room_hall"].map { object in
      try home.components(object)["occupancy"]?["default_entity_id"] as? String
    }
    #expect(
      ids == [
        "binary_sensor.shop Occupancy", "binary_sensor.shop room Occupancy", "binary_sensor.hall Occupancy",
      ])
  }

  @Test(arguments: [true, false]) func roomsComeAndGoWithTheConfiguration(byReload: Bool) throws {
    var home = try Home(Self.rooms)
    home.connect()
    home.pass()
    #expect(home.devices == ["gateway", "zone_shop", "zone_pump", "room_hall", "room_bath", "beacon_fridge"])
    #expect(try home.components("beacon_fridge")["room"]?["state_topic"] != nil)
    let one = Self.rooms.replacing(", { name: bath, receivers: [b] }", with: "")
    if byReload { try home.reconfigure(one) } else { home = try home.restarted(one) }
    #expect(!home.devices.contains("room_bath") && home.devices.contains("room_hall"))
    if byReload { try home.reconfigure(Home.rules) } else { home = try home.restarted(Home.rules) }
    #expect(!home.devices.contains("room_hall"))
    // Named without options: Home Assistant drops it.
    #expect(try home.components("beacon_fridge")["room"]?.keys.map { $0 } == ["platform"])
  }

  @Test(arguments: [true, false]) func switchedOffNothingIsLeft(byReload: Bool) throws {
    var home = try Home()
    home.connect()
    home.pass()
    home.hear("fleet:1.2")
    home.pass()
    let off = Home.rules + "\nhome_assistant: off"
    if byReload { try home.reconfigure(off) } else { home = try home.restarted(off) }
    #expect(home.kept.isEmpty)
  }

  @Test(arguments: ["form: device", "form: component", "off"])
  func isSettledOnceNothingIsLeftToAnnounceOrRemove(next: String) throws {
    func yaml(_ rules: String, _ form: String) -> String {
      rules + "\nhome_assistant: " + (form == "off" ? form : "{ \(form) }")
    }
    var home = try Home(yaml(Home.rules, "form: component"))
    #expect(!home.announcer.isSettled)
    home.connect()
    #expect(!home.announcer.isSettled)
    home.settle()
    #expect(home.announcer.isSettled)
    #expect(home.kept.keys.contains { $0.contains("shop") })
    let new = try Scene.configuration(yaml(Self.without, next))
    home.announcer.reconfigure(new, at: home.time)
    #expect(!home.announcer.isSettled)
    home.settle()
    #expect(home.announcer.isSettled)
    #expect(home.kept.keys.allSatisfy { !$0.contains("shop") })
    home.said.removeAll()
    home.pass()
    #expect(home.said.isEmpty)
    home.announcer.disconnected()
    #expect(!home.announcer.isSettled)
  }

  @Test(arguments: ["device", "component"]) func theOtherFormTakesOverStepByStep(form: String) throws {
    func yaml(_ form: String) -> String { Home.rules + "\nhome_assistant: { form: \(form) }" }
    let other = form == "device" ? "component" : "device"
    var home = try Home(yaml(form))
    home.connect()
    home.pass()
    home.hear("fridge", Reading(.temperature, .number(3)))
    home.pass()
    let old = Set(home.kept.keys)
    home.said.removeAll()
    try home.reconfigure(yaml(other))
    #expect(home.kept.keys.allSatisfy { !old.contains($0) } && !home.kept.isEmpty)
    for topic in old {
      let told = home.said.filter { $0.topic == topic }
      #expect(told.map(\.payload) == [Array(#"{"migrate_discovery":true}"#.utf8), []])
    }
    // First it lets go, then the new form is announced, then the old topics are emptied.
    let first = try #require(home.said.firstIndex { !old.contains($0.topic) })
    let last = try #require(home.said.lastIndex { !old.contains($0.topic) })
    #expect(home.said[..<first].count == old.count)
    #expect(home.said[last...].allSatisfy { $0.payload.isEmpty || !old.contains($0.topic) })
    #expect(home.kept.keys.contains { $0.contains("temperature_c") } == (other == "component"))
  }

  /// Home Assistant keeps what was let go of and is not announced again.
  @Test(arguments: ["device", "component"])
  func theOtherDiscoveryFormMigratesOnlyAnnouncedDevices(form: String) throws {
    func yaml(_ form: String, _ entities: String) -> String {
      Home.rules + "\nhome_assistant: { form: \(form), entities: \(entities) }"
    }
    let other = form == "device" ? "component" : "device"
    var home = try Home(yaml(form, "normal"))
    home.connect()
    home.pass()
    home.hear("fridge", Reading(.temperature, .number(3)))
    home.pass()
    home.said.removeAll()
    try home.reconfigure(yaml(other, "minimal"))
    home.hear("fridge", Reading(.temperature, .number(3)))
    home.pass()
    let migration = Array(#"{"migrate_discovery":true}"#.utf8)
    if form == "device" {
      let told = home.said.filter { $0.topic.hasSuffix("/device/beaconkeeper_home/beacon_fridge/config") }
      let first = try #require(told.first.map { String(decoding: $0.payload, as: UTF8.self) })
      #expect(first.contains(#""temperature_c":{"platform":"sensor"}"#))
      #expect(told.dropFirst().map(\.payload) == [migration, []])
    } else {
      let told = home.said.filter { $0.topic.contains("beacon_fridge__temperature_c") }
      #expect(told.map(\.payload) == [[]])
    }
    #expect(home.kept.keys.allSatisfy { $0.contains("/device/") == (other == "device") })
    #expect(!home.kept.contains { String(decoding: $1, as: UTF8.self).contains("temperature_c") })
  }

  @Test func garbageInItsPlaceIsRemovedAndNeverTrusted() throws {
    var home = try Home()
    let start = "homeassistant/device/beaconkeeper_home/"
    home.kept = [
      start + "beacon_fridge/config": Array(#"{"components":{"temperature_c":7,"x":{}}}"#.utf8),
      start + "zone_shop/config": [0xFF, 0x00], start + "beacon_ghost/config": Array("{}".utf8),
      start + "beacon_fleet_3A9_2E9/config": Array(repeating: UInt8(ascii: "["), count: 100_000),
      "homeassistant/sensor/beaconkeeper_home/old-id/config": Array("{}".utf8),
    ]
    home.connect()
    home.pass()
    #expect(!home.devices.contains("beacon_ghost") && !home.devices.contains("old-id"))
    #expect(try home.components("beacon_fridge")["temperature_c"] == nil)
    #expect(home.devices.contains("beacon_fleet_3A9_2E9"))
  }

  @Test(
    arguments: [
      (
        #"{"components":{"a":{"platform":"p","unique_id":null},"b":{"platform":"q"}}}"#,
        ["a": true, "b": false]
      ),
      (#"{"components":{"a":{"platform":"p"},"a":{"platform":1}}}"#, ["a": false]),
      (#"{"components":null,"device":null}"#, [:]), (#"{"device":{"manufacturer":null,"x":[[]]}}"#, [:]),
      (#"{"components":{"a":{}}}"#, nil), (#"{"components":{"a":[]}}"#, nil), (#"{"components":[]}"#, nil),
      (#"{"components":{"a":{"platform":"p"}},"device":"d"}"#, nil), (#"{"device":{"model":1}}"#, nil),
      (#"{"device":{"model":"m","manufacturer":2}}"#, nil), (#"{"x":1e999}"#, nil), ("{}{}", nil),
      (String(repeating: #"{"components":"#, count: 100_000), nil), ("\u{FEFF}{}", nil),
      ("{\"x\":[" + String(repeating: "0,", count: 1 << 19) + "0]}", nil),
      ("{\"x\":[" + String(repeating: "0,", count: 100_000) + "0]}", [:]),
    ] as [(String, [String: Bool]?)])
  func ofWhatIsKeptOnlyDiscoveryIsRead(payload: String, components: [String: Bool]?) {
    #expect(RetainedDiscovery(Array(payload.utf8))?.components.mapValues(\.isThere) == components)
  }

  @Test func aBrokerThatLostItsRetainedTopicsGetsThemAgain() throws {
    var home = try Home()
    home.connect()
    home.pass()
    let before = home.kept
    home.announcer.disconnected()
    home.pass()
    home.kept.removeAll()
    home.connect()
    home.pass()
    #expect(home.kept == before)
  }

  @Test(arguments: ["device", "component"]) func aButtonThatIsSeldomPressedStaysThroughARestart(form: String)
    throws
  {
    let rules = Home.rules + "\nhome_assistant: { form: \(form) }"
    var home = try Home(rules)
    home.connect()
    home.pass()
    home.hear("fridge", Reading(.button, .button(.none)), Reading(.window, .flag(false)))
    home.pass()
    let before = home.kept
    #expect(
      before.contains {
        $0.key.contains("button_press") || String(decoding: $0.value, as: UTF8.self).contains("button_press")
      })
    let next = try home.restarted(rules)
    #expect(next.kept == before)
  }

  @Test func thePipelineReportsNewBeacons() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 12)
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 1)
    let news = scene.pipeline.takeNews()
    #expect(Set(news.map(\.name)) == ["fleet:1.2", "fridge"])
    let fridge = try #require(news.last { $0.name == "fridge" })
    #expect(fridge.beacon.readings.contains(ReadingKind(Reading(.temperature, .number(0)))))
    #expect(fridge.beacon.zones == ["shop"])
    try scene.hear(rssi: -58, for: 1)
    #expect(scene.pipeline.takeNews().isEmpty)
  }

  /// Whoever may write there can leave 100,000 topics of ours; each is looked at twice, however many wait.
  @Test func removingManyTopicsTakesLinearTime() throws {
    var home = try Home()
    for number in 0..<20_000 {
      home.kept["homeassistant/sensor/beaconkeeper_home/ghost_\(number)_x/config"] = Array("{}".utf8)
    }
    home.connect()
    home.pass(280)
    #expect(home.kept.keys.count { $0.contains("ghost") } == 0)
    #expect(home.announcer.judged <= 2 * 20_100)
    // One that comes late has only itself looked at.
    let before = home.announcer.judged
    home.announcer.received(
      Array("{}".utf8), at: "homeassistant/sensor/beaconkeeper_home/late_x/config", time: home.time)
    home.pass(10)
    #expect(home.announcer.judged <= before + 2)
    #expect(home.said.last?.topic == "homeassistant/sensor/beaconkeeper_home/late_x/config")
  }
}
