import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// What rooms make of advertisements: transitions, states and occupancies, through blindness, reload and restart.
@Suite struct RoomTests {
  private static let head = """
    gateway: { name: flat }
    beacons: [{ name: key, address: C1:00:00:00:00:01 }]

    """
  private static let yaml =
    head + "rooms: [{ name: kitchen, receivers: [cooker] }, { name: hall, receivers: [door] }]"

  @Test func aWalkIsPublishedOnAllTopics() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    try flat.stay(inKitchen: false)
    #expect(flat.events == ["enter room kitchen key", "exit room kitchen key", "enter room hall key"])
    #expect(flat.state("room/kitchen/occupancy")?.contains(#""state":"empty","count":0"#) == true)
    #expect(flat.state("room/hall/occupancy")?.contains(#""state":"occupied","count":1"#) == true)
    #expect(flat.state("beacon/key/room")?.contains(#""room":"hall""#) == true)
    #expect(flat.state("beacon/key/state")?.contains(#""room":"hall""#) == true)
    let told = try #require(flat.scene.output.transitions.last)
    #expect(told.witnesses.sorted() == ["cooker", "door"])
    #expect(told.receiver == "door")
  }

  @Test func withoutRoomsNoRoomTopicIsPublished() throws {
    var scene = try Scene()
    try scene.hear(rssi: -50, for: 5)
    let texts = scene.pipeline.allStates().map { $0.topic + String(decoding: $0.payload, as: UTF8.self) }
    #expect(texts.allSatisfy { !$0.contains("room") })
  }

  @Test func aSilentBeaconLeavesAndABlindReceiverKeepsIt() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    for receiver in [flat.cooker, flat.door] {
      flat.scene.pipeline.setBlind(receiver, true, at: flat.scene.time, into: &flat.scene.output)
    }
    #expect(flat.state("room/kitchen/occupancy")?.contains("unknown") == true)
    flat.wait(600)
    #expect(flat.events.count == 1)
    flat.scene.pipeline.setBlind(flat.cooker, false, at: flat.scene.time, into: &flat.scene.output)
    #expect(flat.state("room/kitchen/occupancy")?.contains("occupied") == true)
    flat.wait(600)
    #expect(flat.events.last == "exit room kitchen key")
    #expect(flat.retained("beacon/key/room")?.contains(#""room":null"#) == true)
  }

  @Test func `a beacon stays in its room while its receivers may have failed`() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    func doubt(_ isDoubted: Bool) {
      for receiver in [flat.cooker, flat.door] {
        flat.scene.pipeline.setHealth(
          receiver, isDoubted ? .doubted : .ok, at: flat.scene.time, into: &flat.scene.output)
      }
    }
    doubt(true)
    flat.wait(600)
    #expect(flat.events.count == 1)
    #expect(flat.state("room/kitchen/occupancy")?.contains("unknown") != true)
    doubt(false)
    flat.wait(2)
    #expect(flat.events.last == "exit room kitchen key")
  }

  @Test func aReloadKeepsTheBeaconsOfAnUnchangedRoom() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let new = try Scene.configuration(Self.yaml + "\nzones: [{ name: home }]")
    flat.scene.pipeline.release(for: new, at: flat.scene.time, into: &flat.scene.output)
    let next = flat.scene.pipeline.reconfigured(new, into: &flat.scene.output)
    flat.scene.replace(next, receiver: flat.cooker)
    #expect(flat.events == ["enter room kitchen key"])
    #expect(flat.retained("room/kitchen/occupancy")?.contains(#""beacon":"key""#) == true)
    try flat.stay(inKitchen: false, seconds: 8)
    #expect(
      flat.events.filter { $0.contains("room") }.suffix(2) == [
        "exit room kitchen key", "enter room hall key",
      ])
  }

  @Test func aReloadWithoutTheRoomLetsEverybodyLeave() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let new = try Scene.configuration(Self.head + "rooms: [{ name: hall, receivers: [door] }]")
    flat.scene.pipeline.release(for: new, at: flat.scene.time, into: &flat.scene.output)
    #expect(flat.events.last == "exit room kitchen key")
    #expect(flat.scene.output.transitions.last?.reason == .zoneRemoved)
    #expect(flat.state("room/kitchen/occupancy")?.contains("empty") == true)
  }

  @Test func aRestartKeepsTheRoomUntilItsReceiverHadTimeToHear() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let saved = flat.scene.pipeline.savedBeacons(at: flat.scene.time, wallTime: flat.scene.wallTime)
    #expect(saved.count == 1)
    var next = try Flat(Self.yaml)
    next.scene.skip(1000)
    next.scene.pipeline.restore(
      saved, isSameBoot: false, at: next.scene.time, wallTime: next.scene.wallTime, into: &next.scene.output)
    #expect(next.retained("room/kitchen/occupancy")?.contains(#""beacon":"key""#) == true)
    next.wait(300)
    #expect(next.events == [], "no receiver has reported yet")
    try next.stay(inKitchen: false, seconds: 8)
    #expect(next.events == ["exit room kitchen key", "enter room hall key"])
  }

  @Test func aRestartWithoutTheRoomSaysThatItWasLeft() throws {
    var flat = try Flat(Self.yaml)
    try flat.stay(inKitchen: true)
    let saved = flat.scene.pipeline.savedBeacons(at: flat.scene.time, wallTime: flat.scene.wallTime)
    var next = try Flat(Self.head + "rooms: [{ name: hall, receivers: [door] }]")
    next.scene.pipeline.restore(
      saved, isSameBoot: true, at: flat.scene.time, wallTime: flat.scene.wallTime, into: &next.scene.output)
    #expect(next.events == ["exit room kitchen key"])
    #expect(next.state("room/kitchen/occupancy")?.contains("empty") == true)
  }
}
