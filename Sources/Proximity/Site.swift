import Beacons

/// What the engine knows of a place before it hears anything: its zones and how its receivers hear.
public struct Site: Sendable {
  /// By `ZoneIndex`.
  public var zones: [Zone]
  /// What differs from `calibration` at some receivers.
  public var receivers: [ReceiverIndex: Calibration]
  /// For every receiver that `receivers` does not name.
  public var calibration: Calibration

  public init(
    zones: [Zone], receivers: [ReceiverIndex: Calibration] = [:], calibration: Calibration = Calibration()
  ) {
    self.zones = zones
    self.receivers = receivers
    self.calibration = calibration
  }
}

/// How one receiver hears, in the log-distance path-loss model
/// `rssi = measuredPower + offset − 10 · exponent · log10(distance)`.
public struct Calibration: Hashable, Sendable {
  /// RSSI at 1 m in dBm as this receiver hears it; it overrides what frame and beacon say. nil: theirs.
  public var measuredPower: Double?
  /// dB by which this receiver hears stronger than the measured power says (antenna, cable, wall plate).
  public var offset: Double
  /// Path-loss exponent.
  public var exponent: Double
  /// Standard deviation of the signal around the model in dB (shadowing and multipath).
  public var deviation: Double

  public init(
    measuredPower: Double? = nil, offset: Double = 0, exponent: Double = Calibration.defaultExponent,
    deviation: Double = Calibration.defaultDeviation
  ) {
    self.measuredPower = measuredPower
    self.offset = offset
    self.exponent = exponent
    self.deviation = deviation
  }

  public static let defaultExponent = 2.0
  public static let defaultDeviation = 6.0
  /// RSSI at 1 m in dBm where nobody states it.
  public static let defaultMeasuredPower = -59.0
}
