import Beacons
import Contract
import Core
import Scenes
import Testing

@testable import Pipeline

/// A sender that is known by its address, and that says who it is: each identity counts while it is heard.
@Suite struct SecondIdentityTests {
  private static let rules = """
    gateway: { name: forecourt }
    beacons:
      - { name: tag, address: "C1:00:00:00:00:05" }
      - { name: moves, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
    zones:
      - { name: house, beacons: [tag], exit: { lost: 3 min } }
      - { name: moving, beacons: [moves], exit: { lost: 10 s } }

    """
  private let tag = 0xC100_0000_0005 as UInt64

  private func states(_ scene: Scene, of beacon: String) -> Int {
    scene.states.count { $0.topic.hasSuffix("/beacon/\(beacon)/state") }
  }

  @Test func `an address that changes is told once, and one that stays is not`() throws {
    var scene = try Scene(
      Self.rules.replacing("zones:", with: "  - { name: phone, address: \"5A:00:00:00:00:07\" }\nzones:"))
    scene.addressesChange = true
    try scene.hear(Scene.iBeacon(minor: 9), from: tag, rssi: -60, for: 1)
    #expect(scene.pipeline.takeNotices() == [])
    try scene.hear([2, 1, 6], from: 0x5A00_0000_0007, rssi: -60, for: 1)
    let notices = scene.pipeline.takeNotices()
    #expect(notices.count == 1 && notices[0].contains("beaconkeeper enrol phone"), "\(notices)")
    try scene.hear([2, 1, 6], from: 0x5A00_0000_0007, rssi: -60, for: 1)
    #expect(scene.pipeline.takeNotices() == [])
  }

  @Test func anIdentityCountsWhileItIsHeardItselfAndUnderItsName() throws {
    var scene = try Scene(Self.rules)
    try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -60, for: 5)
    #expect(scene.story == ["enter house tag", "enter moving moves"])
    try scene.hear(Scene.iBeacon(minor: 3), from: tag, rssi: -60, for: 9)
    #expect(scene.story.count == 2)
    try scene.hear(Scene.iBeacon(minor: 3), from: tag, rssi: -60, for: 30)
    #expect(scene.story == ["enter house tag", "enter moving moves", "exit moving moves"])
    #expect(scene.state("zone/moving/occupancy")?.contains(#""state":"empty""#) == true)
    #expect(scene.state("beacon/moves/zone") == "not_home")
    #expect(scene.state("beacon/tag/zone") == "house")
    try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -60, for: 5)
    #expect(scene.story.last == "enter moving moves")
    #expect(scene.pipeline.counts.advertisements == 490 && scene.pipeline.counts.sightings == 490)
  }

  /// One event for a beacon and zone: whoever asks for both, or for everybody, is told of the most specific name alone.
  @Test(arguments: [
    "zones: [{ name: all }]", "zones: [{ name: all, beacons: [moves, tag] }]",
    "zones: [{ name: all, beacons: [fleet, tag] }]",
  ]) func whoAsksForBothIsToldOfTheSenderAlone(_ zones: String) throws {
    let head = Self.rules.split(separator: "zones:")[0]
    var scene = try Scene(head + zones)
    try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -60, for: 5)
    #expect(scene.story == ["enter all tag"])
    #expect(states(scene, of: "moves") == 0)
    #expect(scene.pipeline.allStates().allSatisfy { !$0.topic.contains("moves") })
    // Of another sender it is a beacon as others.
    try scene.hear(Scene.iBeacon(minor: 2), from: 0xC100_0000_0077, rssi: -60, for: 5)
    #expect(scene.story.count == 2)
    #expect(scene.story.last?.hasPrefix("enter all ") == true)
  }

  /// Who was in which zone, and what is told of whom, survives a reload, a restart and a takeover.
  @Test func nobodyIsToldTwiceAfterAReloadARestartOrATakeover() throws {
    let rules = Self.rules + "  - { name: all }\n"
    let expected = ["enter house tag", "enter all tag", "enter moving moves"]
    func heard() throws -> Scene {
      var scene = try Scene(rules)
      try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -60, for: 5)
      #expect(scene.story.sorted() == expected.sorted())
      scene.output.removeAll()
      return scene
    }
    func goOn(_ scene: inout Scene) throws {
      try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -60, for: 5)
      #expect(scene.story.isEmpty)
      try scene.hear([2, 1, 6], from: tag, rssi: -60, for: 30)
      #expect(scene.story == ["exit moving moves"])
    }
    var scene = try heard()
    try scene.reload(rules + "telemetry: { beacon_state: 5 s }\n")
    try goOn(&scene)

    scene = try heard()
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    var next = Pipeline(try Scene.configuration(rules))
    _ = next.receiver("hci0")
    next.restore(
      saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &scene.output)
    scene.replace(next, receiver: ReceiverIndex(rawValue: 0))
    try goOn(&scene)

    scene = try heard()
    var writer = StateCoder()
    scene.pipeline.snapshot(into: &writer)
    var heir = Pipeline(try Scene.configuration(rules))
    var reader = try StateCoder(reading: writer.finished())
    try heir.restore(from: &reader)
    scene.replace(heir, receiver: scene.receiver)
    try goOn(&scene)
  }

  /// Readings are the sender's, whichever frame they come with; those of a frame that says who else it is are nobody's.
  @Test func readingsGoToTheSender() throws {
    let rules = Self.rules.replacing("- { name: tag, address: \"C1:00:00:00:00:05\" }", with: "")
      .replacing("[tag]", with: "[fleet]")
    var scene = try Scene(rules)
    let sender = 0xC100_0000_0009 as UInt64
    try scene.hear(Scene.iBeacon(minor: 2), from: sender, rssi: -60, for: 1)
    // An Eddystone-UID of nobody, and a battery of 64 %.
    let stranger: [UInt8] = [0x15, 0x16, 0xAA, 0xFE, 0, 0xED] + [UInt8](repeating: 7, count: 16)
    let reading: [UInt8] = [6, 0x16, 0xD2, 0xFC, 0x40, 0x01, 0x40]
    try scene.hear(stranger + reading, from: sender, rssi: -60, for: 1)
    #expect(
      scene.pipeline.allStates().allSatisfy {
        !String(decoding: $0.payload, as: UTF8.self).contains("battery")
      })
    // Without an identity it is of whoever was heard there last.
    try scene.hear(reading, from: sender, rssi: -60, for: 1)
    #expect(
      scene.pipeline.allStates().contains { String(decoding: $0.payload, as: UTF8.self).contains("battery") })
  }

  /// A phone whose app ranges the iBeacon hears it only while it is sent, and a near of the sender triggers it.
  @Test func aPhoneHearsTheIdentityThatItsAppRanges() throws {
    var scene = try Scene(
      Self.rules.replacing(
        "- { name: house, beacons: [tag],",
        with: "- { name: house, near: { distance: 2 m, dwell: 1 s, rearm: 5 m },")
        + "phones: [{ name: anna, beacon: moves, os: ios7, strategy: stock }]")
    try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -85, for: 3)
    try scene.hear(Scene.iBeacon(minor: 2), from: tag, rssi: -55, for: 10)
    #expect(scene.story.contains("near house tag"))
    #expect(scene.output.verdicts.count == 1)
  }
}
