import Beacons

/// `telemetry:` – how often state is published that need not be published at every change.
public struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s.
  public var beaconState = TimeSpan.seconds(10)
  /// `health`: the time between two health messages if nothing changes. Default 60 s.
  public var health = TimeSpan.seconds(60)

  public init() {}
}
