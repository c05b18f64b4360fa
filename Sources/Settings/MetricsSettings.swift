import Beacons

/// `metrics:` – where the gateway's counters are written for Prometheus.
public struct MetricsSettings: Hashable, Sendable {
  /// `file`: an absolute path.
  public var file: String
  /// `every`: the time between two writes. Default 15 s.
  public var interval: TimeSpan

  public init(file: String, interval: TimeSpan = .seconds(15)) {
    self.file = file
    self.interval = interval
  }
}
