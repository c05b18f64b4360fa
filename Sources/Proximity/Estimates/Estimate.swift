import Beacons
import Core

/// Smoothed signal and distance of one beacon at one receiver.
public struct Estimate: Hashable, Sendable {
  /// Smoothed signal in dBm.
  public var rssi: Double
  /// Metres.
  public var distance: Double
  /// Standard deviation of `distance`, metres.
  public var distanceDeviation: Double
  /// The mean interval between receptions at this receiver; nil: not learnt yet.
  public var interval: TimeSpan?
  public var samples: Int
  public var lastHeard: MonotonicTime
}

/// Time and receiver of a beacon's newest sighting.
public struct LastSighting: Hashable, Sendable {
  public var time: MonotonicTime
  public var wallTime: WallTime
  public var receiver: ReceiverIndex

  public init(time: MonotonicTime, wallTime: WallTime, receiver: ReceiverIndex) {
    self.time = time
    self.wallTime = wallTime
    self.receiver = receiver
  }
}
