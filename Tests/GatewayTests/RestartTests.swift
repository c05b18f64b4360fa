import Beacons
import Foundation
import Messages
import Testing

@testable import Gateway

/// A gateway that ends at any moment goes on where it was: no false enter, no ghost.
@Suite struct RestartTests {
  /// The scene in a new run of the gateway, after some seconds, with what was saved at the last transition.
  private func restart(
    _ scene: inout Scene, after seconds: Double, rules: String = Scene.rules
  ) throws {
    let beacons = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    let written = try JSONEncoder().encode(beacons)
    scene.skip(seconds)
    var next = Pipeline(try Scene.configuration(rules), epoch: 7, lastSequence: 100)
    // The order in which receivers are met may be another.
    _ = next.receiver("hci7")
    let receiver = next.receiver("hci0")
    #expect(receiver == ReceiverIndex(rawValue: 1))
    next.restore(
      try JSONDecoder().decode([SavedBeacon].self, from: written), isSameBoot: true, at: scene.time,
      wallTime: scene.wallTime)
    scene.replace(next, receiver: ReceiverIndex(rawValue: 1))
  }

  @Test func whoIsStillThereIsNotAnnouncedAgain() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try restart(&scene, after: 30)
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story.isEmpty)
  }

  @Test func whoLeftMeanwhileExitsAfterAFullIntervalOfSight() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try restart(&scene, after: 600)
    scene.output.removeAll()
    scene.pass(600)
    #expect(scene.story.isEmpty, "the receiver has not reported: blind is not away")
    scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
    scene.pass(9)
    #expect(scene.story.isEmpty)
    scene.pass(60)
    #expect(scene.story.sorted() == ["exit pump-3 fleet:1.2", "exit shop fleet:1.2"])
  }

  @Test func occupancyIsUnknownUntilAReceiverReports() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try restart(&scene, after: 5)
    let states = scene.pipeline.allStates().filter { $0.topic.hasSuffix("pump-3/occupancy") }
    #expect(states.map { String(decoding: $0.payload, as: UTF8.self) }.allSatisfy { $0.contains("unknown") })
    #expect(states.first.map { String(decoding: $0.payload, as: UTF8.self) }?.contains("fleet:1.2") == true)
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 1)
    #expect(scene.state("zone/pump-3/occupancy")?.contains(#""state":"occupied""#) == true)
  }

  @Test func nearDoesNotFireAgainInTheSameApproach() throws {
    var scene = try Scene()
    try scene.hear(rssi: -50, for: 5)
    #expect(scene.story.contains("near pump-3 fleet:1.2"))
    try restart(&scene, after: 3)
    scene.output.removeAll()
    try scene.hear(rssi: -50, for: 10)
    #expect(scene.story.isEmpty)
  }

  @Test func aZoneWithOtherRulesStartsEmpty() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try restart(
      &scene, after: 5,
      rules: Scene.rules.replacing("enter: { distance: 6 m, dwell: 1 s }", with: "enter: { distance: 7 m }"))
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 6)
    #expect(scene.story == ["enter pump-3 fleet:1.2", "near pump-3 fleet:1.2"])
  }

  @Test func aBeaconThatIsNoLongerConfiguredIsForgotten() throws {
    var scene = try Scene()
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 2)
    try restart(
      &scene, after: 5, rules: Scene.rules.replacing("C1:00:00:00:00:05", with: "C1:00:00:00:00:06"))
    scene.output.removeAll()
    scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
    scene.pass(600)
    #expect(scene.story.isEmpty)
  }
}
