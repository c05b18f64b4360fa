import Glibc

/// The bytes of a file, with its permissions.
struct ConfigurationFile {
  /// The largest size in bytes. A configuration of a thousand zones is far smaller.
  static let limit = 1 << 20

  /// How long to wait for the writer of a pipe, in milliseconds.
  private static let patience: Int32 = 2000

  var bytes: [UInt8]
  private var path: String
  /// Permission bits, such as 0o600.
  var mode: UInt32

  /// Whether only its owner may read it. systemd makes a unit's credentials readable for the unit's user by an access
  /// control list, which shows as the group's permission.
  func isPrivate(in environment: [String: String]) -> Bool {
    let isCredential = environment["CREDENTIALS_DIRECTORY"].map { path.hasPrefix($0 + "/") } ?? false
    return mode & (isCredential ? 0o007 : 0o077) == 0
  }

  /// Why a file cannot be read, as text.
  struct Unreadable: Error {
    var reason: String
  }

  /// Reads at most `limit` bytes. Mode and content are from the same open file.
  init(path: String, limit: Int = Self.limit) throws(Unreadable) {
    // A pipe that nobody writes to must not block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(reason: words(errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Unreadable(reason: words(errno)) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Unreadable(reason: words(EISDIR)) }
    mode = status.st_mode & 0o777
    self.path = path
    bytes = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, Self.patience) > 0 else {
          throw Unreadable(reason: "nothing writes into it")
        }
        continue
      }
      guard count >= 0 else { throw Unreadable(reason: words(errno)) }
      if count == 0 { return }
      bytes += chunk.prefix(count)
      guard bytes.count <= limit else {
        throw Unreadable(reason: "it is larger than \(limit >> 20) MiB")
      }
    }
  }
}

private func words(_ code: Int32) -> String {
  switch code {
  case ENOENT: "there is no such file"
  case EACCES: "permission denied"
  case EISDIR: "it is a directory"
  default: unsafe String(cString: strerror(code))
  }
}
