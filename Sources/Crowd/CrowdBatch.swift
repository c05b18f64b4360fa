import Beacons
import Messages

/// A batch that a gateway publishes.
public struct CrowdBatch: Sendable {
  /// The gateway's index.
  public var gateway: Int
  public var message: Message
  /// How many observations are in it; 0 for one that is published a second time.
  public var observations: Int
  /// Since the crowd's start. A batch may be sent later, because its gateway was cut off: see `payload(at:)`.
  public var made: MonotonicTime

  /// The payload if it is sent at this time: with the time that it waited, like a real gateway's.
  public func payload(at time: MonotonicTime) -> [UInt8] {
    ObservationsMessage.delayed(message.payload, held: time - made)
  }
}

/// A tag that entered a room.
public struct CrowdMove: Hashable, Sendable {
  public var tag: Int
  public var room: Int
  /// Since the crowd's start.
  public var time: MonotonicTime
}
