import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// A zone of rooms that follows later than its room says why, as far as that is known.
@Suite struct RoomEvidenceTests {
  private static let head = """
    gateway: { name: flat }
    beacons: [{ name: key, address: C1:00:00:00:00:01 }]
    rooms:
      - { name: study, receivers: [hci0] }
      - { name: kitchen, receivers: [cooker] }
      - { name: hall, receivers: [door] }

    """
  private static let down = "zones: [{ name: down, rooms: [kitchen, hall] }]"
  private static let both =
    "zones: [{ name: down, rooms: [kitchen, hall] }, { name: cooking, room: kitchen }]"

  private func enter(_ flat: Flat, _ zone: String) throws -> TransitionMessage {
    try #require(flat.scene.output.transitions.last { $0.place == zone && $0.event == .enter })
  }

  @Test func aZoneThatIsAddedWhileOthersAreThereHasTheEvidenceOfThatTime() throws {
    var flat = try Flat(Self.head + Self.down)
    try flat.stay(inKitchen: true, seconds: 20)
    let before = try enter(flat, "down")
    try flat.reload(Self.head + Self.both)
    flat.wait(0.1)
    let now = try enter(flat, "cooking")
    #expect(now.receiver == before.receiver && now.witnesses == before.witnesses)
    #expect(now.transition?.evidence.value == before.transition?.evidence.value)
    #expect(now.witnesses.count > 0 && now.room == "kitchen")
  }

  @Test func theFirstZoneOfRoomsHasTheProbabilityOfNow() throws {
    var flat = try Flat(Self.head)
    try flat.stay(inKitchen: true, seconds: 20)
    flat.wait(1)
    let now = try #require(flat.scene.pipeline.roomEstimate(of: BeaconIndex(rawValue: 0))).probability
    try flat.reload(Self.head + Self.both)
    flat.wait(0.1)
    let enter = try enter(flat, "cooking")
    #expect(enter.transition?.evidence.value == now && now > 0.6)
    #expect(enter.receiver == "cooker" && enter.witnesses == [] && enter.room == "kitchen")
  }

  @Test func aRoomThatIsLeftForDeadHadStillReachedItsThreshold() throws {
    var flat = try Flat(Self.head)
    try flat.stay(inKitchen: true, seconds: 20)
    try flat.restart(Self.head + Self.both)
    try flat.stay(inKitchen: true, seconds: 1)
    let evidence = try #require(try enter(flat, "cooking").transition?.evidence)
    #expect(evidence.value == evidence.threshold && evidence.threshold > 0)
    #expect(try enter(flat, "cooking").receiver == "cooker")
  }

  /// The first receiver is that of the study.
  @Test func anExitOfWhatTheRoomsDoNotKnowNamesWhoHeardItLast() throws {
    var flat = try Flat(Self.head + "zones: [{ name: down, exit: { lost: 60 s } }]")
    try flat.scene.hear([], rssi: -55, for: 5, at: flat.door)
    try flat.reload(Self.head + Self.down)
    let study = flat.scene.receiver
    #expect(study == ReceiverIndex(rawValue: 0))
    flat.wait(60)
    let exit = try #require(flat.scene.output.transitions.last { $0.place == "down" })
    #expect(exit.event == .exit && exit.receiver == "door")
  }

  @Test func anExitBecauseTheRoomIsRemovedNamesWhoHeardItLast() throws {
    var flat = try Flat(Self.head + Self.down)
    try flat.stay(inKitchen: true, seconds: 20)
    try flat.reload(
      Self.head.replacing("name: kitchen", with: "name: galley").replacing("[cooker]", with: "[stove]")
        + "zones: [{ name: down, room: hall }]")
    let exit = try #require(flat.scene.output.transitions.last { $0.place == "down" })
    #expect(exit.event == .exit && exit.reason == .roomRemoved)
    #expect(exit.receiver == "cooker" || exit.receiver == "door")
    #expect(exit.room == nil && exit.witnesses == [])
  }
}
