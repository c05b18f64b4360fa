import Glibc

/// Elapsed time, and the processor time of this process (user and system, all threads), in seconds.
package struct Stopwatch {
  private let wallStart = seconds(CLOCK_MONOTONIC)
  private let cpuStart = seconds(CLOCK_PROCESS_CPUTIME_ID)

  package init() {}

  package var wall: Double { seconds(CLOCK_MONOTONIC) - wallStart }
  package var cpu: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart }
}

private func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
