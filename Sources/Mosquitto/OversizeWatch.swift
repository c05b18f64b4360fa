import Glibc

/// Limits the size of the packet being received. libmosquitto allocates whatever length a packet claims, up to 256 MiB, and
/// keeps it until the packet is complete. With MQTT 5 the broker is asked to send less, but it may not comply.
///
/// The kernel counts the bytes received (tcp(7), TCP_INFO), also with TLS.
struct OversizeWatch {
  private let limit: UInt64
  /// The byte count when libmosquitto last completed a packet, or slightly later.
  private var whole: UInt64?
  private var last: UInt64 = 0

  /// The size of a ping's answer, which libmosquitto does not report.
  private static let ping: UInt64 = 2

  init(limit: Int) { self.limit = UInt64(limit) }

  /// A packet was completed.
  mutating func gotPacket() { whole = nil }

  /// libmosquitto has read without completing a packet. Returns whether the present packet is too large.
  mutating func isTooLarge(_ socket: Int32) -> Bool {
    guard let received = Self.received(socket) else { return false }
    if whole.map({ $0 > received }) ?? true || received &- last <= Self.ping { whole = received }
    last = received
    return received - (whole ?? received) > limit
  }

  /// `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h, since 4.1).
  private static let place = 128

  private static func received(_ socket: Int32) -> UInt64? {
    var info = InlineArray<256, UInt8>(repeating: 0)
    var length = socklen_t(256)
    var span = info.mutableSpan
    let count: UInt64? = span.withUnsafeMutableBytes { octets in
      guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, octets.baseAddress, &length) == 0,
        length >= socklen_t(place + 8)
      else { return nil }
      return octets.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    return count
  }
}
