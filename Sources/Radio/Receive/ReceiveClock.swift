import Beacons

/// Turns the kernel's receive timestamps, which are of the calendar, into monotonic time that never steps
/// back.
struct ReceiveClock {
  /// A greater age means that the wall clock was changed meanwhile.
  static let oldest = TimeSpan.seconds(10)

  /// What was read before may still lie in the socket when the process stops.
  private static let margin = TimeSpan.seconds(1)

  private var latest = MonotonicTime(nanoseconds: .min)
  /// The process did not run in this time, and what the kernel received then is still being read.
  private var pause: (calendar: ClosedRange<WallTime>, end: MonotonicTime)?

  /// The process did not run until now. Nobody knows what happened meanwhile, so what waits counts as heard now.
  mutating func resume(since: WallTime, at time: MonotonicTime, _ wallTime: WallTime) {
    pause = (since - Self.margin...max(since, wallTime), time)
  }

  /// - Parameters:
  ///   - stamp: when the kernel received it; nil where it did not say.
  mutating func time(
    of stamp: WallTime?, now: MonotonicTime, wallNow: WallTime
  ) -> (time: MonotonicTime, wallTime: WallTime) {
    if let pause {
      if let stamp, pause.calendar.contains(stamp) {
        latest = max(latest, pause.end)
        return (latest, pause.calendar.upperBound)
      }
      self.pause = nil
    }
    var age = stamp.map { wallNow - $0 } ?? .zero
    if age < .zero || age > Self.oldest { age = .zero }
    let time = max(now - age, latest)
    latest = time
    return (time, stamp ?? wallNow)
  }
}
