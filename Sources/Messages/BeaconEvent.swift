import Beacons

/// Something that a beacon said to have happened to it: a button, a dimmer, a command, a movement, an edge of a binary reading.
public struct BeaconEvent: Hashable, Sendable {
  public var beacon: BeaconIndex
  public var time: MonotonicTime
  public var wallTime: WallTime
  /// Which of its readings said so.
  public var reading: ReadingKind
  public var happening: Happening
  /// The sender's number of the packet; nil: it does not number them.
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
