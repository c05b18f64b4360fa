public import Beacons
import CBlueZ
import Glibc

/// The machine's two clocks, as the live radio stamps advertisements: time since boot, sleep included, and
/// the calendar.
public enum LiveClock {
  public static var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds(CLOCK_BOOTTIME)) }
  public static var wallNow: WallTime { WallTime(nanoseconds: nanoseconds(CLOCK_REALTIME)) }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return nanoseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}

extension LiveClock {
  /// A calendar past 2262, which 64 bits of nanoseconds cannot tell, stands still there.
  static func nanoseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = whole.addingReportingOverflow(nanoseconds)
    return carry ? .max : sum
  }
}

/// Turns the kernel's receive timestamps, which are of the calendar, into monotonic time that never steps
/// back.
struct ReceiveClock {
  /// Older than this is no age but a calendar that was set meanwhile.
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
