import Beacons
import Configuration
import Contract
import Phones
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// Whatever happens: each near trigger of the gateway gets exactly one verdict on each phone that it concerns.
@Suite struct VerdictProperties {
  private static let site: String = {
    var text = """
      gateway: { name: forecourt }
      beacons:
        - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      zones:
        - { name: pump, near: { distance: 2 m, dwell: 1 s, rearm: 4 m }, exit: { distance: 9 m, lost: 10 s } }
        - { name: gate, near: { distance: 8 m, dwell: 0 s, rearm: 9 m } }
        - { name: till, near: { signal: -62 dBm, dwell: 2 s, rearm: -70 dBm } }
      phones:

      """
    for (index, variant) in Variant.allCases.enumerated() {
      for (place, profile) in PhoneProfile.all(variant).enumerated() where place % 7 == index {
        text +=
          "  - { name: \"\(variant.rawValue) \(profile.os.name) \(profile.strategy.name)\", beacon: \"fleet:1.2\", "
          + "os: \(profile.os.name), strategy: \(profile.strategy.name), variant: \(variant.rawValue) }\n"
      }
    }
    return text
      + "  - { name: narrow, beacon: \"fleet:1.2\", os: ios7, strategy: stock, rearm: 20 m, zones: [till] }\n"
  }()

  @Test(arguments: 0..<8) func eachNearGetsExactlyOneVerdict(seed: UInt64) throws {
    var scene = try Scene(Self.site)
    var dice = SeededGenerator(seed: seed)
    let phones = scene.pipeline.configuration.phones
    let reports = [
      "foreground", "background", "force-quit", "audio on", "permission denied", "permission always",
      "bluetooth off", "bluetooth on", "reboot", "screen-on", "user-launch", "still",
    ]
    var rssi = -85
    for _ in 0..<40 {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0: scene.pass(Double.random(in: 0...40, using: &dice))
      case 1:
        let receiver = scene.receiver
        let isBlind = Bool.random(using: &dice)
        scene.pipeline.setBlind(receiver, isBlind, at: scene.time, into: &scene.output)
      case 2:
        let phone = phones.randomElement(using: &dice)?.name ?? ""
        let payload = Array((reports.randomElement(using: &dice) ?? "").utf8)
        let topic = scene.pipeline.topics.appReport(phone: phone)
        _ = scene.pipeline.receive(
          payload, topic: topic, isRetained: false, at: scene.time, wallTime: scene.wallTime,
          into: &scene.output)
      case 3: scene.pipeline = scene.pipeline.reconfigured(scene.pipeline.configuration, into: &scene.output)
      default:
        rssi = max(-95, min(-50, rssi + Int.random(in: -20...20, using: &dice)))
        try scene.hear(rssi: Int8(rssi), for: Double.random(in: 0.1...5, using: &dice))
      }
    }
    let receiver = scene.receiver
    scene.pipeline.setBlind(receiver, false, at: scene.time, into: &scene.output)
    scene.pass(600)

    let nears = scene.output.transitions.filter { $0.event == .near }
    for phone in phones {
      let due = nears.filter { near in phone.triggers.contains { $0.zone == near.place } }.map(\.id)
      let verdicts = scene.output.verdicts.filter { $0.phone == phone.name }
      #expect(verdicts.map(\.transition).sorted() == due.sorted(), "\(phone.name)")
      for verdict in verdicts {
        #expect(verdict.outcome.isDelivered == (verdict.delivered != nil))
        #expect((verdict.outcome == .deliveredLate) == ((verdict.lateness ?? 0) >= 1000))
        #expect((verdict.delivered ?? verdict.near) >= verdict.near)
      }
    }
  }

  @Test func theWalksComeByTriggersOfEveryZone() throws {
    var zones: Set<String> = []
    for seed in UInt64(0)..<4 {
      var scene = try Scene(Self.site)
      var dice = SeededGenerator(seed: seed)
      for _ in 0..<20 { try scene.hear(rssi: Int8.random(in: -90 ... -50, using: &dice), for: 4) }
      zones.formUnion(scene.output.transitions.filter { $0.event == .near }.map(\.place))
    }
    #expect(zones == ["pump", "gate", "till"])
  }
}
