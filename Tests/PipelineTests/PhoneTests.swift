import Beacons
import Configuration
import Contract
import Core
import Phones
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// Phones that follow the pipeline: the van of the scene is carried by them.
@Suite struct PhoneTests {
  static let pump = """
    gateway: { name: forecourt }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
    zones:
      - name: pump
        near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
        enter: { distance: 6 m, dwell: 1 s }
        exit:  { distance: 9 m, dwell: 2 s, lost: 10 s }

    """

  private func scene(_ phones: String...) throws -> Scene { try Scene(yaml(phones)) }

  private func yaml(_ phones: [String]) -> String {
    let entries = phones.map { "  - { beacon: \"fleet:1.2\", os: ios7, variant: seed, \($0) }\n" }.joined()
    return Self.pump + "phones:\n" + entries
  }

  /// Comes in from 20 m, stands at 1 m, and leaves again.
  private func visit(_ scene: inout Scene, approach: Double = 15) throws {
    try scene.hear(rssi: -85, for: approach)
    try scene.hear(rssi: -59, for: 6)
    try scene.hear(rssi: -85, for: 10)
  }

  private func outcomes(_ scene: Scene, _ phone: String) -> [String] {
    scene.output.verdicts.filter { $0.phone == phone }.map(\.outcome.rawValue)
  }

