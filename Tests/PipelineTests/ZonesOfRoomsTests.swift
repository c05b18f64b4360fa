import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// Zones that are made of rooms, through all that happens to a gateway.
@Suite struct ZonesOfRoomsTests {
  private static let yaml =
    Flat.head
      + """
      zones:
        - { name: down, rooms: [kitchen, hall] }
        - { name: cooking, room: kitchen, enter: { dwell: 2 s }, exit: { dwell: 3 s } }
      """

  private func zones(_ flat: Flat) -> [String] { flat.events.filter { $0.contains("zone") } }

  @Test func aBeaconIsInTheZoneWhileItIsInOneOfItsRooms() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    #expect(zones(flat) == ["enter zone down key", "enter zone cooking key"])
    try flat.stay(inKitchen: false, seconds: 8)
    #expect(zones(flat).last == "exit zone cooking key")
    #expect(zones(flat).count == 3, "from room to room it stays downstairs")
    #expect(flat.state("zone/down/occupancy")?.contains(#""state":"occupied","count":1"#) == true)
    #expect(flat.state("zone/cooking/occupancy")?.contains(#""state":"empty""#) == true)
    #expect(flat.state("beacon/key/state")?.contains(#""zones":["down"]"#) == true)
    #expect(flat.state("beacon/key/zone") == "down")
  }

  @Test func withoutDwellItIsInWhenTheRoomSaysSo() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let told = flat.scene.output.transitions
    let room = try #require(told.first { $0.kind == .room })
    let (down, cooking) = (
      try #require(told.first { $0.place == "down" }), try #require(told.first { $0.place == "cooking" })
    )
    #expect(down.time == room.time && down.wallTime == room.wallTime)
    #expect(cooking.time == room.time + .seconds(2))
    #expect(cooking.transition?.evidence.dwell == .seconds(2))
  }

  @Test func theEvidenceNamesTheRoomAndItsReceivers() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.stay(inKitchen: false, seconds: 8)
    let told = flat.scene.output.transitions.filter { $0.kind == .zone }
    let (enter, exit) = (try #require(told.first), try #require(told.last))
    #expect(enter.room == "kitchen" && enter.witnesses.sorted() == ["cooker", "door"])
    #expect(exit.event == .exit && exit.room == "hall" && exit.receiver == "door")
    let evidence = try #require(enter.transition?.evidence)
    #expect(evidence.unit == .probability && evidence.value >= evidence.threshold)
    let text = String(decoding: enter.json, as: UTF8.self)
    #expect(text.contains(#""unit":"probability""#) && text.contains(#""room":"kitchen","receivers":[{"#))
  }

  @Test func aPassageThatIsShorterThanTheDwellIsNoVisit() throws {
    var flat = try Flat(Self.yaml.replacing("enter: { dwell: 2 s }", with: "enter: { dwell: 6 s }"))
    try flat.stay(inKitchen: false, seconds: 8)
    try flat.stay(inKitchen: true, seconds: 3)
    #expect(flat.events.contains("enter room kitchen key"))
    try flat.stay(inKitchen: false, seconds: 8)
    #expect(zones(flat) == ["enter zone down key"])
  }

  @Test func aSilentBeaconLeavesAtOnceAndABlindZoneKeepsIt() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    for receiver in [flat.cooker, flat.door] {
      flat.scene.pipeline.setBlind(receiver, true, at: flat.scene.time, into: &flat.scene.output)
    }
    #expect(flat.state("zone/cooking/occupancy")?.contains("unknown") == true)
    flat.wait(600)
    #expect(zones(flat).count == 2)
    flat.scene.pipeline.setBlind(flat.cooker, false, at: flat.scene.time, into: &flat.scene.output)
    #expect(flat.state("zone/cooking/occupancy")?.contains("occupied") == true)
    flat.wait(600)
    #expect(zones(flat).suffix(2).sorted() == ["exit zone cooking key", "exit zone down key"])
    let told = flat.scene.output.transitions
    let room = try #require(told.last { $0.kind == .room })
    let exits = told.suffix(2).compactMap(\.transition)
    #expect(exits.allSatisfy { $0.time == room.time && $0.evidence.unit == .seconds })
  }

  @Test func aZoneIsUnknownUntilAReceiverOfItsRoomsReports() throws {
    var flat = try Flat(Self.yaml)
    #expect(flat.retained("zone/down/occupancy")?.contains("unknown") == true)
    try flat.stay(inKitchen: true, seconds: 1)
    #expect(flat.state("zone/down/occupancy") != nil)
    #expect(flat.retained("zone/down/occupancy")?.contains("unknown") == false)
  }

  @Test func aReloadKeepsPresentBeaconsAndReleasesAbsentOnes() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.scene.reload(
      Flat.head + "zones: [{ name: down, rooms: [kitchen, hall] }, { name: cooking, room: hall }]")
    #expect(zones(flat).count == 2)
    #expect(flat.retained("zone/down/occupancy")?.contains(#""beacon":"key""#) == true)
    flat.wait(0.1)
    #expect(zones(flat).suffix(1) == ["exit zone cooking key"])
    let exit = try #require(flat.scene.output.transitions.last)
    #expect(exit.room == "kitchen" && exit.reason == nil)
  }

  @Test func aZoneOfDistancesThatBecomesOneOfRoomsKeepsItsMembers() throws {
    var flat = try Flat(Flat.head + "zones: [{ name: down, exit: { lost: 20 s } }]")
    try flat.stay(inKitchen: true)
    #expect(zones(flat) == ["enter zone down key"])
    try flat.scene.reload(Flat.head + "zones: [{ name: down, rooms: [hall, kitchen] }]")
    try flat.stay(inKitchen: true, seconds: 60)
    #expect(zones(flat) == ["enter zone down key"])
    try flat.scene.reload(Flat.head + "zones: [{ name: down, exit: { lost: 20 s } }]")
    try flat.stay(inKitchen: true, seconds: 60)
    #expect(zones(flat) == ["enter zone down key"])
  }

  @Test func aRoomThatIsRemovedTakesTheBeaconOutOfItsZone() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.scene.reload(
      Flat.head.replacing("{ name: kitchen, receivers: [cooker] }, ", with: "")
        + "zones: [{ name: down, rooms: [hall] }]")
    let exit = try #require(flat.scene.output.transitions.last { $0.place == "down" })
    #expect(exit.event == .exit && exit.reason == .roomRemoved)
    #expect(exit.transition?.evidence.threshold == 0)
    #expect(flat.retained("zone/down/occupancy")?.contains(#""count":0"#) == true)
  }

  @Test func aRestartKeepsTheZoneUntilItsReceiversHadTimeToHear() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let saved = flat.scene.pipeline.savedBeacons(at: flat.scene.time, wallTime: flat.scene.wallTime)
    var next = try Flat(Self.yaml)
    next.scene.skip(1000)
    next.scene.pipeline.restore(
      saved, isSameBoot: false, at: next.scene.time, wallTime: next.scene.wallTime, into: &next.scene.output)
    #expect(next.retained("zone/cooking/occupancy")?.contains(#""beacon":"key""#) == true)
    next.wait(300)
    #expect(next.events == [], "no receiver has reported yet")
    try next.stay(inKitchen: false, seconds: 10)
    #expect(zones(next) == ["exit zone cooking key"])
  }

  @Test func sightingsThatArriveShuffledDecideTheSame() throws {
    let yaml = Self.yaml + "\nscanners: [{ kind: espresense }]"
    func story(isShuffled: Bool) throws -> [String] {
      var flat = try Flat(yaml)
      for step in 0..<60 {
        let (near, far): (Int8, Int8) = step < 30 ? (-55, -75) : (-75, -55)
        for receiver in isShuffled ? [flat.door, flat.cooker] : [flat.cooker, flat.door] {
          try flat.scene.hear([], rssi: receiver == flat.cooker ? near : far, for: 0.1, at: receiver)
          flat.scene.skip(-0.1)
        }
        flat.scene.skip(0.2)
      }
      flat.wait(5)
      return flat.scene.output.transitions.map { "\($0.word) \($0.place) \($0.time.nanoseconds)" }.sorted()
    }
    let straight = try story(isShuffled: false)
    #expect(straight.count > 4)
    #expect(try story(isShuffled: true) == straight)
  }
}
