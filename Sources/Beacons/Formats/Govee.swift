import Core

/// Govee's thermometers and meat thermometers.
///
/// Sources: https://github.com/wcbonner/GoveeBTTempLogger; https://github.com/Thrilleratplay/GoveeWatcher;
/// https://github.com/Bluetooth-Devices/govee-ble
extension SensorFormat {
  static let govee: [SensorFormat] = [
    // 1: temperature and humidity, 3 octets; 4: battery.
    govee("H5072, H5075", .manufacturer(0xEC88), .exactly(6), "09ff88ec0003a9d64b00") { data, body in
      data.goveeDigits(1, battery: 4, body)
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
    govee(
      "H5191", .manufacturer(0xAC63), .exactly(20), "17ff63ac83010001014c5d0417701324ffff0898ffffffff",
      hottest: 400
    ) { data, body in
      if data.bigEndian16(at: 8) != 0xFFFF {
        body(Reading(.temperature, ordinal: 2, .number(Double(data.bigEndian16(at: 8)) / 100)))
      }
      data.field(.temperature, 14, .u16, per: 100, absent: 0xFFFF, body)
    },
    goveePresence(0x8803), goveePresence(0x8843),
  ]

  /// The company id's low octet has flags. 4: somebody is there, 5: 17: and moves.
  private static func goveePresence(_ company: UInt16) -> SensorFormat {
    SensorFormat(
      "govee", maker: "Govee", model: "H5127", in: .manufacturer(company), first: 0xEC, .exactly(6),
      sample: "09ff" + hexadecimal(UInt128(company.byteSwapped), octets: 2) + "ec0001010111",
      refuse: { $0.bigEndian32(at: 0) & 0xFFFF_FCFF == 0xEC00_0001 ? nil : .noDecoder }
    ) { data, body in
      body(Reading(.occupancy, .flag(data[4] == 1)))
      body(Reading(.motion, .flag(data[5] == 17)))
    }
  }

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
    // 2: the same, and CO₂.
    govee(
      "H5140", .manufacturer(0x0001), .exactly(8), "0b0947563531343031323334" + "0bff01000101035d29032064",
      isSent: { $1.isNamed("GV5140") }
    ) { data, body in
      data.goveeDigits(2, body)
      data.field(.co2, 5, .u16, body)
    },
    // 7: which of two probes; only the first has a hygrometer.
    govee(
      "H5112", .manufacturer(0x0001), .exactly(8), "0b0947563531313231323334" + "0bff01000101035d295f0041",
      isSent: { ($1.isNamed("GV5112") || $1.isNamed("GVH5112")) && [0x41, 0x82].contains($0[7]) }
    ) { data, body in
      data.goveeDigits(2, ordinal: data[7] == 0x41 ? 1 : 2, hasHumidity: data[7] == 0x41, battery: 5, body)
    },
    govee(
      "H5100 to H5177", .manufacturer(0x0001), .atLeast(6),
      "0d09475648353130325f31323334030388ec02010509ff01000101035d295f",
      isSent: { ($1.isNamed("GVH5") || $1.isNamed("GV51")) && [6, 8].contains($0.count) }
    ) { $0.goveeDigits(2, battery: 5, $1) },
    govee(
      "H5129", .unnumbered, .exactly(8), "0d09475648353132395f31323334" + "09ff88ee0003a9d64b00",
      isSent: { $1.isNamed("GVH5129") }
    ) { $0.goveeDigits(3, battery: 6, $1) },
    // Motion, buttons, windows and the like, encrypted with a time that stands before: 4; and the text, 16. The last two octets are a
    // check. A time is an event.
    govee(
      "H5121 to H5130", .unnumbered, .exactly(26),
      "0b0947563531323231323334" + "1bff88efec0011223344ea54177bafaba85cccb1aebc0b2d8947edfc",
      isSent: { data, _ in
        data.bigEndian16(at: 2) == 0xEC00 && data.goveeCheck(8..<24) == data.bigEndian16(at: 24)
      }
    ) { data, body in
      data.field(.packetID, 4, .u32, body)
      data.goveeEvent(body)
    },
    // 4: battery; 5: which pair of probes, in its upper bits; 6: kind of alarm; 7, 14: whole °C, little endian.
    govee(
      "H5055", .unnumbered, .exactly(22), "17ff01020304640120170000000000067300000000000000",
      isSent: { data, _ in
        // Anybody's data may end with zeros; a fire has no 500 °C.
        let isHeat = { (degrees: UInt16) in degrees == 0xFFFF || degrees <= 500 }
        return [0x06, 0x20, 0x22].contains(data[6]) && data[4] <= 100 && data.littleEndian16(at: 20) == 0
          && isHeat(data.littleEndian16(at: 7)) && isHeat(data.littleEndian16(at: 14))
      }, hottest: 500
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
      // One sender reports two places: the display's, and the outdoor sensor's.
      data.goveeDigits(3, ordinal: data[2] == 0 ? 1 : 2, battery: 6, body)
    },
    probes("H5181", 0x8151, "GVH5181", .exactly(16), [10], "0303518111ff5da1b401000101e40080177013240000"),
    probes("H5183", 0x8351, "GVH5183", .exactly(16), [10], "0303518311ff5da1b401000101e40080177013240000"),
    probes(
      "H5182", 0x8251, "GVH5182", .exactly(19), [10, 15], "0303518214ff30554401000101e401861770ffff8608fcffff"
    ),
    probes(
      "H5184", 0x8451, "GVH5184", .exactly(19), [10, 15], "0303518414ff30584001000101e402461770ffff4608fcffff"
    ),
    probes(
      "H5185", 0x8551, "GVH5185", .exactly(22), [10, 16],
      "0303518517ff32490a01000101e4c1ff1770ffffffff08fcffffffff"),
    probes(
      "H5198", 0x9851, "GVH5198", .exactly(22), [10, 16],
      "0303519817ff30226c01000101c0010f17701ce8ffffffff189cffff"),
  ]