  private func windows(_ scene: Scene, _ phone: String) -> [String] {
    scene.states.filter { $0.topic == "beaconkeeper/forecourt/phone/\(phone)/window" }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  private func states(_ scene: Scene, _ phone: String) -> [String] {
    windows(scene, phone).compactMap { text in
      text.firstMatch(of: #/"state":"([a-z]+)"/#).map { String($0.1) }
    }
  }

  @Test func theStockAppMissesThePumpAndABackgroundTaskDoesNot() throws {
    var scene = try scene("name: stock, strategy: stock", "name: task, strategy: background-task")
    try visit(&scene)
    let near = try #require(scene.output.transitions.first { $0.event == .near })
    #expect(outcomes(scene, "stock") == ["GRACE_EXPIRED"])
    #expect(outcomes(scene, "task") == ["DELIVERED"])
    #expect(scene.output.verdicts.allSatisfy { $0.transition == near.id })
    #expect(scene.output.verdicts.allSatisfy { $0.near == near.wallTime })
    #expect(states(scene, "stock") == ["suspended", "ranging", "suspended"])
    #expect(states(scene, "task") == ["suspended", "ranging", "ranging"])
    let missed = try #require(scene.output.verdicts.first { $0.phone == "stock" })
    #expect(missed.delivered == nil && missed.lateness == nil)
    #expect(missed.evidence.map(\.what) == [.regionEnter, .suspended])
    // Left beyond 4 m soon after 21 s.
    #expect(missed.time > near.wallTime && missed.time < near.wallTime + .seconds(9))
  }

  @Test func everyTimeIsAWallTimeOfThePipeline() throws {
    var scene = try scene("name: stock, strategy: stock")
    try visit(&scene)
    let window = try #require(windows(scene, "stock").last)
    #expect(
      window
        == #"{"v":1,"time":"2026-11-20T21:50:10.000Z","state":"suspended","since":"2026-11-20T21:50:10.000Z","#
        + #""remaining_s":0,"os":"ios7","strategy":"stock","why":"GRACE_EXPIRED"}"#)
  }

  @Test func aPhoneWhoseBeaconIsNeverHeardStaysSuspended() throws {
    var scene = try Scene(
      Self.pump + "phones: [{ name: p, beacon: \"fleet:9.9\", os: ios7, strategy: background-task }]")
    try visit(&scene)
    scene.pass(3600)
    #expect(states(scene, "p") == ["suspended"])
    #expect(windows(scene, "p")[0].contains(#""why":"NOT_DETECTED""#))
    #expect(scene.output.verdicts.isEmpty)
  }

  @Test func aMemberOfARegionIsKnownByEachOfItsNames() throws {
    let both =
      Self.pump.replacing(
        "zones:",
        with:
          "  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }\nzones:"
      )
        + """
        phones:
          - { name: a, beacon: van, os: ios7, variant: seed, strategy: background-task }
          - { name: b, beacon: "fleet:1.2", os: ios7, variant: seed, strategy: background-task }
        """
    var scene = try Scene(both)
    try visit(&scene)
    #expect(outcomes(scene, "a") == ["DELIVERED"])
    #expect(outcomes(scene, "b") == ["DELIVERED"])
  }

  @Test func lossIsRegionExitAtItsOwnTime() throws {
    var scene = try scene("name: stock, strategy: stock")
    try scene.hear(rssi: -85, for: 15)
    scene.pass(60)
    #expect(states(scene, "stock") == ["suspended", "ranging", "suspended", "ranging", "suspended"])
    // Last heard at 14.9 s, `lost: 10 s`.
    #expect(windows(scene, "stock")[3].contains(#""since":"2026-11-20T21:50:24.900Z""#))
    #expect(windows(scene, "stock")[4].contains(#""since":"2026-11-20T21:50:34.900Z""#))
  }

  /// The phone's 30 s and the gateway's 10 s are of the same silence.
  @Test func aRegionExitIsCountedFromTheLastTimeThatTheBeaconWasHeard() throws {
    let phone = "phones: [{ name: p, beacon: \"fleet:1.2\", os: ios17, strategy: stock }]"
    var scene = try Scene(Self.pump + phone)
    try scene.hear(rssi: -85, for: 15)
    scene.pass(60)
    // Last heard at 14.9 s.
    let woken = try #require(windows(scene, "p").last { $0.contains("ranging") })
    #expect(woken.contains(#""since":"2026-11-20T21:50:44.900Z""#), "\(woken)")
  }

  /// Two exhibits, each with a receiver. The second is reached while the first is still heard.
  @Test(arguments: [("one", "GRACE_EXPIRED"), ("zones", "DELIVERED")])
  func `a region of each zone wakes the app at each zone`(regions: String, outcome: String) throws {
    var scene = try Scene(
      """
      gateway: { name: museum }
      beacons: [{ name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }]
      zones:
        - { name: first, receivers: [hci0], near: { distance: 2 m, dwell: 1 s, rearm: 4 m } }
        - { name: second, receivers: [hci1], near: { distance: 2 m, dwell: 1 s, rearm: 4 m } }
      phones:
        - { name: p, beacon: "fleet:1.2", os: ios17, strategy: stock, regions: \(regions) }
      """)
    try scene.hear(rssi: -59, for: 30)
    try scene.hear(rssi: -59, for: 6, at: scene.pipeline.receiver("hci1"))
    scene.pass(60)
    #expect(outcomes(scene, "p") == ["DELIVERED", outcome])
  }

  @Test func aTriggerOfTheVeryFirstSightingIsDelivered() throws {
    let atOnce = Self.pump.replacing("distance: 2 m, dwell: 1 s", with: "distance: 2 m, dwell: 0 s")
    let phone = "phones: [{ name: p, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock }]"
    var scene = try Scene(atOnce + phone)
    try scene.hear(rssi: -59, for: 3)
    #expect(outcomes(scene, "p") == ["DELIVERED"])
  }

  @Test func aBlindReceiverIsNoRegionExit() throws {
    var scene = try scene("name: stock, strategy: stock")
    try scene.hear(rssi: -85, for: 15)
    let receiver = scene.receiver
    scene.pipeline.setBlind(receiver, true, at: scene.time, into: &scene.output)
    scene.pass(3600)
    #expect(states(scene, "stock") == ["suspended", "ranging", "suspended"])
    scene.pipeline.setBlind(receiver, false, at: scene.time, into: &scene.output)
    scene.pass(5)
    #expect(states(scene, "stock").count == 3)
    scene.pass(3600)
    #expect(states(scene, "stock") == ["suspended", "ranging", "suspended", "ranging", "suspended"])
  }

  @Test func aTriggerStillWaitingAtLossWasMissed() throws {
    var scene = try scene("name: stock, strategy: stock")
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 6)
    #expect(scene.output.verdicts.isEmpty)
    scene.pass(60)
    #expect(outcomes(scene, "stock") == ["GRACE_EXPIRED"])
  }

  @Test func twoZonesThatTriggerAtOnceGetAVerdictEach() throws {
    let second =
      "  - { name: car-wash, near: { signal: -66 dBm, dwell: 1 s, rearm: -75 dBm }, enter: { signal: -80 dBm } }\n"
    var scene = try Scene(
      Self.pump + second
        + "phones:\n  - { name: p, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: background-task }\n"
        + "  - { name: q, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock }\n"
        + "  - { name: r, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock, zones: [car-wash] }\n"
    )
    try visit(&scene)
    let nears = scene.output.transitions.filter { $0.event == .near }
    #expect(Set(nears.map(\.place)) == ["pump", "car-wash"])
    for phone in ["p", "q"] {
      let verdicts = scene.output.verdicts.filter { $0.phone == phone }
      #expect(Set(verdicts.map(\.transition)) == Set(nears.map(\.id)))
      #expect(verdicts.count == 2)
    }
    #expect(outcomes(scene, "p") == ["DELIVERED", "DELIVERED"])
    #expect(outcomes(scene, "q") == ["GRACE_EXPIRED", "GRACE_EXPIRED"])
    #expect(scene.output.verdicts.filter { $0.phone == "r" }.map(\.zone) == ["car-wash"])
  }

  @Test func changingZonesLeavesTheFirst() throws {
    let zones = Self.pump.replacing("- name: pump", with: "- name: pump\n    receivers: [hci0]")
    var scene = try Scene(
      zones + "  - { name: shop, receivers: [hci1], near: { distance: 2 m, dwell: 1 s, rearm: 4 m } }\n"
        + "phones: [{ name: p, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock }]")
    let known = scene.pipeline.receiver("hci1")
    let shop = try #require(known)
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 3)
    try scene.hear(rssi: -59, for: 20, at: shop)
    let first = try #require(scene.output.verdicts.first)
    #expect(first.zone == "pump" && first.outcome == .graceExpired)
    // Heard all the time, so that no region event gave a new window.
    #expect(states(scene, "p") == ["suspended", "ranging", "suspended"])
    scene.pass(60)
    #expect(scene.output.verdicts.map(\.zone) == ["pump", "shop"])
  }

