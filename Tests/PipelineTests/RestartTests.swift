import Beacons
import Contract
import Core
import Foundation
import Proximity
import Scenes
import Testing

@testable import Outbox
@testable import Pipeline

/// A gateway that ends at any moment goes on where it was: no false enter, no ghost.
@Suite struct RestartTests {
  /// The scene in a new run of the gateway, after some seconds, with what was saved at the last transition.
  private func restart(
    _ scene: inout Scene, after seconds: Double, rules: String = Scene.rules
  ) throws {
    let beacons = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    var texts: [String] = []
    let written = beacons.map { beacon in
      beacon.packed { text in
        if !texts.contains(text) { texts.append(text) }
        return Int64(texts.firstIndex(of: text) ?? 0)
      }
    }
    scene.skip(seconds)
    var next = Pipeline(try Scene.configuration(rules))
    // The order in which receivers are met may be another.
    _ = next.receiver("hci7")
    let receiver = next.receiver("hci0")
    #expect(receiver == ReceiverIndex(rawValue: 1))
    var shapes = RowShapes()
    next.restore(
      try written.map { try SavedBeacon(packed: $0, &shapes) { texts[Int($0)] } }, isSameBoot: true,
      at: scene.time,
      wallTime: scene.wallTime, into: &scene.output)
    scene.replace(next, receiver: ReceiverIndex(rawValue: 1))
  }

  @Test func aBeaconThatStayedIsNotAnnouncedAgain() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try restart(&scene, after: 30)
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story.isEmpty)
  }

  @Test func aBeaconThatLeftMeanwhileExitsAfterItsLostTime() throws {
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

  @Test func aZoneWithNewRulesKeepsItsBeacons() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.output.removeAll()
    try restart(
      &scene, after: 5,
      rules: Scene.rules.replacing("exit:  { distance: 9 m", with: "exit:  { distance: 9.5 m"))
    try scene.hear(rssi: -58, for: 6)
    #expect(scene.story.isEmpty)
  }

  /// Somebody who has left stays home for ever, if this fails.
  @Test func theRetainedStateOfADepartedBeaconIsCorrected() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let before = scene.state("beacon/fleet%3A1.2/state")
    try restart(&scene, after: 60)
    scene.output.removeAll()
    let first = scene.pipeline.allStates().first { $0.topic.hasSuffix("beacon/fleet%3A1.2/state") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(first?.contains(#""zones":["pump-3","shop"]"#) == true)
    #expect(first?.contains(#""last_seen":"2026-11-20T21:50:04.900Z","receiver":"hci0""#) == true)
    #expect(before?.contains(#""zones":["pump-3","shop"]"#) == true)
    scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
    scene.pass(60)
    #expect(scene.story.sorted() == ["exit pump-3 fleet:1.2", "exit shop fleet:1.2"])
    #expect(scene.state("beacon/fleet%3A1.2/state")?.contains(#""zones":[]"#) == true)
  }

  @Test func lastReadingsSurviveARestart() throws {
    var scene = try Scene()
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 2)
    try restart(&scene, after: 60)
    let state = scene.pipeline.allStates().first { $0.topic.hasSuffix("beacon/fridge/state") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(state?.contains(#""temperature_c":24.3"#) == true)
  }

  @Test func aBeaconThatIsNoLongerConfiguredLeaves() throws {
    var scene = try Scene()
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 2)
    scene.output.removeAll()
    try restart(
      &scene, after: 5, rules: Scene.rules.replacing("C1:00:00:00:00:05", with: "C1:00:00:00:00:06"))
    #expect(scene.story == ["exit shop fridge"])
    let exit = try #require(scene.output.transitions.first)
    #expect(exit.reason == .beaconRemoved)
    #expect(exit.receiver == "hci0")
    #expect(scene.output.forgotten == ["entry address c10000000005 fridge"])
    #expect(scene.state("beacon/fridge/state")?.contains(#""zones":[]"#) == true)
    scene.output.removeAll()
    scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
    scene.pass(600)
    #expect(scene.story.isEmpty)
  }

  @Test func aZoneThatIsNoMoreIsLeft() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.output.removeAll()
    let renamed = Scene.rules.replacing("- name: shop", with: "- name: kiosk")
    try restart(&scene, after: 5, rules: renamed.replacing("-95 dBm", with: "-96 dBm"))
    #expect(scene.story == ["exit shop fleet:1.2"])
    #expect(scene.output.transitions.first?.reason == .zoneRemoved)
    #expect(scene.state("zone/shop/occupancy")?.contains(#""state":"empty""#) == true)
    let state = scene.pipeline.allStates().first { $0.topic.hasSuffix("beacon/fleet%3A1.2/state") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(state?.contains(#""zones":["pump-3"]"#) == true)
  }

  @Test func `whoever is in a zone that is renamed is in it under the new name at once`() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.output.removeAll()
    try restart(&scene, after: 5, rules: Scene.rules.replacing("- name: shop", with: "- name: kiosk"))
    #expect(scene.story == ["exit shop fleet:1.2", "enter kiosk fleet:1.2"])
    #expect(scene.output.transitions.allSatisfy { $0.reason == .zoneRemoved && $0.receiver == "hci0" })
    #expect(scene.state("zone/shop/occupancy")?.contains(#""state":"empty""#) == true)
    let kept = scene.pipeline.allStates().map { $0.topic + " " + String(decoding: $0.payload, as: UTF8.self) }
    #expect(
      kept.contains { $0.contains("fleet%3A1.2/state ") && $0.contains(#""zones":["pump-3","kiosk"]"#) })
    #expect(!kept.contains { $0.hasSuffix("/zone not_home") })
  }
}
