import Beacons

/// `publish:` – what the gateway publishes beside its decisions.
public struct PublishSettings: Hashable, Sendable {
  /// `observations`: what its own radios hear of configured beacons, for another Beaconkeeper; nil: off.
  public var observations: ObservationSettings?

  public init() {}
}

/// How observations are published.
public struct ObservationSettings: Hashable, Sendable {
  /// `interval`: how long they are collected. Default 200 ms.
  public var interval: TimeSpan
  /// `partitions`: over how many topics the beacons are spread. Default 1.
  public var partitions: Int
  /// `buffer`: octets of batches that wait on disk while the broker is away; the oldest go first. nil: none waits.
  public var buffer: Int?

  public init(interval: TimeSpan = .milliseconds(200), partitions: Int = 1, buffer: Int? = nil) {
    self.interval = interval
    self.partitions = partitions
    self.buffer = buffer
  }
}
