import ArgumentParser
import Core
import Glibc

/// Standard output and standard error without a buffer, so that everything appears at once, also in a pipe.
///
/// Not Foundation's `FileHandle.write`, which traps when a disk is full or nobody reads any more.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// Writes everything, waiting if necessary; returns the error number if it cannot.
  func write(_ bytes: some Collection<UInt8>) -> Int32? {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      // Another program with the same terminal or pipe may have made it non-blocking.
      case EAGAIN: wait()
      case let code: return code
      }
    }
    return nil
  }

  private func wait() {
    var state = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    _ = poll(&state, 1, -1)
  }

  /// Opens every standard descriptor that the caller closed with a file that can be neither read nor written. Otherwise a
  /// capture or a connection would get its number, and results would be written there.
  static func fillGaps() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// A line, or several, on standard error, for everything except results. Some of it comes from the broker or from the air.
func say(_ text: String) {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
  _ = StandardStream.error.write((lines.joined(separator: "\n") + "\n").utf8)
}

/// A line on standard output, for results.
///
/// Throws the error that ends the command, silently if the reader has ended (`| head`).
func tell(_ line: String) throws(ExitCode) { try put((line + "\n").utf8) }

/// Bytes on standard output; throws as `tell` does.
func put(_ bytes: some Collection<UInt8>) throws(ExitCode) {
  switch StandardStream.output.write(bytes) {
  case nil: return
  case EPIPE: throw ExitCode(128 + SIGPIPE)
  case let code?:
    throw failure("standard output cannot be written: \(String(cString: strerror(code)))", .inputOutput)
  }
}
