import Beacons

/// A receiver in the engine, with precomputed calibration.
struct Receiver: Sendable {
  let calibration: Calibration
  /// Decades of distance per dB: 1 / (10 · exponent).
  let decadesPerDecibel: Float
  private let ownPower: Float?
  private let offset: Float

  /// Valid path-loss exponents. Real receivers are within this range, and it keeps the model invertible.
  private static let exponents = 0.5...10.0

  init(_ calibration: Calibration) {
    var calibration = calibration
    calibration.exponent = min(
      max(calibration.exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
    calibration.deviation = max(calibration.deviation, 0.5)
    self.calibration = calibration
    decadesPerDecibel = Float(1 / (10 * calibration.exponent))
    ownPower = calibration.measuredPower.map { Float($0) }
    offset = Float(calibration.offset)
  }

  /// RSSI at 1 m in dBm: from the receiver's calibration, else from the beacon's configuration, else from the frame if plausible,
  /// else the default.
  @inline(__always) func power(frame: Int8?, configured: Float?) -> Float {
    let stated = frame.flatMap { (-120...20).contains($0) ? Float($0) : nil }
    return (ownPower ?? configured ?? stated ?? Float(Calibration.defaultMeasuredPower)) + offset
  }
}
