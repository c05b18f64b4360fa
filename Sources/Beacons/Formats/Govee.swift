import Core

/// Govee's thermometers and meat thermometers.
///
/// Source: https://github.com/wcbonner/GoveeBTTempLogger; https://github.com/Thrilleratplay/GoveeWatcher
extension SensorFormat {
  static let govee: [SensorFormat] = [
    // 1: temperature and humidity, 3 octets; 4: battery.
    govee("H5072, H5075", .manufacturer(0xEC88), .exactly(6), "09ff88ec0003a9d64b00") { data, body in
      guard data.goveeIsSound(4) else { return }
      data.goveeDigits(1, body)
      data.field(.batteryLevel, 4, .u8, bits: 7, body)
    },
    govee("H5074", .manufacturer(0xEC88), .exactly(7), "0aff88ec0034089a0f5f02") { data, body in
      data.goveeNumbers(1, battery: 5, body)
    },
    govee("H5051, H5071", .manufacturer(0xEC88), .exactly(9), "0cff88ec0034089a0f5f020101") { data, body in
      data.goveeNumbers(1, battery: 5, body)
    },
    govee("H5179", .manufacturer(0x8801), .exactly(9), "0cff0188ec00010134089a0f5f") { data, body in
      data.goveeNumbers(4, battery: 8, body)
    },
    // A meat thermometer with one probe, and its surroundings.
    govee("H5191", .manufacturer(0xAC63), .exactly(20), "17ff63ac83010001014c5d0417701324ffff0898ffffffff") {
      data, body in
      if data.bigEndian16(at: 8) != 0xFFFF {
        body(Reading(.temperature, ordinal: 2, .number(Double(data.bigEndian16(at: 8)) / 100)))
      }
      data.field(.temperature, 14, .u16, per: 100, absent: 0xFFFF, body)
    },
  ]

  /// The company id of these is Nokia's, or no company's.
  static let goveeBySender: [SensorFormat] = [
    // 2: six decimal digits: temperature in 0.1 °C, humidity in 0.1 %; the last three are PM 2.5.
    govee(
      "H5106", .manufacturer(0x0001), .exactly(6),
      "0d09475648353130365f31323334030388ec09ff010001010cd79cf4",
      isSent: { $1.isNamed("GVH5106") }
    ) { data, body in
      let digits = data.bigEndian32(at: 2)
      let number = digits & 0x7FFF_FFFF
      let tenths = Double(number / 1_000_000)
      body(Reading(.temperature, (digits >> 31 == 0 ? tenths : -tenths) / 10))
      body(Reading(.humidity, Double(number / 1000 % 1000) / 10))
      body(Reading(.pm25, Double(number % 1000)))
    },
    govee(
      "H5100 to H5177", .manufacturer(0x0001), .exactly(6),
      "0d09475648353130325f31323334030388ec02010509ff01000101035d295f",
      isSent: { $1.isNamed("GVH5") || $1.isNamed("GV51") }
    ) { data, body in
      guard data.goveeIsSound(5) else { return }
      data.goveeDigits(2, body)
      data.field(.batteryLevel, 5, .u8, bits: 7, body)
    },
    // 2: the same, and CO₂.
    govee(
      "H5140", .manufacturer(0x0001), .exactly(8), "0b0947563531343031323334" + "0bff01000101035d29032064",
      isSent: { $1.isNamed("GV5140") }
    ) { data, body in
      data.goveeDigits(2, body)
      data.field(.co2, 5, .u16, body)
    },
    // 4: battery; 5: which pair of probes, in its upper bits; 6: kind of alarm; 7, 14: whole °C, little endian.
    govee(
      "H5055", .unnumbered, .exactly(22), "17ff01020304640120170000000000067300000000000000",
      isSent: { data, _ in
        [0x06, 0x20, 0x22].contains(data[6]) && data[4] <= 100 && data.littleEndian16(at: 20) == 0
      }
    ) { data, body in
      let first = data[5] >> 6 * 2 + 1
      if first > 5 { return }
      data.field(.batteryLevel, 4, .u8, bits: 7, body)
      for (index, offset) in [7, 14].enumerated() where data.littleEndian16(at: offset) != 0xFFFF {
        body(
          Reading(
            .temperature, ordinal: first + UInt8(index), .number(Double(data.littleEndian16(at: offset)))))
      }
    },
    govee(
      "H5178", .manufacturer(0x0001), .exactly(9), "0a094235313738313233340201050cff0100010100035d295f0000",
      isSent: { $1.isNamed("B5178") }
    ) { data, body in
      guard data.goveeIsSound(6) else { return }
      // One sender reports two places: the display's, and the outdoor sensor's.
      data.goveeDigits(3, ordinal: data[2] == 0 ? 1 : 2, body)
      data.field(.batteryLevel, 6, .u8, bits: 7, body)
    },
    probes("H5181, H5183", 0x8351, .exactly(16), [10], "0303518302010511ff5da1b401000101e40080177013240000"),
    probes("H5182", 0x8251, .exactly(19), [10, 15], "0303518214ff30554401000101e401861770ffff8608fcffff"),
    probes("H5184", 0x8451, .exactly(19), [10, 15], "0303518414ff30584001000101e402461770ffff4608fcffff"),
    probes(
      "H5185", 0x8551, .exactly(22), [10, 16], "0303518517ff32490a01000101e4c1ff1770ffffffff08fcffffffff"),
    probes(
      "H5198", 0x9851, .exactly(22), [10, 16], "0303519817ff30226c01000101c0010f17701ce8ffffffff189cffff"),
  ]

