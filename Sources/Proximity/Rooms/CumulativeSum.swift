import Beacons

/// Tells a lasting change from noise: Page's cumulative sum, for rises. What is less than usual cancels what was more.
struct CumulativeSum: StateElement {
  private var sum: Float = 0
  /// Since the sum was zero.
  private var rises = MeanError()

  /// dB. A mean rise below `slack` is noise, and no single rise counts more than `most`.
  private static let (slack, most): (Float, Float) = (5, 12)
  /// The sum from which it is a change, dB: 15 rises of 12 dB. In a simulated house a sound receiver of a good calibration took some
  /// hours to reach it.
  private static let proof: Float = 100
  private static let memory: Float = 1000
  /// No rise is greater, dB.
  private static let limit: Float = 200

  init() {}

  /// - Parameter rise: by how much something is more than usual, dB.
  /// - Returns: by how much it is more since it changed; nil: it did not.
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
