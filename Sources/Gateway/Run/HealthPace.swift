import Beacons

/// When changes of receivers elsewhere are published: the first one at once, further ones together. Each `health` is about all
/// receivers, and whoever may publish where scanners do could cause thousands of them. A function of the time passed in.
struct HealthPace: Sendable {
  private static let interval = TimeSpan.seconds(1)

  private var next = MonotonicTime(nanoseconds: .min)
  /// When to publish what has not been told yet; nil: all is told.
  private(set) var due: MonotonicTime?

  /// Notes a change. Returns whether to publish it now.
  mutating func changed(at time: MonotonicTime) -> Bool {
    guard time >= next else {
      due = next
      return false
    }
    next = time + Self.interval
    return true
  }

  /// Whether to publish now what has not been told yet.
  mutating func takeDue(at time: MonotonicTime) -> Bool {
    guard let due, due <= time else { return false }
    self.due = nil
    next = time + Self.interval
    return true
  }

  /// `health` is published for whichever reason, with all that has changed.
  mutating func published() { due = nil }
}
