import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// Whatever the broker retains of rooms, and of zones of rooms, agrees with what happened: after a restart or a reload without
/// the room, and while receivers are blind.
@Suite struct RoomsKeptTests {
  private static let yaml =
    Flat.head
      + """
      zones:
        - { name: down, rooms: [kitchen, hall] }
        - { name: cooking, room: kitchen, exit: { dwell: 3 s } }
      """
  private static let renamed = yaml.replacing("kitchen", with: "galley")
  /// The kitchen is gone: a room of another name has another receiver.
  private static let rebuilt = renamed.replacing("[cooker]", with: "[stove]")

  private func expectNowhere(_ flat: Flat) {
    #expect(flat.kept("beacon/key/room")?.contains(#""room":null"#) == true)
    #expect(flat.kept("beacon/key/state")?.contains(#""zones":[],"room":null"#) == true)
    #expect(flat.kept("beacon/key/zone") == "not_home")
    #expect(flat.kept("room/kitchen/occupancy")?.contains(#""count":0"#) == true)
    for zone in ["down", "cooking"] {
      #expect(flat.kept("zone/\(zone)/occupancy")?.contains(#""count":0"#) == true)
    }
  }

  @Test func afterARestartWithoutItsRoomABeaconIsNowhere() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    #expect(flat.kept("beacon/key/room")?.contains(#""room":"kitchen""#) == true)
    try flat.restart(Self.rebuilt)
    expectNowhere(flat)
    #expect(flat.kept("beacon/key/room")?.contains(#""since":"2026-11-20T21:50:15.000Z""#) == true)
    flat.wait(600)
    expectNowhere(flat)
  }

  @Test func itLeavesTheZonesOfThatRoomAtOnceAndTheySayWhy() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.restart(Self.rebuilt)
    #expect(flat.events.sorted() == ["exit room kitchen key", "exit zone cooking key", "exit zone down key"])
    let told = flat.scene.output.transitions
    #expect(told.filter { $0.kind == .zone }.allSatisfy { $0.reason == .roomRemoved })
    #expect(told.allSatisfy { $0.receiver == "door" || $0.receiver == "cooker" })
  }

  @Test func whatWasToldAtOneRestartIsNotToldAtTheNext() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.restart(Self.renamed)
    #expect(flat.scene.output.forgotten == [])
    try flat.restart(Self.renamed)
    #expect(flat.events == [])
    #expect(flat.kept("beacon/key/room")?.contains(#""room":"galley""#) == true)
    flat.scene.output.removeAll()
    let another = Self.yaml.replacing("[cooker]", with: "[stove]")
    try flat.restart(another)
    #expect(flat.events.sorted() == ["exit room galley key", "exit zone cooking key", "exit zone down key"])
    try flat.restart(another)
    #expect(flat.events == [])
  }

  /// Where are my keys?
  @Test func `the last room is known after it was left, through restarts and reloads`() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let heard = #""last_room":"kitchen","last_seen_at":"2026-11-20T21:"#
    #expect(flat.kept("beacon/key/room")?.contains(heard) == true)
    flat.wait(600)
    let left = try #require(flat.kept("beacon/key/room"))
    #expect(left.contains(#""room":null"#) && left.contains(heard), "\(left)")
    let seen = try #require(left.firstMatch(of: /"last_seen_at":"[^"]*"/)).0
    for _ in 0..<2 {
      try flat.restart(Self.yaml)
      let kept = try #require(flat.kept("beacon/key/room"))
      #expect(kept.contains(#""room":null"#) && kept.contains(heard) && kept.contains(seen), "\(kept)")
      #expect(flat.events == [])
    }
    try flat.reload(Self.yaml + "\ntelemetry: { beacon_state: 5 s }")
    #expect(flat.kept("beacon/key/room")?.contains(heard) == true)
    try flat.restart(Self.renamed)
    let renamed = heard.replacing("kitchen", with: "galley")
    #expect(flat.kept("beacon/key/room")?.contains(renamed) == true)
    #expect(flat.events == [])
    try flat.reload(Self.yaml)
    #expect(flat.kept("beacon/key/room")?.contains(heard) == true)
    // A room elsewhere is another one, even if it came when the kitchen went.
    try flat.reload(Self.renamed.replacing("[cooker]", with: "[stove]"))
    #expect(flat.kept("beacon/key/room")?.contains(#""last_room":null"#) == true)
  }

  @Test(arguments: [true, false])
  func `whoever is in a room that is renamed is in it under the new name at once, and never away`(
    byReload: Bool
  ) throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    if byReload { try flat.reload(Self.renamed) } else { try flat.restart(Self.renamed) }
    #expect(flat.events == ["exit room kitchen key", "enter room galley key"])
    let moves = flat.scene.output.transitions
    #expect(moves.allSatisfy { $0.reason?.rawValue == "zone_removed" && $0.receiver == "cooker" })
    #expect(Set(moves.map(\.wallTime)).count == 1 && moves.last?.beaconIndex.rawValue == 0)
    #expect(flat.state("beacon/key/zone") == nil && flat.kept("beacon/key/zone") == "cooking")
    #expect(flat.kept("beacon/key/room")?.contains(#""room":"galley""#) == true)
    #expect(flat.kept("room/kitchen/occupancy")?.contains(#""count":0"#) == true)
    for place in ["room/galley", "zone/down", "zone/cooking"] {
      #expect(flat.kept("\(place)/occupancy")?.contains(#""beacon":"key""#) == true, "\(place)")
    }
    flat.scene.output.removeAll()
    try flat.stay(inKitchen: true, seconds: 30)
    #expect(flat.events == [])
    flat.wait(600)
    #expect(
      flat.events.sorted() == ["exit room galley key", "exit zone cooking key", "exit zone down key"])
  }

  /// A zone of the room has the room's name, and both are renamed.
  @Test(arguments: [true, false])
  func `a zone that is renamed with its room is no other zone`(byReload: Bool) throws {
    let named = Self.yaml.replacing("name: cooking", with: "name: kitchen")
    let renamed = named.replacing("kitchen", with: "galley")
    var flat = try Flat(named)
    try flat.stay(inKitchen: true)
    if byReload { try flat.reload(renamed) } else { try flat.restart(renamed) }
    #expect(
      flat.events == [
        "exit zone kitchen key", "enter zone galley key", "exit room kitchen key", "enter room galley key",
      ])
    #expect(flat.kept("beacon/key/zone") == "galley")
    #expect(flat.kept("zone/kitchen/occupancy")?.contains(#""count":0"#) == true)
    try flat.stay(inKitchen: true, seconds: 30)
    #expect(flat.events.count == 4)
  }

  @Test func aZoneThatKeepsItsRoomsIsLeftOnlyWithTheBeaconsOwn() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: false)
    try flat.restart(Self.renamed)
    #expect(flat.events == [])
    #expect(flat.kept("zone/down/occupancy")?.contains(#""state":"unknown","count":1"#) == true)
    #expect(flat.kept("beacon/key/room")?.contains(#""room":"hall""#) == true)
  }

  @Test func afterARestartWithoutAnyRoomABeaconIsInNone() throws {
    var flat = try Flat(Flat.head)
    try flat.stay(inKitchen: true)
    try flat.restart(Flat.head.split(separator: "\n").prefix(2).joined(separator: "\n"))
    #expect(flat.events == ["exit room kitchen key"])
    #expect(flat.kept("beacon/key/room")?.contains(#""room":null"#) == true)
  }

  /// The broker retains of an earlier run, whose state is lost, that the key is in the kitchen.
  @Test func whatIsHeardByReceiversOfNoRoomIsInNone() throws {
    var flat = try Flat(Self.yaml)
    try flat.scene.hear([], rssi: -50, for: 1)
    #expect(flat.kept("beacon/key/room")?.contains(#""room":null"#) == true)
    #expect(flat.retained("beacon/key/room")?.contains(#""room":null"#) == true)
  }

  @Test func aRoomThatIsRemovedWhileItsReceiverIsBlindTakesTheBeaconOutOfItsZone() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    flat.setBlind(flat.cooker, true)
    flat.setBlind(flat.door, true)
    try flat.reload(Self.rebuilt)
    #expect(flat.events.sorted() == ["exit room kitchen key", "exit zone cooking key", "exit zone down key"])
    #expect(flat.scene.output.transitions.allSatisfy { $0.reason != nil })
    expectNowhere(flat)
  }

  /// Of a beacon that was in it by distance the rooms know nothing until they hear it.
  @Test func aZoneOfDistancesThatBecomesOneOfRoomsKeepsItsMembersThroughARestart() throws {
    var flat = try Flat(Flat.head + "zones: [{ name: down, exit: { lost: 20 s } }]")
    try flat.scene.hear([], rssi: -55, for: 8)
    #expect(flat.events == ["enter zone down key"])
    try flat.restart(Flat.head + "zones: [{ name: down, rooms: [hall, kitchen] }]")
    flat.wait(600)
    try flat.stay(inKitchen: true, seconds: 60)
    #expect(flat.events == ["enter room kitchen key"])
    #expect(flat.kept("zone/down/occupancy")?.contains(#""state":"occupied","count":1"#) == true)
  }

  /// The door's receiver hears more than the cooker's.
  @Test func whatIsLearntOfReceiversOutlivesARestartAndAReload() throws {
    var flat = try Flat(Self.yaml)
    for _ in 0..<6 {
      try flat.stay(inKitchen: true, seconds: 15)
      for _ in 0..<75 {
        try flat.scene.hear([], rssi: -75, for: 0.1, at: flat.cooker)
        try flat.scene.hear([], rssi: -45, for: 0.1, at: flat.door)
      }
    }
    func gains() -> (door: Double, cooker: Double) {
      let gains = flat.scene.pipeline.rooms?.receiverGains ?? [:]
      return (gains[flat.door] ?? 0, gains[flat.cooker] ?? 0)
    }
    let learnt = gains()
    #expect(learnt.door - learnt.cooker > 2)
    try flat.reload(Self.yaml + "\n  - { name: hallway, room: hall }")
    #expect(gains() == learnt)
    flat.wait(600)
    #expect(flat.kept("beacon/key/room")?.contains(#""room":null"#) == true)
    try flat.restart(Self.yaml)
    #expect(gains() == learnt)
  }
}
