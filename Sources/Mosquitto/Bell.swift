import Glibc

/// Wakes the thread that listens to it. Ringing again and again costs no memory.
final class Bell: Sendable {
  /// What is to be polled for reading; −1 where no descriptor was left: the thread then looks up when its time is over.
  let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    if reading >= 0 { close(reading) }
    if writing >= 0 { close(writing) }
  }

  /// Never blocks: a pipe that is full has rung long enough.
  func ring() {
    var octet: UInt8 = 0
    _ = write(writing, &octet, 1)
  }

  /// Forgets what has rung.
  func silence() {
    var octets = InlineArray<64, UInt8>(repeating: 0)
    var span = octets.mutableSpan
    span.withUnsafeMutableBytes { room in
      while read(reading, room.baseAddress, room.count) == room.count {}
    }
  }

  /// Sleeps for that long, or until it rings.
  func sleep(for duration: Duration) {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, Int32(min(max(duration / .milliseconds(1), 0), 86_400_000)))
  }
}
