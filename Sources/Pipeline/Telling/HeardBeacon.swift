import Messages

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
