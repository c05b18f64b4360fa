import Beacons

/// Turns the kernel's receive timestamps, which are of the calendar, into monotonic time that never steps
/// back.
struct ReceiveClock {
  /// A greater age means that the wall clock was changed meanwhile.
  static let oldest = TimeSpan.seconds(10)

  private var latest = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - stamp: when the kernel received it; nil where it did not say.
  mutating func time(
    of stamp: WallTime?, now: MonotonicTime, wallNow: WallTime
  ) -> (time: MonotonicTime, wallTime: WallTime) {
    var age = stamp.map { wallNow - $0 } ?? .zero
    if age < .zero || age > Self.oldest { age = .zero }
    let time = max(now - age, latest)
    latest = time
    return (time, stamp ?? wallNow)
  }
}
