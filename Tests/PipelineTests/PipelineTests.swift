import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

@Suite struct PipelineTests {
  private static let empty =
    #"{"v":1,"gateway":"forecourt","zone":"pump-3","state":"empty","count":0,"beacons":[]}"#

  @Test func aWalkPastThePumpGivesItsTransitionsInOrder() throws {
    var scene = try Scene()
    try scene.hear(rssi: -85, for: 5)
    try scene.hear(rssi: -58, for: 8)
    try scene.hear(rssi: -92, for: 15)
    #expect(
      scene.story.filter { $0.contains("pump-3") } == [
        "enter pump-3 fleet:1.2", "near pump-3 fleet:1.2", "exit pump-3 fleet:1.2",
      ])
  }

  /// The manual's recipe.
  @Test func `half an hour in a zone is counted through dips that its threshold allows`() throws {
    var scene = try Scene(
      """
      gateway: { name: forecourt }
      beacons: [{ name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }]
      zones:
        - { name: wide, enter: { distance: 16 m, dwell: 30 min }, exit: { distance: 20 m, lost: 2 min } }
        - { name: narrow, enter: { distance: 4 m, dwell: 30 min }, exit: { distance: 8 m, lost: 2 min } }
      """)
    for minute in 0..<50 {
      // Somebody stands before it for 25 s; and nothing is heard for a minute.
      if minute % 10 == 9 { scene.pass(60) }
      for second in 0..<60 where minute % 10 != 9 {
        try scene.hear(rssi: minute % 10 == 4 && second < 25 ? -76 : -62, for: 0.1)
        scene.pass(0.9)
      }
    }
    #expect(scene.story == ["enter wide van"])
    let entered = try #require(scene.output.transitions.first)
    #expect(abs((entered.time - .zero).seconds - 1800) < 2)
  }

  @Test func theSameInputMakesTheSameBytesHoweverItIsCut() throws {
    func run(advancing: Bool) throws -> [[UInt8]] {
      var scene = try Scene()
      for rssi in stride(from: Int8(-90), through: -50, by: 4) {
        try scene.hear(rssi: rssi, for: 1)
        if advancing { scene.pass(0) }
      }
      scene.pass(100)
      return scene.output.transitions.map(\.json)
    }
    let once = try run(advancing: false)
    #expect(!once.isEmpty)
    #expect(try run(advancing: false) == once)
    #expect(try run(advancing: true) == once)
  }

  @Test func aBeaconThatFallsSilentIsLostAtItsDeadline() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    scene.pass(3600)
    let exit = try #require(scene.output.transitions.last { $0.place == "pump-3" })
    #expect(exit.event == .exit)
    #expect(exit.transition?.evidence.unit == .seconds)
    // Last heard at 4.9 s, `lost: 10 s`.
    #expect(exit.wallTime.rfc3339 == "2026-11-20T21:50:14.900Z")
  }

  @Test func beyondRearmABeaconIsNoLongerNearButStillInTheZone() throws {
    func near(_ scene: Scene) -> [Bool] {
      scene.output.items.compactMap {
        guard case .state(.occupancy(let occupancy)) = $0, occupancy.place == "pump-3" else { return nil }
        return occupancy.members.first?.isNear
      }
    }
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    #expect(near(scene).last == true)
    try scene.hear(rssi: -76, for: 8)  // 7 m: beyond rearm, not out
    #expect(scene.story.filter { $0.contains("pump-3") }.count == 2)
    #expect(near(scene).last == false)
  }

  @Test func occupancyListsBeaconsAndSinceWhen() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let state = try #require(scene.state("zone/pump-3/occupancy"))
    #expect(
      state.hasPrefix(
        #"{"v":1,"gateway":"forecourt","zone":"pump-3","state":"occupied","count":1,"beacons":[{"beacon":"fleet:1.2","since":"#
      ))
    #expect(state.hasSuffix(#","near":true}]}"#))
    scene.pass(60)
    #expect(scene.state("zone/pump-3/occupancy") == Self.empty)
  }

  @Test func aMembersDisplayNameStandsBesideItsName() throws {
    var scene = try Scene(
      Scene.rules.replacing("DD4425 } }", with: "DD4425 }, names: { \"1.2\": Bella } }"))
    try scene.hear(rssi: -58, for: 5)
    #expect(scene.state("zone/pump-3/occupancy")?.contains(#"{"beacon":"fleet:1.2","name":"Bella","#) == true)
    #expect(
      scene.state("beacon/fleet%3A1.2/state")?.contains(#""beacon":"fleet:1.2","name":"Bella","#) == true)
    let enter = try #require(scene.output.transitions.first)
    #expect(!String(decoding: enter.json, as: UTF8.self).contains("Bella"))
  }

  @Test func aZonePublishesNothingBeforeItHasAReceiver() throws {
    var scene = try Scene()
    #expect(scene.pipeline.allStates().allSatisfy { payload($0).contains(#""state":"unknown""#) })
    scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
    #expect(scene.state("zone/pump-3/occupancy") == Self.empty)
  }

  @Test func aReceiverThatComesUpBlindLeavesZonesUnknown() throws {
    var scene = try Scene()
    scene.pipeline.setBlind(scene.receiver, true, at: scene.time, into: &scene.output)
    #expect(scene.pipeline.allStates().allSatisfy { payload($0).contains(#""state":"unknown""#) })
  }

  private func payload(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }

  @Test func blindIsNotAway() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 5)
    let receiver = scene.receiver
    scene.pipeline.setBlind(receiver, true, at: scene.time, into: &scene.output)
    scene.pass(3600)
    #expect(!scene.story.contains("exit pump-3 fleet:1.2"))
    #expect(scene.state("zone/pump-3/occupancy")?.contains(#""state":"unknown""#) == true)
    scene.pipeline.setBlind(receiver, false, at: scene.time, into: &scene.output)
    #expect(scene.state("zone/pump-3/occupancy")?.contains(#""state":"occupied""#) == true)
    scene.pass(3600)
    #expect(scene.story.contains("exit pump-3 fleet:1.2"))
  }

  @Test func beaconStateCarriesReadings() throws {
    var scene = try Scene()
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 1)
    let state = try #require(scene.state("beacon/fridge/state"))
    #expect(state.contains(#""temperature_c":24.3"#))
    #expect(state.contains(#""humidity_pct":53.49"#))
    #expect(state.hasPrefix(#"{"v":1,"gateway":"forecourt","beacon":"fridge","zones":["shop"],"#))
  }

  @Test func beaconStateIsNotRepeatedForEveryAdvertisement() throws {
    var scene = try Scene()
    try scene.hear(rssi: -85, for: 25)
    let states = scene.states.count { $0.topic.hasSuffix("/state") }
    // One at first sight, one every 10 s, and one at a transition of either zone.
    #expect(states >= 3 && states <= 6)
  }

  @Test func strangersAreCountedAndNotPublished() throws {
    var scene = try Scene()
    try scene.hear([0x02, 0x01, 0x06], from: 0x4142_4344_4546, rssi: -40, for: 10)
    #expect(scene.pipeline.counts.advertisements == 100)
    #expect(scene.pipeline.counts.sightings == 0)
    #expect(scene.output.transitions.isEmpty)
    // They prove that the receiver can hear, so the zones are known to be empty.
    #expect(scene.states.map(\.topic) == scene.pipeline.placeStates.map(\.topic))
  }
}
