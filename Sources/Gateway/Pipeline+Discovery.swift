import Beacons
import GatewayConfiguration
import Messages
import Proximity

extension Pipeline {
  /// Beacons that were heard for the first time since the last call, or that measure something new, by name.
  mutating func takeNews() -> [(name: String, beacon: HeardBeacon)] {
    telemetry.takeNews().map { beacon in
      let zones = roster.zones(of: beacon).map { configuration.zones[Int($0.rawValue)].name }
      let readings = telemetry.readings(of: beacon)?.map { ReadingKind($0) } ?? []
      return (roster.name(of: beacon), HeardBeacon(zones: Set(zones), readings: Set(readings)))
    }
  }
}
