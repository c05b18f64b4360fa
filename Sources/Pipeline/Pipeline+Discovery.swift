import Beacons
import Settings
import Messages
import Proximity

extension Pipeline {
  /// Whether `takeNews` or `takeForgotten` may return something.
  package var hasNews: Bool { telemetry.hasNews || roster.hasKindNews || !forgotten.isEmpty }

  /// Beacons, by name, that since the last call were heard for the first time, sent a new kind of reading, or turned
  /// out to be of a more specific kind.
  package mutating func takeNews() -> [(name: String, beacon: HeardBeacon)] {
    telemetry.takeNews(and: roster.takeKindNews()).map { beacon in
      let zones = roster.zones(of: beacon).map { configuration.zones[Int($0.rawValue)].name }
      let readings = telemetry.readings(of: beacon)?.map { ReadingKind($0) } ?? []
      return (
        roster.name(of: beacon),
        HeardBeacon(zones: Set(zones), readings: Set(readings), make: roster.kinds.kind(of: beacon).make)
      )
    }
  }
}

/// Facts about a beacon that shape its Home Assistant device.
package struct HeardBeacon: Hashable, Sendable {
  /// The names of the zones that watch it.
  package var zones: Set<String> = []
  package var readings: Set<ReadingKind> = []
  /// nil: its frames do not reveal its kind.
  package var make: DeviceMake?

  package init(zones: Set<String> = [], readings: Set<ReadingKind> = [], make: DeviceMake? = nil) {
    self.zones = zones
    self.readings = readings
    self.make = make
  }
}
