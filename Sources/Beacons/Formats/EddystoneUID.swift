/// Eddystone-UID: service data of 0xFEAA.
///
///     0   frame type      1  0x00
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   namespace      10
///     12  instance        6
///     18  reserved        2  left out by some tags
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-uid
public struct EddystoneUID: Hashable, Sendable {
  /// 80 bits.
  public var namespace: UInt128
  /// 48 bits.
  public var instance: UInt64
  /// RSSI at 0 m in dBm.
  public var txPower: Int8

  @inline(__always) public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneUID {
    guard data.count >= 18 else { throw .wrongLength(expected: 18, got: data.count) }
    return EddystoneUID(
      namespace: UInt128(data.bigEndian64(at: 2)) << 16 | UInt128(data.bigEndian16(at: 10)),
      instance: data.bigEndian48(at: 12), txPower: data.signed8(at: 1))
  }
}

/// Eddystone states the power at 0 m. The first metre of free space takes 41 dB
/// (https://github.com/google/eddystone/tree/master/eddystone-uid#tx-power).
public func measuredPower(fromEddystone txPower: Int8) -> Int8 {
  Int8(clamping: Int(txPower) - 41)
}