  @Test func theCountdownIsPublishedOnceASecondIfConfigured() throws {
    var scene = try scene(
      "name: quiet, strategy: background-task", "name: loud, strategy: background-task, countdown: true")
    try scene.hear(rssi: -85, for: 20)
    #expect(states(scene, "quiet").count == 3)
    let left = windows(scene, "loud").compactMap { text in
      text.firstMatch(of: #/"remaining_s":(\d+),/#).flatMap { Int($0.1) }
    }
    // Grace until 10 s, then 180 s.
    #expect(left == [0] + Array((171...180).reversed()))
    #expect(!windows(scene, "loud").contains { $0.contains("e+") })
    #expect(windows(scene, "loud").contains { $0.contains(#""remaining_s":null"#) })
  }

  @Test func afterAReloadAPhoneGoesOnIfItIsDefinedAsItWas() throws {
    var scene = try scene(
      "name: same, strategy: stock, set: { grace: 30 s }", "name: other, strategy: background-task")
    try scene.hear(rssi: -85, for: 15)
    let new =
      Self.pump.replacing("zones:", with: "  - { name: key, address: \"C1:00:00:00:00:09\" }\nzones:")
      + "phones:\n  - { name: more, beacon: \"fleet:9.9\", os: ios7, variant: seed, strategy: stock }\n"
      + "  - { name: same, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock, set: { grace: 30 s }, zones: [pump] }\n"
      + "  - { name: other, beacon: \"fleet:1.2\", os: ios13, variant: seed, strategy: stock }\n"
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(new), into: &scene.output)
    let told = scene.pipeline.allStates().filter { $0.topic.hasSuffix("/window") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(told.count == 3)
    #expect(told[1].contains(#""state":"ranging","since":"2026-11-20T21:50:00.000Z""#))
    #expect(told[2].contains(#""state":"suspended""#) && told[2].contains("ios13"))
    try scene.hear(rssi: -59, for: 6)
    // The window that began at 0 s still ends at 30 s.
    #expect(outcomes(scene, "same") == ["DELIVERED"])
    try scene.hear(rssi: -85, for: 15)
    #expect(windows(scene, "same").last?.contains(#""since":"2026-11-20T21:50:30.000Z""#) == true)
  }

  @Test func theWindowOfAPhoneThatIsNoMoreIsForgotten() throws {
    var scene = try scene("name: gone, strategy: stock", "name: anna, strategy: stock")
    try scene.hear(rssi: -85, for: 5)
    let without =
      Self.pump + "phones: [{ name: anna, beacon: \"fleet:1.2\", os: ios7, variant: seed, strategy: stock }]"
    scene.pipeline = scene.pipeline.reconfigured(try Scene.configuration(without), into: &scene.output)
    let windows = scene.pipeline.allStates().filter { $0.topic.hasSuffix("/window") }
    #expect(windows.map(\.topic).map { $0.contains("/gone/") } == [true, false])
    #expect(windows[0].payload.isEmpty && windows[0].retained)
  }

  @Test(arguments: [("60 s", "21:51:13.900"), ("1 s", "21:50:16.000")])
  func afterAReloadABeaconIsLostByTheNewRule(lost: String, since: String) throws {
    let yaml = yaml(["name: stock, strategy: stock"])
    var scene = try Scene(yaml)
    try scene.hear(rssi: -85, for: 14)
    scene.pass(2)
    try scene.reload(yaml.replacing("lost: 10 s", with: "lost: \(lost)"))
    scene.pass(3600)
    // Last heard at 13.9 s; it cannot have been lost before the rule was there.
    #expect(windows(scene, "stock")[3].contains(#""since":"2026-11-20T\#(since)Z""#))
  }

  @Test func aReloadThatGivesAZoneReceiversThatSeeEndsItsBlindness() throws {
    let yaml = yaml(["name: stock, strategy: stock"])
      .replacing("- name: pump", with: "- name: pump\n    receivers: [hci0]")
    var scene = try Scene(yaml)
    let found = scene.pipeline.receiver("hall")
    let hall = try #require(found)
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -85, for: 0.1, at: hall)
    scene.pipeline.setBlind(scene.receiver, true, at: scene.time, into: &scene.output)
    try scene.reload(yaml.replacing("[hci0]", with: "[hall, hci0]"))
    scene.pass(3600)
    #expect(states(scene, "stock").last == "suspended")
    #expect(states(scene, "stock").count == 5)
  }

