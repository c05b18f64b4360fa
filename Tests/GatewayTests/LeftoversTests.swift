import GatewayConfiguration
import Messages
import Testing

@testable import Gateway

@Suite("What an earlier configuration left at the broker")
struct LeftoversTests {
  private let leftovers: Leftovers

  init() throws {
    leftovers = Leftovers(
      try Scene.configuration(
        """
        gateway: { name: home }
        beacons:
          - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
          - { name: "gate: north", ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4426 } }
          - { name: Anna's key, address: "C1:00:00:00:00:05" }
        zones:
          - { name: pump 3 }
        phones:
          - { name: anna, beacon: "fleet:1.2", os: ios17, strategy: background-task }
        """))
  }

  @Test(
    "is left alone where the configuration still knows it",
    arguments: [
      "zone/pump%203/occupancy", "phone/anna/window", "beacon/Anna%27s%20key/state",
      "beacon/fleet%3A1.2/state",
      "beacon/gate%3A%20north%3A7.7/state",
    ])
  func known(topic: String) {
    #expect(leftovers.isOwn("beaconkeeper/home/" + topic))
    #expect(leftovers.removal(of: "beaconkeeper/home/" + topic) == nil)
  }

  @Test(
    "is taken back where it knows it no more",
    arguments: [
      "zone/pump%204/occupancy", "phone/bert/window", "beacon/fleet/state",
      "beacon/vans%3A1.2/state",
      "beacon/%3A1.2/state", "beacon//state", "beacon/%/state",
    ])
  func dropped(topic: String) throws {
    let removal = try #require(leftovers.removal(of: "beaconkeeper/home/" + topic))
    #expect(removal.topic == "beaconkeeper/home/" + topic)
    #expect(removal.payload.isEmpty && removal.retained)
  }

  @Test(
    "is never a topic of somebody else, or of another kind",
    arguments: [
      "beaconkeeper/homes/zone/pump/occupancy", "beaconkeeper/home/zone/pump/enter",
      "beaconkeeper/home/status",
      "beaconkeeper/home/health", "beaconkeeper/home/zone/a/b/occupancy", "beaconkeeper/home", "",
      "beaconkeeper/home/phone/bert/verdict", "homeassistant/zone/x/occupancy",
    ])
  func foreign(topic: String) {
    #expect(!leftovers.isOwn(topic))
    #expect(leftovers.removal(of: topic) == nil)
  }
}