  private static func govee(
    _ model: String, _ place: Place, _ length: Length, _ sample: String,
    isSent: @escaping @Sendable (Span<UInt8>, borrowing FormatContext) -> Bool = { _, _ in true },
    hottest: Double? = nil, readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "govee", maker: "Govee", model: model, in: place, length, sample: sample, hottest: hottest,
      isSent: isSent, readings: readings)
  }

  /// Meat thermometers: 0.01 °C for each probe, big endian; all ones: no probe. They list a service of their own, or have a name.
  private static func probes(
    _ model: String, _ service: UInt16, _ name: StaticString, _ length: Length, _ offsets: [Int],
    _ sample: String
  ) -> SensorFormat {
    govee(
      model, .unnumbered, length, sample, isSent: { $1.lists(service: service) || $1.isNamed(name) },
      hottest: 400
    ) { data, body in
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
  /// Six decimal digits in three octets: temperature in 0.1 °C, its sign in the highest bit, and humidity in 0.1 %. The highest bit of
  /// the battery's octet says that the sensor failed.
  fileprivate func goveeDigits(
    _ offset: Int, ordinal: UInt8 = 1, hasHumidity: Bool = true, battery: Int? = nil,
    _ body: (Reading) -> Void
  ) {
    if let battery {
      field(.batteryLevel, battery, .u8, bits: 7, body)
      if self[battery] & 0x80 != 0 { return }
    }
    let digits = bigEndian24(at: offset)
    let number = digits & 0x7F_FFFF
    let tenths = Double(number / 1000)
    body(Reading(.temperature, ordinal: ordinal, .number((digits & 0x80_0000 == 0 ? tenths : -tenths) / 10)))
    if hasHumidity { body(Reading(.humidity, ordinal: ordinal, .number(Double(number % 1000) / 10))) }
  }

  /// CRC-16 of X.25's polynomial, beginning with 0x1D0F.
  fileprivate func goveeCheck(_ range: Range<Int>) -> UInt16 {
    var check: UInt16 = 0x1D0F
    for offset in range {
      check ^= UInt16(self[offset]) << 8
      for _ in 0..<8 { check = check & 0x8000 == 0 ? check << 1 : check << 1 ^ 0x1021 }
    }
    return check
  }

  /// Key and text are stored backwards; the key is the time, and zeros.
  ///
  ///     2   model        1
  ///     4   battery      1  %
  ///     5   what         1
  fileprivate func goveeEvent(_ body: (Reading) -> Void) {
    let key = (0..<16).map { $0 < 12 ? 0 : self[19 - $0] }
    guard let text = BlockCipher.decrypt((0..<16).map { self[23 - $0] }, key: key) else { return }
    body(Reading(.batteryLevel, Double(text[11])))
    switch (text[13], text[10]) {
    case (2, let state): body(Reading(.window, .flag(state == 2)))
    case (3, 1): body(Reading(.motion, .flag(true)))
    case (9, 1): body(Reading(.vibration, .flag(true)))
    case (8, let button), (10, let button), (11, let button):
      body(Reading(.button, ordinal: button < 16 ? button + 1 : 1, .button(.press)))
    case (13, let state):
      if state & 0x10 != 0 { body(Reading(.button, .button(.press))) }
      if state != 0x10 { body(Reading(.presence, .flag(state & 1 != 0))) }
    default: break
    }
  }

  fileprivate func goveeNumbers(_ offset: Int, battery: Int, _ body: (Reading) -> Void) {
    field(.temperature, offset, .s16le, per: 100, body)
    field(.humidity, offset + 2, .u16le, per: 100, body)
    field(.batteryLevel, battery, .u8, bits: 7, body)
  }
}
