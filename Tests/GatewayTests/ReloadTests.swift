import Beacons
import Messages
import Testing

@testable import Gateway

@Suite struct ReloadTests {
  @Test func whoIsInsideAnUnchangedZoneStaysInside() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let before = scene.story
    let wider = Scene.rules + "\n  - { name: yard, enter: { distance: 20 m }, exit: { distance: 30 m } }"
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(wider))
    try scene.hear(rssi: -58, for: 5)
    let news = Array(scene.story.dropFirst(before.count))
    #expect(!news.contains { $0.contains("pump-3") })
    #expect(news.contains("enter yard fleet:1.2"))
    scene.pass(60)
    #expect(scene.story.contains("exit pump-3 fleet:1.2"))
  }

  @Test func aZoneWithOtherRulesStartsEmpty() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let changed = Scene.rules.replacing(
      "enter: { distance: 6 m, dwell: 1 s }", with: "enter: { distance: 7 m }")
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(changed))
    #expect(
      scene.pipeline.allStates().contains {
        $0.topic.hasSuffix("zone/pump-3/occupancy")
          && String(decoding: $0.payload, as: UTF8.self).contains(#""state":"empty""#)
      })
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.story.count { $0 == "enter pump-3 fleet:1.2" } == 2)
  }

  @Test func aBeaconThatIsNoLongerConfiguredIsForgotten() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let without = Scene.rules.replacing(
      "  - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }\n", with: ""
    ).replacing("    beacons: [fleet]\n", with: "")
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(without))
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
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(Scene.rules))
    let after = scene.pipeline.allStates().first { $0.topic.contains("/beacon/") }
    #expect(after?.payload == before?.payload)
  }

  @Test func aReloadDoesNotHurryTheNextState() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(Scene.rules))
    scene.output.removeAll()
    try scene.hear(rssi: -58, for: 2)
    #expect(!scene.output.states(topics: scene.pipeline.topics).contains { $0.topic.contains("/beacon/") })
    try scene.hear(rssi: -58, for: 10)
    #expect(scene.output.states(topics: scene.pipeline.topics).contains { $0.topic.contains("/beacon/") })
  }

  @Test func sequenceNumbersGoOn() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(Scene.rules))
    scene.pass(60)
    #expect(scene.output.transitions.map(\.sequence) == Array(1...UInt64(scene.output.transitions.count)))
  }

  @Test func aBlindReceiverStaysBlind() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let receiver = scene.receiver
    scene.pipeline.setBlind(receiver, true, at: scene.time, into: &scene.output)
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(Scene.rules))
    scene.pass(3600)
    #expect(!scene.story.contains("exit pump-3 fleet:1.2"))
  }
}
