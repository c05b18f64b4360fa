import Beacons

/// By how many dB a receiver heard a room otherwise than expected: the mean over what was heard lately.
struct MeanError: StateElement {
  /// How many words count.
  private(set) var weight: Float = 0
  private(set) var decibels: Float = 0

  init() {}

  /// - Parameter weight: how many words such an error stands for.
  init(_ decibels: Float, weight: Float = 0) {
    self.weight = weight
    self.decibels = decibels
  }

  /// - Parameter memory: at most so many words count.
  mutating func add(_ error: Float, memory: Float) {
    weight = min(weight + 1, memory)
    decibels += (error - decibels) / weight
  }

  /// Something changed by so many dB: what is known of the time before is little.
  ///
  /// - Parameters:
  ///   - limit: no mean is greater, dB.
  ///   - most: what the time before counts, words.
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
