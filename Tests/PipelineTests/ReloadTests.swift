import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

@Suite struct ReloadTests {
  @Test func anUnchangedZoneKeepsItsBeacons() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let before = scene.story
    let wider = Scene.rules + "\n  - { name: yard, enter: { distance: 20 m }, exit: { distance: 30 m } }"
    try scene.reload(wider)
    try scene.hear(rssi: -58, for: 5)
    let news = Array(scene.story.dropFirst(before.count))
    #expect(!news.contains { $0.contains("pump-3") })
    #expect(news.contains("enter yard fleet:1.2"))
    scene.pass(60)
    #expect(scene.story.contains("exit pump-3 fleet:1.2"))
  }

  private func reason(_ scene: Scene) -> Evidence.Reason? {
    scene.output.transitions.last?.reason
  }

  /// Everybody "leaves" at home when a threshold is edited, if this fails.
  @Test func aZoneWithNewRulesKeepsItsBeacons() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let before = scene.state("zone/pump-3/occupancy")
    #expect(before?.contains("fleet:1.2") == true)
    let story = scene.story
    try scene.reload(Scene.rules.replacing("exit:  { distance: 9 m", with: "exit:  { distance: 9.5 m"))
    let states = scene.pipeline.allStates().filter { $0.topic.hasSuffix("zone/pump-3/occupancy") }
    #expect(states.map { String(decoding: $0.payload, as: UTF8.self) } == [before])
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story == story)
  }

  @Test func aBeaconBeyondTheNewThresholdExitsAfterItsDwell() throws {
    var scene = try Scene()
    try scene.hear(rssi: -72, for: 8)
    #expect(scene.story.contains("enter pump-3 fleet:1.2"))
    let nearer = Scene.rules.replacing("near:  { distance: 2 m, dwell: 1 s, rearm: 5 m }", with: "")
      .replacing("enter: { distance: 6 m, dwell: 1 s }", with: "enter: { distance: 2 m, dwell: 1 s }")
      .replacing("exit:  { distance: 9 m", with: "exit:  { distance: 3 m")
    try scene.reload(nearer)
    #expect(!scene.story.contains("exit pump-3 fleet:1.2"))
    scene.pass(2.1)
    let exit = try #require(scene.output.transitions.last)
    #expect(exit.place == "pump-3" && exit.event == .exit)
    #expect(exit.transition?.evidence.threshold == 3 && exit.transition?.evidence.dwell == .seconds(2))
    #expect(exit.reason == nil)
  }

  /// It stays for ever, if this fails: nothing more is heard of it.
  @Test func aSilentBeaconThatEnteredByNewRulesExitsAgain() throws {
    var scene = try Scene()
    try scene.hear(rssi: -76, for: 8)
    #expect(!scene.story.contains("enter pump-3 fleet:1.2"))
    try scene.reload(
      Scene.rules.replacing("enter: { distance: 6 m", with: "enter: { distance: 20 m")
        .replacing("exit:  { distance: 9 m", with: "exit:  { distance: 30 m"))
    scene.pass(60)
    let story = scene.story.filter { $0.contains("pump-3") }
    #expect(story == ["enter pump-3 fleet:1.2", "exit pump-3 fleet:1.2"])
  }

  @Test func aZoneThatIsNoMoreIsLeft() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try scene.reload(
      Scene.rules.replacing("- name: shop", with: "- name: kiosk").replacing("-95 dBm", with: "-96 dBm"))
    #expect(scene.story.last == "exit shop fleet:1.2")
    #expect(reason(scene) == .zoneRemoved)
    #expect(scene.state("zone/shop/occupancy")?.contains(#""state":"empty""#) == true)
    #expect(scene.state("beacon/fleet%3A1.2/state")?.contains(#""zones":["pump-3"]"#) == true)
    try scene.hear(rssi: -58, for: 1)
    #expect(scene.story.last == "enter kiosk fleet:1.2")
  }

  @Test func `whoever is in a zone that is renamed is in it under the new name at once`() throws {
    var scene = try Scene()
    try scene.hear(rssi: -55, for: 5)
    scene.output.removeAll()
    try scene.reload(
      Scene.rules.replacing("name: shop", with: "name: kiosk").replacing("name: pump-3", with: "name: pump"))
    #expect(
      Set(scene.story) == [
        "exit shop fleet:1.2", "enter kiosk fleet:1.2", "exit pump-3 fleet:1.2", "enter pump fleet:1.2",
      ])
    #expect(reason(scene) == .zoneRemoved)
    #expect(scene.state("zone/shop/occupancy")?.contains(#""state":"empty""#) == true)
    #expect(scene.state("beacon/fleet%3A1.2/zone") == nil)
    let kept = scene.pipeline.allStates().map { $0.topic + " " + String(decoding: $0.payload, as: UTF8.self) }
    #expect(kept.contains("beaconkeeper/forecourt/beacon/fleet%3A1.2/zone pump"))
    try scene.hear(rssi: -55, for: 5)
    // It was near before.
    #expect(scene.story.count == 4)
  }

  /// Nobody can say which of two alike is the former one.
  @Test func `of two zones with the same rules none counts as renamed`() throws {
    let twice =
      Scene.rules + "\n"
      + Scene.rules[try #require(Scene.rules.firstRange(of: "  - name: shop")).lowerBound...]
    func two(_ names: [String]) -> String {
      twice.replacing("name: shop", with: "name: \(names[0])", maxReplacements: 1)
        .replacing("name: shop", with: "name: \(names[1])")
    }
    var scene = try Scene(two(["inn", "bar"]))
    try scene.hear(rssi: -58, for: 5)
    scene.output.removeAll()
    try scene.reload(two(["kiosk", "den"]))
    #expect(Set(scene.story) == ["exit inn fleet:1.2", "exit bar fleet:1.2"])
    try scene.hear(rssi: -58, for: 1)
    #expect(Set(scene.story.suffix(2)) == ["enter kiosk fleet:1.2", "enter den fleet:1.2"])
    // One that goes while one like it stays is gone.
    scene.output.removeAll()
    try scene.reload(Scene.rules.replacing("name: shop", with: "name: den"))
    #expect(scene.story == ["exit kiosk fleet:1.2"])
  }

  @Test func aBeaconThatTheZoneAsksForNoMoreLeaves() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try scene.reload(Scene.rules.replacing("beacons: [fleet]", with: "beacons: [fridge]"))
    #expect(scene.story.last == "exit pump-3 fleet:1.2")
    #expect(reason(scene) == .beaconUnwatched)
    #expect(!scene.story.contains("exit shop fleet:1.2"))
  }

  @Test func aBeaconHeardOnlyByRemovedReceiversExits() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    try scene.reload(Scene.rules.replacing("- name: shop", with: "- name: shop\n    receivers: [hci9]"))
    #expect(scene.story.last == "exit shop fleet:1.2")
    #expect(reason(scene) == .receiversChanged)
  }

  @Test func aBeaconOfAnotherNameIsAnother() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.output.removeAll()
    try scene.reload(
      Scene.rules.replacing("name: fleet", with: "name: vans").replacing("[fleet]", with: "[vans]"))
    #expect(scene.story.sorted() == ["exit pump-3 fleet:1.2", "exit shop fleet:1.2"])
    #expect(reason(scene) == .beaconRemoved)
    #expect(scene.state("beacon/fleet%3A1.2/state")?.contains(#""zones":[]"#) == true)
    try scene.hear(rssi: -58, for: 2)
    #expect(scene.story.contains("enter pump-3 vans:1.2"))
  }

  @Test func nearDoesNotFireAgainThroughAReload() throws {
    var scene = try Scene()
    try scene.hear(rssi: -55, for: 5)
    #expect(scene.story.contains("near pump-3 fleet:1.2"))
    scene.output.removeAll()
    try scene.reload(Scene.rules.replacing("distance: 2 m", with: "distance: 2.5 m"))
    try scene.hear(rssi: -55, for: 10)
    #expect(scene.story.isEmpty)
  }

  /// It is known by its address, and watched for what it sends.
  @Test func readingsSurviveAReload() throws {
    let rules = Scene.rules.replacing("name: fridge", with: "name: tag")
      .replacing("00:00:05", with: "00:00:01")
    var scene = try Scene(rules)
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story.contains("enter pump-3 fleet:1.2") && scene.story.contains("enter shop tag"))
    scene.output.removeAll()
    try scene.reload(rules.replacing("exit:  { distance: 9 m", with: "exit:  { distance: 9.5 m"))
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story.isEmpty)
  }

  @Test func aBeaconThatIsNoLongerConfiguredLeaves() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let without = Scene.rules.replacing(
      "  - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }\n", with: ""
    ).replacing("    beacons: [fleet]\n", with: "")
    scene.output.removeAll()
    try scene.reload(without)
    #expect(scene.story.sorted() == ["exit pump-3 fleet:1.2", "exit shop fleet:1.2"])
    #expect(reason(scene) == .beaconRemoved)
    #expect(scene.state("beacon/fleet%3A1.2/state")?.contains(#""zones":[]"#) == true)
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 5)
    scene.pass(60)
    #expect(scene.story.isEmpty)
  }

  /// A reload is no sighting, and says nothing of the beacon that was not known before.
  @Test func whenAndWhereABeaconWasLastHeardIsKept() throws {
    var scene = try Scene()
    let other = scene.pipeline.receiver("hci1")
    try scene.hear(rssi: -58, for: 5)
    try scene.hear(rssi: -58, for: 1, at: other)
    scene.pass(60)
    let before = scene.pipeline.allStates().first { $0.topic.contains("/beacon/") }
    #expect(String(decoding: try #require(before).payload, as: UTF8.self).contains(#""receiver":"hci1""#))
    try scene.reload()
    let after = scene.pipeline.allStates().first { $0.topic.contains("/beacon/") }
    #expect(after?.payload == before?.payload)
  }

  @Test func aReloadDoesNotHurryTheNextState() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 12)
    try scene.reload()
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 2)
    #expect(!scene.output.states(topics: scene.pipeline.topics).contains { $0.topic.contains("/beacon/") })
    try scene.hear(rssi: -58, for: 10)
    #expect(scene.output.states(topics: scene.pipeline.topics).contains { $0.topic.contains("/beacon/") })
  }

  @Test func aBlindReceiverStaysBlind() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let receiver = scene.receiver
    scene.pipeline.setBlind(receiver, true, at: scene.time, into: &scene.output)
    try scene.reload()
    scene.pass(3600)
    #expect(!scene.story.contains("exit pump-3 fleet:1.2"))
  }
}
