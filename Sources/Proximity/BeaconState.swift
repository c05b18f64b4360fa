import Beacons

/// All that the engine knows of one beacon, to be written out and read back: on restart, or when another
/// worker takes the beacon over.
public struct BeaconState: Hashable, Sendable, Codable {
  public init() {}

  /// Moves every time in it by `span`: for a process whose monotonic clock started elsewhere.
  public mutating func shift(by span: TimeSpan) {}
}
