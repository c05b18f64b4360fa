import Beacons

/// Smoothed signal and distance of one beacon at one receiver.
public struct Estimate: Hashable, Sendable {
  /// Smoothed signal in dBm.
  public var rssi: Double
  /// Metres.
  public var distance: Double
  /// Standard deviation of `distance`, metres.
  public var distanceDeviation: Double
  /// How often this receiver really hears the beacon; nil until that is learnt.
  public var interval: TimeSpan?
  public var samples: Int
  public var lastHeard: MonotonicTime

  public init(
    rssi: Double, distance: Double, distanceDeviation: Double, interval: TimeSpan?, samples: Int,
    lastHeard: MonotonicTime
  ) {
    self.rssi = rssi
    self.distance = distance
    self.distanceDeviation = distanceDeviation
    self.interval = interval
    self.samples = samples
    self.lastHeard = lastHeard
  }
}
