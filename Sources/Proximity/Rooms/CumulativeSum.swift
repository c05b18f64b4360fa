import Beacons

/// Distinguishes a lasting rise from noise with Page's cumulative sum. Negative values cancel positive ones.
struct CumulativeSum: StateElement {
  private var sum: Float = 0
  /// Mean of the rises since the sum was zero.
  private var rises = MeanError()

  /// dB. A mean rise below `slack` is noise, and no single rise counts more than `most`.
  private static let (slack, most): (Float, Float) = (5, 12)
  /// The sum at which a change is reported, dB: 15 rises of 12 dB. In a simulated house, an unchanged receiver with a good
  /// calibration reached it only after some hours.
  private static let proof: Float = 100
  private static let memory: Float = 1000
  /// Maximum mean rise, dB.
  private static let limit: Float = 200

  init() {}

  /// - Parameter rise: difference from the usual value, dB.
  /// - Returns: the mean rise since the change, dB; nil: no change.
  mutating func note(_ rise: Float) -> Float? {
    sum += min(max(rise, -Self.most), Self.most) - Self.slack
    rises.add(rise, memory: Self.memory)
    if sum <= 0 {
      self = CumulativeSum()
      return nil
    }
    guard sum > Self.proof else { return nil }
    defer { self = CumulativeSum() }
    return rises.decibels
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("sum", &sum)
    try coder("rises", &rises)
    try coder.check(
      (0...Self.proof).contains(sum) && (0...Self.memory).contains(rises.weight)
        && abs(rises.decibels) <= Self.limit)
  }
}
