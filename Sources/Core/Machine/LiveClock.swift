import Glibc

/// The machine's two clocks, as the live radio stamps advertisements: time since boot, including sleep, and the calendar.
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
  /// A date past 2262, which 64 bits of nanoseconds cannot hold, stays at the limit.
  package static func nanoseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = whole.addingReportingOverflow(nanoseconds)
    return carry ? .max : sum
  }
}
