import Beacons
import Contract
import Core
import Foundation
import Scenes
import Testing

@testable import Pipeline

/// `room_presence/<receiver>`.
@Suite struct RoomPresenceTests {
  private static let on = Scene.rules + "\nhome_assistant: { room_presence: room_presence }"

  private func told(_ scene: Scene) -> [RoomPresenceMessage] {
    scene.output.items.compactMap { if case .roomPresence(let presence) = $0 { presence } else { nil } }
  }

  @Test func nothingIsPublishedUnlessConfigured() throws {
    for more in [
      "", "\nhome_assistant: { room_presence: off }", "\nhome_assistant: on", "\nhome_assistant: off",
    ] {
      var scene = try Scene(Scene.rules + more)
      try scene.hear(rssi: -58, for: 20)
      #expect(told(scene).isEmpty)
    }
  }

  @Test func aBeaconIsPublishedOncePerSecondAndReceiver() throws {
    var scene = try Scene(Self.on)
    let found = scene.pipeline.receiver("hall")
    let hall = try #require(found)
    // Ten times a second each, in turn.
    for _ in 0..<300 {
      try scene.hear(rssi: -58, for: 0.1)
      try scene.hear(rssi: -75, for: 0.1, at: hall)
    }
    let near = told(scene).filter { $0.receiver == "hci0" }
    let far = told(scene).filter { $0.receiver == "hall" }
    #expect(near.count == 60 && far.count == 60)
    #expect(Set(told(scene).map(\.beacon)) == ["fleet:1.2"])
    // Each receiver has a distance of its own.
    let (nearest, farthest) = try (#require(near.last), #require(far.last))
    #expect((0.5...1.5).contains(nearest.distance) && farthest.distance > 3 * nearest.distance)
  }

  @Test func everyBeaconHasItsOwnPaceAndStrangersAreNotPublished() throws {
    var scene = try Scene(Self.on)
    for _ in 0..<100 {
      try scene.hear(rssi: -58, for: 0.1)
      try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 0.1)
      try scene.hear([2, 1, 6], from: 0xC900_0000_0001, rssi: -60, for: 0.1)
    }
    #expect(told(scene).count { $0.beacon == "fleet:1.2" } >= 25)
    // The address alone tells no power at 1 m; it is taken to be as usual.
    #expect(told(scene).count { $0.beacon == "fridge" } >= 25)
    #expect(Set(told(scene).map(\.beacon)) == ["fleet:1.2", "fridge"])
  }

  @Test func aSilentOneIsNotToldAndAReturningOneAtOnce() throws {
    var scene = try Scene(Self.on)
    try scene.hear(rssi: -58, for: 3)
    scene.pass(1)
    let count = told(scene).count
    scene.pass(600)
    #expect(told(scene).count == count)
    try scene.hear(rssi: -58, for: 0.1)
    #expect(told(scene).count == count + 1)
  }

  @Test func itsNameIsThatWhichPeopleUse() throws {
    var scene = try Scene(
      Self.on.replacing(
        "ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 }",
        with: #"ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 }, names: { "1.2": Bella }"#))
    try scene.hear(rssi: -58, for: 1)
    let first = try #require(told(scene).first)
    #expect(first.beacon == "fleet:1.2" && first.displayName == "Bella" && first.receiver == "hci0")
  }

  @Test func aReloadSwitchesItOnAndOff() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 2)
    try scene.reload(Self.on)
    try scene.hear(rssi: -58, for: 2)
    #expect(told(scene).count == 2)
    try scene.reload()
    // What was heard last.
    #expect(told(scene).count == 3)
    try scene.hear(rssi: -58, for: 5)
    #expect(told(scene).count == 3)
  }

  /// Without a signal there is no distance.
  @Test func sightingsWithoutSignalAreNotPublished() {
    var rooms = RoomPresence(prefix: "rooms")
    func sighting(_ seconds: Double, rssi: Int8? = -60) -> Sighting {
      Sighting(
        beacon: BeaconIndex(rawValue: 3), receiver: ReceiverIndex(rawValue: 1), rssi: rssi,
        measuredPower: nil, time: .zero + .seconds(seconds), wallTime: WallTime(nanoseconds: 0))
    }
    let sightings = [
      sighting(0, rssi: nil), sighting(0), sighting(0.999), sighting(1), sighting(1e9), sighting(1e9),
    ]
    let told = sightings.map { rooms.take($0) }
    #expect(told == [false, true, false, true, true, false])
  }
}