  @Test func aTriggerThatWaitsAtAReloadGetsItsVerdictAfterwards() throws {
    var scene = try scene("name: stock, strategy: stock")
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 6)
    scene.pipeline = scene.pipeline.reconfigured(scene.pipeline.configuration, into: &scene.output)
    try scene.hear(rssi: -85, for: 10)
    #expect(outcomes(scene, "stock") == ["GRACE_EXPIRED"])
  }

  @Test func aStrategyThatHearsLessThanUsualIsHeldToIt() throws {
    var scene = try scene("name: low, strategy: low-power")
    try visit(&scene)
    // Heard from 5 m on, so that its 10 s begin late enough.
    #expect(outcomes(scene, "low") == ["DELIVERED"])
  }

  @Test func theSameInputMakesTheSameBytesHoweverItIsCut() throws {
    func run(advancing: Bool) throws -> [[UInt8]] {
      var scene = try scene(
        "name: a, strategy: stock", "name: b, strategy: background-task", "name: c, strategy: low-power")
      for round in 0..<3 {
        for rssi in stride(from: Int8(-90), through: -56, by: 2) {
          try scene.hear(rssi: rssi, for: Double(round + 1) * 0.7)
          if advancing { scene.pass(0) }
        }
        scene.pass(advancing ? 30 : 0)
        scene.pass(advancing ? 50 : 80)
      }
      return scene.output.items.compactMap { item in
        switch item {
        case .verdict(let verdict): verdict.json
        case .state(.window(let window)): window.payload
        default: nil
        }
      }
    }
    let once = try run(advancing: false)
    #expect(once.count > 20)
    #expect(try run(advancing: false) == once)
    #expect(try run(advancing: true) == once)
  }
}
