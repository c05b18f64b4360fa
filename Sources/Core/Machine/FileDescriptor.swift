import Glibc

/// Lets this process have a number of files open if the system allows that. Returns how many it may have.
package func allowOpenFiles(_ wanted: UInt) -> UInt {
  var limit = rlimit()
  let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return wanted }
  let allowed = limit.rlim_cur
  limit.rlim_cur = min(wanted, limit.rlim_max)
  return unsafe setrlimit(kind, &limit) == 0 ? limit.rlim_cur : allowed
}

/// Owns a file descriptor and closes it once.
package struct FileDescriptor: ~Copyable, Sendable {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Creates a file that must not exist yet, and that only its owner may read.
  package init(creating path: String) throws(SystemError) {
    number = try systemCall("open") {
      unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
  }

  deinit { close(number) }

  /// Length of a regular file; nil for anything else.
  package var fileLength: Int64? {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Reads into the span from an offset on; returns how many bytes came, 0 at the end.
  package func read(into bytes: inout MutableSpan<UInt8>, from offset: Int = 0) throws(SystemError) -> Int {
    try systemCall("read") {
      unsafe bytes.withUnsafeMutableBytes {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[offset...])
        return unsafe Glibc.read(number, rest.baseAddress, rest.count)
      }
    }
  }

  /// Everything; `ENOBUFS` if that is more than `limit`.
  package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var span = piece.mutableSpan
      let count = try read(into: &span)
      guard count > 0 else { return bytes }
      guard bytes.count <= limit - count else { throw SystemError(call: "read", code: ENOBUFS) }
      bytes += piece.prefix(count)
    }
  }

  /// Writes all of the span.
  package func write(_ bytes: Span<UInt8>) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try systemCall("write") {
        unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      }
      rest = rest.extracting(count...)
    }
  }
}
