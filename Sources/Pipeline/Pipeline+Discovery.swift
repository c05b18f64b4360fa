import Beacons
import Settings
import Messages
import Proximity

extension Pipeline {
  /// Whether `takeNews` or `takeForgotten` may have something.
  package var hasNews: Bool { telemetry.hasNews || roster.hasKindNews || !forgotten.isEmpty }

  /// Beacons that were heard for the first time since the last call, that measure something new, or that turned out to be
  /// more than was known, by name.
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
  /// By name: the zones that watch it.
  package var zones: Set<String> = []
  package var readings: Set<ReadingKind> = []
  /// nil: it was not heard to be anything in particular.
  package var make: DeviceMake?

  package init(zones: Set<String> = [], readings: Set<ReadingKind> = [], make: DeviceMake? = nil) {
    self.zones = zones
    self.readings = readings
    self.make = make
  }
}
