import Beacons

/// An event of a beacon: of a button, a dimmer, a command, a movement, or a change of a binary reading.
public struct BeaconEvent: Hashable, Sendable {
  public var beacon: BeaconIndex
  public var time: MonotonicTime
  public var wallTime: WallTime
  /// The reading that reported it.
  public var reading: ReadingKind
  public var happening: Happening
  /// The sender's packet number; nil: it has none.
  public var packet: UInt32?

  public init(
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
