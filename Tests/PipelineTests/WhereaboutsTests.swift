import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// `beacon/<beacon>/zone` and `beacon/<beacon>/place`.
@Suite struct WhereaboutsTests {
  private static func rules(_ zones: String, _ more: String = "") -> String {
    """
    gateway: { name: forecourt }
    beacons: [{ name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }]
    zones:
    \(zones)
    \(more)
    """
  }

  private static let nested = """
      - { name: house, exit: { lost: 60 s } }
      - { name: desk, enter: { distance: 2 m, dwell: 1 s }, exit: { distance: 4 m, dwell: 1 s } }
    """

  /// What the zone topic of the beacon said, in order.
  private func told(_ scene: Scene, _ what: String = "zone") -> [String] {
    scene.states.filter { $0.topic == "beaconkeeper/forecourt/beacon/fleet%3A1.2/" + what }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test func aBeaconsZoneIsPublishedOnceAtEachChange() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 60)
    scene.pass(600)
    #expect(
      told(scene) == ["not_home", "pump-3", "not_home"] || told(scene) == ["shop", "pump-3", "not_home"])
    let message = try #require(scene.states.last { $0.topic.hasSuffix("/zone") })
    #expect(message.retained && message.qos == .atLeastOnce)
    #expect(told(scene, "place") == [])
  }

  @Test func ofTwoZonesAroundOneReceiverTheSmallerWins() throws {
    var scene = try Scene(Self.rules(Self.nested))
    try scene.hear(rssi: -58, for: 5)
    #expect(told(scene).last == "desk")
    try scene.hear(rssi: -80, for: 20)
    #expect(told(scene).last == "house")
    scene.pass(600)
    #expect(told(scene).last == "not_home")
  }

  @Test func aContainedZoneWinsOverItsContainer() throws {
    var scene = try Scene(
      Self.rules("  - { name: house }\n  - { name: kitchen, receivers: [hci0] }"))
    let found = scene.pipeline.receiver("hall")
    let hall = try #require(found)
    for _ in 0..<50 {
      try scene.hear(rssi: -65, for: 0.1)
      try scene.hear(rssi: -50, for: 0.1, at: hall)
    }
    #expect(told(scene).last == "kitchen")
  }

  @Test func theNearestIsChosenAndLeftOnlyForOneThatIsClearlyNearer() throws {
    var scene = try Scene(
      Self.rules("  - { name: hall, receivers: [hall] }\n  - { name: kitchen, receivers: [hci0] }")
        + "\ntelemetry: { beacon_state: 100 ms }")
    let found = scene.pipeline.receiver("hall")
    let hall = try #require(found)
    func hear(_ kitchen: Int8, _ other: Int8) throws {
      for _ in 0..<100 {
        try scene.hear(rssi: kitchen, for: 0.1)
        try scene.hear(rssi: other, for: 0.1, at: hall)
      }
    }
    try hear(-60, -70)
    #expect(told(scene).last == "kitchen")
    let count = told(scene).count
    // 1 dB nearer is 11 % in the open, 10 dB are much.
    try hear(-65, -64)
    try hear(-64, -65)
    #expect(told(scene).count == count)
    try hear(-70, -60)
    #expect(told(scene).last == "hall")
    #expect(told(scene).count == count + 1)
  }

  @Test func aReloadMovesNoBeaconBetweenZonesThatAreEquallyNear() throws {
    let yaml =
      Self.rules("  - { name: hall, receivers: [hall] }\n  - { name: kitchen, receivers: [hci0] }")
      + "\ntelemetry: { beacon_state: 100 ms }"
    var scene = try Scene(yaml)
    let found = scene.pipeline.receiver("hall")
    let hall = try #require(found)
    func hear(_ kitchen: Int8, _ other: Int8) throws {
      for _ in 0..<100 {
        try scene.hear(rssi: kitchen, for: 0.1)
        try scene.hear(rssi: other, for: 0.1, at: hall)
      }
    }
    try hear(-60, -70)
    try hear(-65, -64)
    let count = told(scene).count
    try scene.reload(yaml)
    try hear(-65, -64)
    #expect(told(scene).count == count && told(scene).last == "kitchen")
  }

  @Test func aPlaceIsThatOfTheNearestZoneThatHasOne() throws {
    var scene = try Scene(
      Self.rules(
        Self.nested
          + "\n  - { name: chair, enter: { distance: 1.5 m, dwell: 1 s }, exit: { distance: 3 m, dwell: 1 s } }",
        "home_assistant: { zones: { house: zone.home, desk: { entity: zone.office, name: The office } } }"))
    try scene.hear(rssi: -58, for: 5)
    #expect(told(scene).last == "chair")
    #expect(told(scene, "place").last == "The office")
    try scene.hear(rssi: -80, for: 20)
    #expect(told(scene, "place").last == "home")
    scene.pass(600)
    #expect(told(scene, "place").last == "not_home")
  }

  @Test func aPlaceOfTwoZonesIsNotToldAgainOnTheWayFromOneToTheOther() throws {
    var scene = try Scene(
      Self.rules(Self.nested, "home_assistant: { zones: { house: zone.home, desk: zone.home } }"))
    try scene.hear(rssi: -58, for: 5)
    try scene.hear(rssi: -80, for: 20)
    #expect(told(scene).suffix(2) == ["desk", "house"])
    #expect(told(scene, "place").filter { $0 == "home" } == ["home"])
  }

  @Test func afterAReconnectTheLastZonesArePublishedAgain() throws {
    var scene = try Scene(
      Self.rules(Self.nested, "home_assistant: { zones: { desk: zone.my_office } }"))
    try scene.hear(rssi: -58, for: 5)
    let all = Dictionary(
      uniqueKeysWithValues: scene.pipeline.allStates().map {
        ($0.topic, String(decoding: $0.payload, as: UTF8.self))
      })
    #expect(all["beaconkeeper/forecourt/beacon/fleet%3A1.2/zone"] == "desk")
    #expect(all["beaconkeeper/forecourt/beacon/fleet%3A1.2/place"] == "My office")
  }

  private static let rooms = """
    gateway: { name: flat }
    beacons: [{ name: key, address: C1:00:00:00:00:01 }]
    rooms: [{ name: kitchen, receivers: [cooker] }, { name: hall, receivers: [door] }]

    """

  private func told(_ flat: Flat, _ what: String = "zone") -> [String] {
    flat.scene.states.filter { $0.topic == "beaconkeeper/flat/beacon/key/" + what }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test func whoIsInARoomIsHome() throws {
    var flat = try Flat(Self.rooms)
    try flat.stay(inKitchen: true)
    try flat.stay(inKitchen: false)
    #expect(told(flat) == ["not_home", "home"])
    #expect(flat.retained("beacon/key/zone") == "home")
    flat.wait(600)
    #expect(told(flat).last == "not_home")
    #expect(flat.retained("beacon/key/zone") == "not_home")
  }

  @Test func aZoneIsToldRatherThanThatOneIsHome() throws {
    var flat = try Flat(Self.rooms + "zones: [{ name: cooking, room: kitchen }]")
    try flat.stay(inKitchen: true)
    try flat.stay(inKitchen: false)
    #expect(told(flat) == ["not_home", "cooking", "home"])
  }

  @Test func whoIsHomeIsSoThroughAReloadAndARestart() throws {
    var flat = try Flat(Self.rooms)
    try flat.stay(inKitchen: true)
    try flat.reload(Self.rooms)
    #expect(flat.kept("beacon/key/zone") == "home")
    try flat.restart(Self.rooms)
    #expect(flat.kept("beacon/key/zone") == "home")
    let renamed = Self.rooms.replacing("kitchen", with: "galley")
    try flat.restart(renamed)
    #expect(flat.kept("beacon/key/zone") == "home")
    try flat.reload(Self.rooms)
    #expect(flat.kept("beacon/key/zone") == "home" && flat.state("beacon/key/zone") == nil)
    try flat.restart(renamed.replacing("[cooker]", with: "[stove]"))
    #expect(flat.kept("beacon/key/zone") == "not_home")
  }

  /// Whoever names places names all that count.
  @Test func aRoomIsNoPlace() throws {
    var flat = try Flat(
      Self.rooms
        + "zones: [{ name: cooking, room: kitchen }]\nhome_assistant: { zones: { cooking: zone.home } }")
    try flat.stay(inKitchen: true)
    try flat.stay(inKitchen: false)
    #expect(told(flat, "place") == ["not_home", "home", "not_home"])
  }
}
