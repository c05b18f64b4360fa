import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// A zone of rooms whose receivers are blind keeps its beacons, unless they are seen elsewhere.
@Suite struct BlindZonesOfRoomsTests {
  private static let yaml =
    Flat.head
      + """
      zones:
        - { name: day, room: kitchen }
        - { name: cook, room: kitchen, exit: { dwell: 10 s } }
      """

  private func walkToHall(_ flat: inout Flat) throws {
    for _ in 0..<40 { try flat.scene.hear([], rssi: -50, for: 0.2, at: flat.door) }
  }

  private func zones(_ flat: Flat) -> [String] { flat.events.filter { $0.contains("exit zone") } }

  @Test func aBeaconThatIsSeenInAnotherRoomLeaves() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    flat.setBlind(flat.cooker, true)
    try walkToHall(&flat)
    #expect(flat.kept("beacon/key/room")?.contains(#""room":"hall""#) == true)
    #expect(zones(flat) == ["exit zone day key"])
    try walkToHall(&flat)
    #expect(zones(flat) == ["exit zone day key", "exit zone cook key"])
    let exit = try #require(flat.scene.output.transitions.last)
    #expect(exit.room == "hall" && exit.receiver == "door")
    #expect(exit.transition?.evidence.dwell == .seconds(10))
    #expect(flat.kept("beacon/key/state")?.contains(#""zones":[],"room":"hall""#) == true)
    #expect(flat.kept("zone/cook/occupancy")?.contains(#""state":"unknown","count":0"#) == true)
  }

  @Test func goingBlindDoesNotStopItsDwellThere() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try walkToHall(&flat)
    let told = try #require(flat.scene.output.transitions.last { $0.kind == .room })
    flat.setBlind(flat.cooker, true)
    try walkToHall(&flat)
    let exit = try #require(flat.scene.output.transitions.last)
    #expect(exit.place == "cook" && exit.time == told.time + .seconds(10))
  }

  @Test func oneThatWasSeenThereBeforeAllWentBlindStays() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try walkToHall(&flat)
    for receiver in [flat.cooker, flat.door] { flat.setBlind(receiver, true) }
    flat.wait(600)
    #expect(zones(flat) == ["exit zone day key"])
    flat.setBlind(flat.door, false)
    try walkToHall(&flat)
    #expect(zones(flat).count == 1, "its dwell begins anew")
    try walkToHall(&flat)
    #expect(zones(flat) == ["exit zone day key", "exit zone cook key"])
  }

  @Test func nobodyLeavesABlindRoomNorItsZonesBySilence() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    flat.setBlind(flat.cooker, true)
    // The door heard it too, and would still.
    flat.wait(600)
    #expect(!flat.events.contains("exit room kitchen key") && zones(flat) == [])
    flat.setBlind(flat.cooker, false)
    flat.wait(600)
    #expect(flat.events.contains("exit room kitchen key"))
    #expect(zones(flat).sorted() == ["exit zone cook key", "exit zone day key"])
    #expect(flat.kept("beacon/key/state")?.contains(#""zones":[],"room":null"#) == true)
  }

  /// Nothing was known of the door's receiver: its first advertisement says that it sees.
  @Test func aReceiverThatSpeaksFirstWhileAllOthersAreBlindGivesSight() throws {
    let yaml = Flat.head + "zones: [{ name: house }, { name: down, rooms: [kitchen, hall] }]\n"
    var flat = try Flat(yaml)
    flat.setBlind(flat.cooker, true)
    let topics = ["zone/house/occupancy", "zone/down/occupancy", "room/hall/occupancy"]
    for topic in topics {
      #expect(flat.kept(topic)?.contains(#""state":"unknown""#) == true, "\(topic)")
    }
    try flat.scene.hear([], rssi: -90, for: 0.2, at: flat.door)
    for topic in topics {
      #expect(flat.kept(topic)?.contains("unknown") == false, "\(topic)")
    }
    #expect(flat.kept("room/kitchen/occupancy")?.contains(#""state":"unknown""#) == true)
  }

  /// After a restart the door's receiver proves that it sees 700 ms after a beacon was heard at the cooker. Whether the beacon is told
  /// when its window is over must not depend on whether a timer ran in between.
  @Test func whatWasDueBeforeAReceiverProvedItsSightIsDecidedWithoutIt() throws {
    let yaml = Flat.head.replacing(
      "beacons: [", with: "beacons: [{ name: cat, address: C1:00:00:00:00:02 }, ")
    func enters(timer: Bool) throws -> [String] {
      var flat = try Flat(yaml)
      try flat.stay(inKitchen: false)
      try flat.restart(yaml)
      try flat.scene.hear([], from: 0xC100_0000_0002, rssi: -50, for: 0.3, at: flat.cooker)
      if timer { flat.wait(0.4) } else { flat.scene.skip(0.4) }
      try flat.scene.hear([], rssi: -55, for: 3, at: flat.door)
      return flat.scene.output.transitions.filter { $0.beacon == "cat" }
        .map { "\($0.word) \($0.place) \($0.time)" }
    }
    let told = try enters(timer: true)
    #expect(told.count == 1)
    #expect(try enters(timer: false) == told)
  }
}
