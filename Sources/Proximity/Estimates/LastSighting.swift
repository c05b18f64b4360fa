import Beacons

/// What the engine keeps of a beacon's newest sighting.
public struct LastSighting: Hashable, Sendable, Codable {
  public var time: MonotonicTime
  public var wallTime: WallTime
  public var receiver: ReceiverIndex

  public init(time: MonotonicTime, wallTime: WallTime, receiver: ReceiverIndex) {
    self.time = time
    self.wallTime = wallTime
    self.receiver = receiver
  }
}
