import Beacons

/// The crowd and the site.
public struct CrowdSettings: Hashable, Sendable {
  /// The same seed gives the same walk.
  public var seed: UInt64 = 1
  public var gateways = 8
  public var tags = 100
  /// At most one a gateway.
  public var rooms = 8
  /// Over how many topics each gateway spreads the beacons.
  public var partitions = 16
  /// How often a tag advertises.
  public var advertising = TimeSpan.seconds(2)
  /// How many gateways are considered near a tag. Those that are too far for its signal do not receive it.
  public var audience = 4
  /// How long a gateway collects observations before it publishes them.
  public var interval = TimeSpan.seconds(1)
  /// How long a tag stays in a room on average before it walks to one next to it.
  public var stay = TimeSpan.seconds(60)
  /// The share of batches that are published twice, 0 to 1.
  public var duplicates = 0.0
  /// The share of time for which a gateway is cut off, 0 to 1. Its observations of that time come late.
  public var late = 0.0
  /// The loss of a wall, dB.
  public var wall = 6.0
  /// Standard deviation of a signal, dB.
  public var noise = 4.0
  /// How many parts in a million a gateway's clock may be fast or slow.
  public var skew = 50.0

  public init() {}

  /// Sets how often a tag advertises, for this many observations a second in total.
  public mutating func setRate(_ observations: Double) {
    advertising = .seconds(Double(tags * min(audience, gateways)) / observations)
  }
}
