import Glibc

/// Wakes a thread that polls. Ringing again and again costs no memory.
package final class Bell: Sendable {
  /// The descriptor to poll for reading; −1 if none was left: the thread then wakes at its next timeout.
  package let reading: Int32
  private let writing: Int32

  package init() {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) == 0 {
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
  package func ring() {
    var octet: UInt8 = 0
    _ = unsafe write(writing, &octet, 1)
  }

  /// Forgets that it has rung.
  package func silence() {
    var octets = InlineArray<64, UInt8>(repeating: 0)
    var span = octets.mutableSpan
    unsafe span.withUnsafeMutableBytes { room in
      while unsafe read(reading, room.baseAddress, room.count) == room.count {}
    }
  }

  /// Sleeps for that long, or until it rings.
  /// - Returns: whether it rang.
  @discardableResult
  package func sleep(for duration: Duration) -> Bool {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, Int32(min(max(duration / .milliseconds(1), 0), 86_400_000)))
    return entry.revents & Int16(POLLIN) != 0
  }
}
