import Glibc

/// Reports this program's state to the service manager that started it: systemd, or another that uses the protocol of
/// sd_notify(3).
public struct ServiceNotifier: Sendable {
  /// Notifications to the service manager, one per line.
  public enum Word: Sendable {
    /// Started, or reloaded.
    case ready
    /// A reload has begun.
    case reloading
    /// The end has begun.
    case stopping
    /// Sign of life.
    case alive
    /// A line for `systemctl status`.
    case status(String)
  }

  /// The service manager restarts a program that gives no sign of life for this long; nil: no watchdog.
  public let patience: Duration?
  private let socket: Int32
  private let path: String

  /// nil if no service manager listens.
  public init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
      return nil
    }
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    self.path = path
    let isMine = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    patience = isMine ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
  }

  /// Sends a notification without waiting. Errors are ignored.
  public func tell(_ words: Word...) {
    let lines = words.map(\.line).joined(separator: "\n")
    let bytes = Array(lines.utf8)
    _ = unsafe withUnixAddress(path) { address, length in
      unsafe bytes.withUnsafeBytes {
        unsafe sendto(
          socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
          length)
      }
    }
  }
}

extension ServiceNotifier.Word {
  fileprivate var line: String {
    switch self {
    case .ready: "READY=1"
    // The time lets the manager distinguish this reload from an earlier one.
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
    case .stopping: "STOPPING=1"
    case .alive: "WATCHDOG=1"
    case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
  }

  private static var monotonicMicroseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
