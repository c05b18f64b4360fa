/// Eddystone-EID: service data of 0xFEAA. The identifier rotates; only its owner can resolve it.
///
///     0   frame type      1  0x30
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   identifier      8
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-eid
public struct EddystoneEID: Hashable, Sendable {
  public var identifier: UInt64
  /// RSSI at 0 m in dBm.
  public var txPower: Int8

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneEID {
    guard data.count >= 10 else { throw .wrongLength(expected: 10, got: data.count) }
    return EddystoneEID(identifier: data.bigEndian64(at: 2), txPower: data.signed8(at: 1))
  }
}
