import Beacons

/// The mean difference in dB between received and expected level, over recent samples.
struct MeanError: StateElement {
  /// Number of samples that count.
  private(set) var weight: Float = 0
  private(set) var decibels: Float = 0

  init() {}

  /// - Parameter weight: number of samples that the error represents.
  init(_ decibels: Float, weight: Float = 0) {
    self.weight = weight
    self.decibels = decibels
  }

  /// - Parameter memory: maximum number of samples that count.
  mutating func add(_ error: Float, memory: Float) {
    weight = min(weight + 1, memory)
    decibels += (error - decibels) / weight
  }

  /// Shifts the mean after a change, and reduces the weight of older data.
  ///
  /// - Parameters:
  ///   - limit: maximum absolute mean, dB.
  ///   - most: maximum weight of the older data, samples.
  mutating func shift(by change: Float, within limit: Float, weight most: Float) {
    guard weight > 0 else { return }
    decibels = min(max(decibels + change, -limit), limit)
    weight = min(weight, most)
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("weight", &weight)
    try coder("decibels", &decibels)
  }
}
