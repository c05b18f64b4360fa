import Core

/// Minew's sensors. Big endian; numbers with a point have eight bits behind it.
///
/// Sources: https://docs.beaconplus.minew.com (frames of BeaconPlus);
/// https://github.com/reelyactive/advlib-ble-services and …/advlib-ble-manufacturers, lib/minew.js
extension SensorFormat {
  /// Service data of 0xFFE1: a frame, 0xA1; its kind; the battery in %; what it says from 3 on; then the address, 6.
  static let minew: [SensorFormat] = [
    minew(0x01, "15a03210") { data, body in
      data.field(.temperature, 3, .s16, per: 256, body)
      data.field(.humidity, 5, .u16, per: 256, body)
    },
    minew(0x02, "01") { $0.flag(.light, 3, bit: 0, $1) },
    minew(0x03, "0000ff000100") { $0.minewAcceleration(3, $1) },
    minew(0x05, "4000") { $0.field(.illuminance, 3, .u16, $1) },
    minew(0x11, "0001") { $0.flag(.motion, 4, bit: 0, $1) },
    minew(0x13, "1973") { $0.field(.temperature, 3, .s16, per: 256, $1) },
    minew(0x17, "04840000") { data, body in
      body(Reading(.pressure, (Double(data.bigEndian32(at: 3)) / 655.36).rounded() / 100))
    },
    // A time stands before it.
    minew(0x18, "1234567801") { $0.flag(.vibration, 7, bit: 0, $1) },
    minew(0x20, "01") { $0.flag(.tamper, 3, bit: 0, $1) },
    minew(0x21, "01") { $0.flag(.moistureDetected, 3, bit: 0, $1) },
    // These two have no battery, or a name behind the address.
    minew("Minew sensor", .service(0xFFE1), 0xA115, .exactly(20), "0000ff80013b000000449e58010203040506") {
      $0.minewAcceleration(2, $1)
    },
    minew("Minew sensor", .service(0xFFE1), 0xA108, .atLeast(9), "64060504030201504c5553") {
      $0.field(.batteryLevel, 2, .u8, $1)
    },
    // Manufacturer data of 0x0639: two kinds of detectors. Which bit is what is concluded from a capture of each: 0: tamper, 1: motion,
    // 5 and 6: buttons.
    minew("MSE01", minewMaker, 0x5101, .exactly(23), minewDetector) { $0.minewDetector($1) },
    minew("MSE02", minewMaker, 0x5102, .exactly(23), minewDetector) { $0.minewDetector($1) },
    minew("S3", minewMaker, 0xA303, .exactly(16), "64197348466745233123ac007ad3") { data, body in
      data.field(.batteryLevel, 2, .u8, body)
      data.field(.temperature, 3, .s16, per: 256, body)
      data.field(.humidity, 5, .u16, per: 256, body)
    },
    minew("S4", minewMaker, 0xA401, .exactly(15), "63010001ff6745233123ac1234") { data, body in
      data.field(.batteryLevel, 2, .u8, body)
      body(Reading(.opening, .flag(data[3] != 0)))
      body(Reading(.tamper, .flag(data[4] != 0)))
    },
    minew("Connect V3", minewMaker, 0xCA00, .exactly(24), "6745233123ac6421870000000000000000001234abcd") {
      $0.field(.batteryLevel, 8, .u8, $1)
    },
    minew("Connect V3", minewMaker, 0xCA03, .atLeast(6), "0300050005ff0421643a7ac951") { $0.minewBlocks($1) },
    //     3   flags        1  bit 1: no humidity     5   temperature, humidity, 2 each
    minew("Connect V3", minewMaker, 0xCA05, .exactly(24), "0000001973484600000000000000000000001234abcd") {
      data, body in
      data.field(.temperature, 5, .s16, per: 256, body)
      data.field(.humidity, 7, .u16, per: 256, if: Condition(3, mask: 0x02, is: 0), body)
    },
    // 2: 0: who came and who went, 2 each, little endian; 1: how many are there, in four bits.
    minew("Connect V3", minewMaker, 0xCA18, .exactly(24), "007f230110320000000000000000000000001234abcd") {
      data, body in
      switch data[2] {
      case 0:
        data.field(.count, 4, .u16le, body)
        body(Reading(.count, ordinal: 2, .number(Double(data.littleEndian16(at: 6)))))
      case 1: data.field(.count, 4, .u8, bits: 4, body)
      default: break
      }
    },
    // 2: highest bit: encrypted; 12: battery, mV; 14: temperature; 17: transmit power.
    minew("Connect V3", minewMaker, 0xCA1B, .exactly(24), "010007000165332211ac05ef197300c5000000000010") {
      data, body in
      guard data[2] & 0x80 == 0 else { return }
      data.field(.batteryVoltage, 12, .u16, per: 1000, body)
      data.field(.temperature, 14, .s16, per: 256, body)
      data.field(.txPower, 17, .s8, body)
    },
    // 4: distance, mm, little endian.
    minew("Connect V3", minewMaker, 0xCA1E, .exactly(24), "0064f4010f450700000000000000000000001234abcd") {
      $0.field(.distanceMillimetres, 4, .u16le, $1)
    },
  ]

