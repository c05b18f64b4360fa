import Beacons

/// `telemetry:` – how often state is published that need not be published at every change.
public struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s; 60 s in a fleet, where a hundred thousand
  /// beacons would otherwise keep the broker for results busier than all that they do.
  public var beaconState: TimeSpan
  /// `health`: the time between two health messages if nothing changes. Default 60 s.
  public var health = TimeSpan.seconds(60)

  public init(ofFleet: Bool = false) { beaconState = .seconds(ofFleet ? 60 : 10) }
}
