import Phones
import Proximity
import Testing

@testable import Configuration

/// Phones copy the near rules of their zones; a zone is changed all the same.
struct PhoneZoneEditingTests {
  @Test func `near of a zone that a phone's beacon comes to can be changed`() throws {
    let yaml = """
      gateway: { name: forecourt }
      beacons:
        - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
      zones:
        - name: pump-3
          near:  { distance: 2 m, dwell: 2 s, rearm: 5 m }   # at the pump
          enter: { distance: 6 m, dwell: 2 s }
          exit:  { distance: 9 m, dwell: 5 s }
      phones:
        - { name: anna, beacon: van, os: ios7, strategy: background-task }
      """
    let text = ConfigurationText(Array(yaml.utf8), path: "a.yaml", environment: [:], hostName: "host")
    var zone = try Configuration.read(text.bytes, path: "a.yaml", environment: [:], hostName: "host")
      .configuration.zones[0]
    zone.near?.rule.threshold = .distance(1.5)
    let changed = try text.changing(zone)
    #expect(
      String(decoding: changed.bytes, as: UTF8.self).contains(
        "near:  { distance: 1.5 m, dwell: 2 s, rearm: 5 m }   # at the pump"))
    #expect(changed.configuration.phones[0].near.near == 1_500_000)
  }
}
