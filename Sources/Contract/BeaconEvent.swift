import Beacons
import Core

/// An event of a beacon: of a button, a dimmer, a command, a movement, or a change of a binary reading.
package struct BeaconEvent: Hashable, Sendable {
  package var beacon: BeaconIndex
  package var time: MonotonicTime
  package var wallTime: WallTime
  /// The reading that reported it.
  package var reading: ReadingKind
  package var happening: Happening
  /// The sender's packet number; nil: it has none.
  package var packet: UInt32?

  package init(
    beacon: BeaconIndex, time: MonotonicTime, wallTime: WallTime, reading: ReadingKind, happening: Happening,
    packet: UInt32?
  ) {
    self.beacon = beacon
    self.time = time
    self.wallTime = wallTime
    self.reading = reading
    self.happening = happening
    self.packet = packet
  }
}
