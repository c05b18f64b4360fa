import Glibc

/// Ends a thread's sleep early: once raised, nobody sleeps here any more.
final class Wakeup: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // Without descriptors (too many open files) every sleep lasts its full time.
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    if reading >= 0 { close(reading) }
    if writing >= 0 { close(writing) }
  }

  func raise() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// Sleeps for that long, or until the wake-up.
  func sleep(for duration: Duration) {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, Int32(min(max(duration / .milliseconds(1), 0), 86_400_000)))
  }
}
