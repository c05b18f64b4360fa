import Core

/// Apple's iBeacon: manufacturer data of company 0x004C.
///
///     0   type            1  0x02
///     1   length          1  0x15
///     2   UUID           16  most significant octet first
///     18  major           2  big endian
///     20  minor           2  big endian
///     22  measured power  1  RSSI at 1 m, dBm, signed
///
/// Some tags append further bytes, which are ignored.
/// Source: Apple, Proximity Beacon Specification, R1.
public struct IBeacon: Hashable, Sendable {
  public var uuid: UInt128
  public var major: UInt16
  public var minor: UInt16
  /// RSSI at 1 m in dBm, as sent. Tags that were never calibrated send 0.
  public var measuredPower: Int8

  static let sample = "0201061aff4c000215f29dc74adbbd12de318ac8b046dd442500010203c5"

  public init(uuid: UInt128, major: UInt16, minor: UInt16, measuredPower: Int8) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.measuredPower = measuredPower
  }

  @inline(__always) public static func decode(_ data: Span<UInt8>) throws(Decline) -> IBeacon {
    guard data.count >= 23 else { throw .wrongLength(expected: 23, got: data.count) }
    guard data[0] == 0x02 else { throw .unknownFrameType(data[0]) }
    guard data[1] == 0x15 else { throw .wrongLength(expected: 0x15, got: Int(data[1])) }
    return IBeacon(
      uuid: data.bigEndian128(at: 2), major: data.bigEndian16(at: 18), minor: data.bigEndian16(at: 20),
      measuredPower: data.signed8(at: 22))
  }

  /// The complete payload of its advertisement: flags (general discoverable, no classic Bluetooth), then the iBeacon.
  public var advertisingData: [UInt8] {
    var data: [UInt8] = [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
    for shift in stride(from: 120, through: 0, by: -8) {
      data.append(UInt8(truncatingIfNeeded: uuid >> shift))
    }
    for number in [major, minor] { data += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
    data.append(UInt8(bitPattern: measuredPower))
    return data
  }
}