  private static func govee(
    _ model: String, _ place: Place, _ length: Length, _ sample: String,
    isSent: @escaping @Sendable (Span<UInt8>, borrowing FormatContext) -> Bool = { _, _ in true },
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "govee", maker: "Govee", model: model, in: place, length, sample: sample, isSent: isSent,
      readings: readings)
  }

  /// Meat thermometers: 0.01 °C for each probe, big endian; all ones: no probe. They list a service of their own.
  private static func probes(
    _ model: String, _ service: UInt16, _ length: Length, _ offsets: [Int], _ sample: String
  ) -> SensorFormat {
    govee(model, .unnumbered, length, sample, isSent: { $1.lists(service: service) }) { data, body in
      // These have four probes, and report two at a time.
      let pair =
        switch service {
        case 0x8551: UInt8(1)
        case 0x9851: data[7] & 0x3F
        default: data[8]
        }
      for (index, offset) in offsets.enumerated() where data.bigEndian16(at: offset) != 0xFFFF {
        let number = Double(data.bigEndian16(at: offset)) / 100
        let ordinal = UInt8(index + 1) + (pair == 2 ? 2 : 0)
        body(Reading(.temperature, ordinal: ordinal, .number(number)))
      }
    }
  }
}

extension Span<UInt8> {
  /// The highest bit of the battery's octet says that the sensor failed.
  fileprivate func goveeIsSound(_ battery: Int) -> Bool { self[battery] & 0x80 == 0 }

  /// Six decimal digits in three octets: temperature in 0.1 °C, its sign in the highest bit, and humidity in 0.1 %.
  fileprivate func goveeDigits(_ offset: Int, ordinal: UInt8 = 1, _ body: (Reading) -> Void) {
    let digits = bigEndian24(at: offset)
    let number = digits & 0x7F_FFFF
    let tenths = Double(number / 1000)
    body(Reading(.temperature, ordinal: ordinal, .number((digits & 0x80_0000 == 0 ? tenths : -tenths) / 10)))
    body(Reading(.humidity, ordinal: ordinal, .number(Double(number % 1000) / 10)))
  }

  fileprivate func goveeNumbers(_ offset: Int, battery: Int, _ body: (Reading) -> Void) {
    field(.temperature, offset, .s16le, per: 100, body)
    field(.humidity, offset + 2, .u16le, per: 100, body)
    field(.batteryLevel, battery, .u8, bits: 7, body)
  }
}
