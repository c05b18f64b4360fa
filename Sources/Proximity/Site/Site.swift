import Beacons
import Core

/// The configuration of a site: its zones and the calibration of its receivers.
public struct Site: Sendable {
  /// By `ZoneIndex`.
  public var zones: [Zone]
  /// Calibrations of receivers that differ from `calibration`.
  public var receivers: [ReceiverIndex: Calibration]
  /// The calibration of all receivers not in `receivers`.
  public var calibration: Calibration
  /// nil: there are no rooms.
  public var survey: SignalSurvey?

  public init(
    zones: [Zone], receivers: [ReceiverIndex: Calibration] = [:], calibration: Calibration = Calibration(),
    survey: SignalSurvey? = nil
  ) {
    self.survey = survey
    self.zones = zones
    self.receivers = receivers
    self.calibration = calibration
  }
}

/// The calibration of one receiver in the log-distance path-loss model `rssi = measuredPower + offset − 10 · exponent ·
/// log10(distance)`.
public struct Calibration: Hashable, Sendable {
  /// RSSI at 1 m in dBm at this receiver. It overrides the values of frame and beacon; nil: use theirs.
  public var measuredPower: Double?
  /// Gain of this receiver relative to the measured power, dB (antenna, cable, wall plate).
  public var offset: Double
  /// Path-loss exponent.
  public var exponent: Double
  /// Standard deviation of the signal around the model in dB (shadowing and multipath).
  public var deviation: Double
  /// Where the receiver is mounted; nil: unknown. If three or more receivers with a position hear a beacon, its distance to each
  /// comes from a joint position instead of from each signal alone.
  public var position: Position?

  public init(
    measuredPower: Double? = nil, offset: Double = 0, exponent: Double = Calibration.defaultExponent,
    deviation: Double = Calibration.defaultDeviation, position: Position? = nil
  ) {
    self.measuredPower = measuredPower
    self.offset = offset
    self.exponent = exponent
    self.deviation = deviation
    self.position = position
  }

  /// Free space (Friis). Measured: 1.4 to 2 in rooms with a line of sight, 3 to 4 through walls (Rappaport, Wireless
  /// Communications, table 4.2). Calibrate for better results.
  public static let defaultExponent = 2.0
  /// The middle of the range measured in open offices and factory halls (Rappaport, table 4.6: 3 to 10 dB).
  public static let defaultDeviation = 6.0
  /// RSSI at 1 m in dBm if none is given: the value that most iBeacons with 0 dBm transmit.
  public static let defaultMeasuredPower = -59.0
}

/// A place in the site's own coordinates, metres.
public struct Position: Hashable, Sendable {
  public var x: Double
  public var y: Double
  /// Height above the floor; default 1.2 m, the height at which beacons are assumed to be carried.
  public var z: Double

  public init(x: Double, y: Double, z: Double = Position.beaconHeight) {
    self.x = x
    self.y = y
    self.z = z
  }

  public static let beaconHeight = 1.2
}

/// Rooms and their calibration, used to predict the signal at a site.
public struct SignalSurvey: Sendable {
  public var plan: RoomPlan
  /// Names as used in the calibration.
  public var names: RoomCalibrator.Names
  /// nil: nothing was measured.
  public var calibration: RoomCalibration?

  public init(plan: RoomPlan, names: RoomCalibrator.Names, calibration: RoomCalibration?) {
    self.plan = plan
    self.names = names
    self.calibration = calibration
  }
}
