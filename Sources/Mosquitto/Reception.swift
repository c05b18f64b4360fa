import Glibc

/// Bounds the packet that is being received: libmosquitto takes room for whatever length a packet says it has, 256 MiB at most, and
/// keeps what came of it until it is whole. With MQTT 5 the broker is asked for less, which it need not heed.
///
/// The kernel counts what it received (tcp(7), TCP_INFO), below TLS too.
struct Reception {
  private let limit: UInt64
  /// What had come when libmosquitto last had a packet whole, or a little later.
  private var whole: UInt64?
  private var last: UInt64 = 0

  /// Octets of the answer to a ping, of which nobody tells us.
  private static let ping: UInt64 = 2

  init(limit: Int) { self.limit = UInt64(limit) }

  /// A packet was whole.
  mutating func gotPacket() { whole = nil }

  /// libmosquitto has read, and told of no packet. Returns whether the one it works on is larger than anybody needs.
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