  private static let minewMaker = Place.manufacturer(0x0639)
  private static let minewDetector = "2345220100efb598c3b498c0b63cbed37ebd0398bd"

  private static func minew(
    _ kind: UInt16, _ value: String, readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    minew(
      "Minew sensor", .service(0xFFE1), 0xA100 | kind, .exactly(9 + value.count / 2), "64\(value)060504030201"
    ) { data, body in
      data.field(.batteryLevel, 2, .u8, body)
      readings(data, body)
    }
  }

  /// - Parameter frame: the first two octets.
  private static func minew(
    _ model: String, _ place: Place, _ frame: UInt16, _ length: Length, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    let isService = if case .service = place { true } else { false }
    return SensorFormat(
      "minew", maker: "Minew", model: model, in: place, first: UInt8(frame >> 8), length,
      sample: hexadecimal(UInt128(data.count / 2 + 5), octets: 1) + (isService ? "16e1ff" : "ff3906")
        + hexadecimal(UInt128(frame), octets: 2) + data,
      refuse: { $0[1] == UInt8(truncatingIfNeeded: frame) ? nil : .unknownFrameType($0[1]) },
      readings: readings)
  }
}

extension Span<UInt8> {
  fileprivate func minewAcceleration(_ offset: Int, _ body: (Reading) -> Void) {
    field(.accelerationX, offset, .s16, per: 256, body)
    field(.accelerationY, offset + 2, .s16, per: 256, body)
    field(.accelerationZ, offset + 4, .s16, per: 256, body)
  }

  fileprivate func minewDetector(_ body: (Reading) -> Void) {
    field(.packetID, 2, .u8, body)
    field(.batteryLevel, 3, .u8, body)
    flag(.tamper, 4, bit: 0, body)
    flag(.motion, 4, bit: 1, body)
    for button in 1...2 as ClosedRange<UInt8> where self[4] &>> (button + 4) & 1 != 0 {
      body(Reading(.button, ordinal: button, .button(.press)))
    }
  }

  /// Blocks of a number and a value; the last four octets are a check.
  fileprivate func minewBlocks(_ body: (Reading) -> Void) {
    var offset = 2
    while offset + 5 < count {
      switch self[offset] {
      case 0x03 where offset + 7 <= count:
        minewAcceleration(offset + 1, body)
        offset += 7
      case 0x21:
        field(.batteryLevel, offset + 1, .u8, body)
        offset += 2
      case 0x22:
        body(Reading(.tamper, .flag(self[offset + 1] != 0)))
        offset += 2
      default: return
      }
    }
  }
}
