import Core
import FoundationEssentials
import Glibc
import Logging

/// Systemd's journal, in its native protocol: one datagram an entry, with fields of its own
/// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
struct SystemJournal: Sendable {
  static let path = "/run/systemd/journal/socket"
  /// Longer values are cut: a datagram takes some 200 kB.
  private static let valueLimit = 32 << 10

  private let socket: Int32
  private let path: String

  /// nil if there is no socket.
  init?(path: String = SystemJournal.path) {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    self.path = path
  }

  /// Whether standard error is connected to the journal: systemd states the device and inode of the stream that it made.
  static var takesStandardError: Bool {
    guard let named = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    return fstat(2, &status) == 0 && named == "\(status.st_dev):\(status.st_ino)"
  }

  /// Sends the entry without waiting; false if the journal does not accept it.
  func write(_ entry: LogEntry) -> Bool {
    let datagram = Self.datagram(entry)
    let sent = withUnixAddress(path) { address, length in
      datagram.withUnsafeBytes {
        sendto(
          socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
          length)
      }
    }
    return sent == datagram.count
  }

  static func datagram(_ entry: LogEntry) -> [UInt8] {
    var bytes: [UInt8] = []
    append("MESSAGE", entry.sentence, to: &bytes)
    append("PRIORITY", String(entry.level.priority), to: &bytes)
    append("SYSLOG_IDENTIFIER", "beaconkeeper", to: &bytes)
    for field in entry.fields { append(field.name.fieldName, field.value, to: &bytes) }
    return bytes
  }

  /// `NAME=value`; for a value of several lines, its length as 64 bits, little endian, before it.
  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    let value = Array(value.utf8.prefix(valueLimit))
    bytes += name.utf8
    if value.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension String {
  /// As the journal requires names: capitals, digits and `_`.
  fileprivate var fieldName: String {
    String(uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

extension Logger.Level {
  /// The priority of syslog (RFC 5424, table 2).
  var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
