import CLinux
import Glibc

/// The machine's two clocks, as the live radio stamps advertisements: time since boot, including sleep, and the calendar.
public enum LiveClock {
  public static var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds(CLOCK_BOOTTIME)) }
  public static var wallNow: WallTime { WallTime(nanoseconds: nanoseconds(CLOCK_REALTIME)) }

  /// Both at one moment; nil: this thread had to wait between them.
  package static var both: (now: MonotonicTime, wallNow: WallTime)? {
    let (before, wallNow, after) = (now, wallNow, now)
    return after - before < .milliseconds(100) ? (after, wallNow) : nil
  }

  /// Whether the calendar is known not to have been set since the machine started. The kernel says so, and systemd-timesyncd where a
  /// service may not ask the kernel.
  package static var isUnset: Bool {
    let answer = beaconkeeper_clock_is_unset()
    if answer >= 0 { return answer > 0 }
    let folder = "/run/systemd/timesync"
    return unsafe access(folder, F_OK) == 0 && access("\(folder)/synchronized", F_OK) != 0
  }

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
