/// What rooms, and a walk through them, tell of the signal at a site.
public struct SignalSurvey: Sendable {
  public var plan: RoomPlan
  /// As the calibration has them.
  public var names: RoomCalibrator.Names
  /// nil: nothing was measured.
  public var calibration: RoomCalibration?

  public init(plan: RoomPlan, names: RoomCalibrator.Names, calibration: RoomCalibration?) {
    self.plan = plan
    self.names = names
    self.calibration = calibration
  }
}
