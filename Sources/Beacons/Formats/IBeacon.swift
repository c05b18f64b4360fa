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

/// Some makers put readings into major and minor of an iBeacon. The UUID says which maker it is.
extension IBeacon {
  /// Must be quick: it is called for every iBeacon.
  @inlinable package var mayHaveReadings: Bool {
    switch UInt32(truncatingIfNeeded: uuid >> 96) {
    case 0xA495_BB10...0xA495_BB80, 0x655F_83CA, 0x3BA2_9CD9, 0xEBEF_D083: true
    default: false
    }
  }

  /// The model of a device that puts readings into its UUID; nil: none is known. The first four octets
  /// identify it.
  package var model: String? {
    guard mayHaveReadings else { return nil }
    return Self.models.first { uuid >> 96 & 0xFFFF_FF0F == UInt128($0.first) & 0xFFFF_FF0F }?.model
  }

  /// With a payload, for the list of formats.
  package static let models: [(first: UInt32, model: String, sample: String)] = [
    (0xA495_BB10, "Tilt hydrometer", "1aff4c000215a495bb10c5b14b44b5121370f02d74de004403f8c5"),
    (0x655F_83CA, "Battery monitor BM2", "1aff4c000215655f83caae16a10a702e31f30d58dd820001000244"),
    (0x3BA2_9CD9, "Battery monitor BM6", "1aff4c0002153ba29cd9a42c894856badaf2606ef77700510002c5"),
    (0xEBEF_D083, "Jaalee JHT", "1bff4c000215ebefd08370a247c89837e7b5634df52567428e38c564"),
  ]

  /// - Parameter data: what it was decoded from.
  @usableFromInline func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    func tell(_ reading: Reading) { if reading.isPlausible() { body(reading) } }
    switch (UInt64(truncatingIfNeeded: uuid >> 64), UInt64(truncatingIfNeeded: uuid)) {
    // Tilt's hydrometer, of eight colours: °F, and gravity in thousandths; the Pro in tenths and ten-thousandths.
    // Source: https://kvurd.com/blog/tilt-hydrometer-ibeacon-data-format/
    case (0xA495_BB10_C5B1_4B44...0xA495_BB80_C5B1_4B44, 0xB512_1370_F02D_74DE):
      guard uuid >> 64 & 0xFFFF_FF0F_FFFF_FFFF == 0xA495_BB00_C5B1_4B44 else { return }
      let isPro = minor >= 5000
      let fahrenheit = Double(major) / (isPro ? 10 : 1)
      tell(Reading(.temperature, ((fahrenheit - 32) / 1.8 * 10).rounded() / 10))
      tell(Reading(.specificGravity, Double(minor) / (isPro ? 10_000 : 1000)))
    // Car battery monitors BM2 and BM6.
    case (0x655F_83CA_AE16_A10A, 0x702E_31F3_0D58_DD82):
      tell(Reading(.batteryLevel, Double(UInt8(bitPattern: measuredPower))))
    case (0x3BA2_9CD9_A42C_8948, 0x56BA_DAF2_606E_F777):
      tell(Reading(.batteryLevel, Double(major & 0xFF)))
    // Jaalee's JHT appends its battery level; plain iBeacons of this UUID do not. April Brother's ABTemp has the same UUID as all
    // beacons of that maker, so it cannot be recognised.
    case (0xEBEF_D083_70A2_47C8, 0x9837_E7B5_634D_F525):
      guard data.count > 23 else { return }
      tell(Reading(.temperature, ((-45 + 175 * Double(major) / 65_535) * 100).rounded() / 100))
      tell(Reading(.humidity, (Double(minor) / 65_535 * 10_000).rounded() / 100))
      tell(Reading(.batteryLevel, Double(data[23])))
    default: break
    }
  }
}
