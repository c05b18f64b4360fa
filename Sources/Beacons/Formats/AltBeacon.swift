import Core

/// AltBeacon: manufacturer data of any company.
///
///     0   beacon code     2  0xBEAC, big endian
///     2   beacon id      20  first 16 octets usually an organisational UUID
///     22  measured power  1  RSSI at 1 m, dBm, signed
///     23  reserved        1  for the manufacturer; left out by some tags
///
/// Source: AltBeacon specification 1.0, https://github.com/AltBeacon/spec
public struct AltBeacon: Hashable, Sendable {
  /// Octets 0–15 of the beacon id.
  public var idHigh: UInt128
  /// Octets 16–19 of the beacon id.
  public var idLow: UInt32
  /// RSSI at 1 m in dBm, as sent.
  public var measuredPower: Int8
  /// nil if the tag left it out.
  public var reserved: UInt8?
  /// The company id under which it was sent.
  public var manufacturer: UInt16

  static let sample = "0201061bff1801beacf29dc74adbbd12de318ac8b046dd442500010203c407"

  @inline(__always) public static func decode(_ data: Span<UInt8>, manufacturer: UInt16) throws(Decline)
    -> AltBeacon
  {
    guard data.count >= 23 else { throw .wrongLength(expected: 23, got: data.count) }
    return AltBeacon(
      idHigh: data.bigEndian128(at: 2), idLow: data.bigEndian32(at: 18),
      measuredPower: data.signed8(at: 22), reserved: data.count > 23 ? data[23] : nil,
      manufacturer: manufacturer)
  }
}
