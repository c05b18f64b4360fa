import Core

/// Govee's thermometers and meat thermometers.
///
/// Sources: https://github.com/wcbonner/GoveeBTTempLogger; https://github.com/Thrilleratplay/GoveeWatcher;
/// https://github.com/Bluetooth-Devices/govee-ble
extension SensorFormat {
  static let govee: [SensorFormat] = [
    // 1: temperature and humidity, 3 octets; 4: battery.
    govee("H5072, H5075, H5129", .manufacturer(0xEC88), .exactly(6), "09ff88ec0003a9d64b00") { data, body in
      data.goveeDigits(1, battery: 4, body)
    },
    govee("H5074", .manufacturer(0xEC88), .exactly(7), "0aff88ec0034089a0f5f02") { data, body in
      data.goveeNumbers(1, battery: 5, body)
    },
    govee("H5051, H5052, H5071", .manufacturer(0xEC88), .exactly(9), "0cff88ec0034089a0f5f020101") {
      data, body in
      data.goveeNumbers(1, battery: 5, body)
    },
    govee("H5179", .manufacturer(0x8801), .exactly(9), "0cff0188ec00010134089a0f5f") { data, body in
      data.goveeNumbers(4, battery: 8, body)
    },
    goveePresence(0x8803), goveePresence(0x8843),
  ]

  /// The company id's low octet has flags. 4: somebody is there, 5: 17: and moves.
  private static func goveePresence(_ company: UInt16) -> SensorFormat {
    SensorFormat(
      "govee", maker: "Govee", model: "H5127", in: .manufacturer(company), first: 0xEC, .exactly(6),
      sample: "09ff" + hexadecimal(UInt128(company.byteSwapped), octets: 2) + "ec0001010111",
      refuse: { $0.bigEndian32(at: 0) & 0xFFFF_FCFF == 0xEC00_0001 ? nil : .noDecoder }
    ) { data, body in data.goveePresence(4, body) }
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
      guard let celsius = celsius(tenths: number / 1_000_000, isNegative: digits >> 31 != 0) else { return }
      body(Reading(.temperature, celsius))
      body(Reading(.humidity, Double(number / 1000 % 1000) / 10))
      body(Reading(.pm25, Double(number % 1000)))
    },
    // 2: the same, and CO₂; 7: whether it failed.
    govee(
      "H5140", .manufacturer(0x0001), .exactly(8), "0b0947563531343031323334" + "0bff01000101035d29032000",
      isSent: { $1.isNamed("GV5140") || $1.isNamed("GVH5140") }
    ) { data, body in
      if data[7] != 0 { return }
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
      "H5100 to H5177", .manufacturer(0x0001), .exactly(6),
      "0d09475648353130325f31323334030388ec02010509ff01000101035d295f",
      isSent: { $1.isNamed("GVH5") || $1.isNamed("GV51") }
    ) { $0.goveeDigits(2, battery: 5, $1) },
    // A probe without a hygrometer: the lower three digits are always 600.
    govee(
      "H5108", .manufacturer(0x0001), .exactly(8), "0b09475635313038353234320bff0100010103c730640000",
      isSent: { $1.isNamed("GV5108") || $1.isNamed("GVH5108") }
    ) { $0.goveeDigits(2, hasHumidity: false, battery: 5, $1) },
    // Motion, buttons, windows and the like. 2: the device's own number; 4: a time, which is the key, and names an event; 8: the
    // text, 16; 24: a check.
    govee(
      "H5121 to H5130", .unnumbered, .exactly(26),
      "0b09475635313231313935411bff88ef59940000f0b91937ae50b6372c866ac2f3d061e717c02cef",
      isSent: { data, _ in
        data.bigEndian16(at: 0) == 0x88EF && data.goveeCheck(8..<24) == data.bigEndian16(at: 24)
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
      isSent: { $0[2] < 2 && $1.isNamed("B5178") }
    ) { data, body in
      // One sender reports two places: the display's, and the outdoor sensor's.
      data.goveeDigits(3, ordinal: data[2] == 0 ? 1 : 2, battery: 6, body)
    },
    probes("H5181", 0x8151, ["GVH5181"], .exactly(16), [10], "0303518111ff5da1b401000101e40080177013240000"),
    probes("H5183", 0x8351, ["GVH5183"], .exactly(16), [10], "0303518311ff5da1b401000101e40080177013240000"),
    probes(
      "H5182", 0x8251, ["GVH5182"], .exactly(19), [10, 15],
      "0303518214ff30554401000101e401861770ffff8608fcffff"
    ),
    probes(
      "H5184", 0x8451, ["GVH5184"], .exactly(19), [10, 15],
      "0303518414ff30584001000101e402461770ffff4608fcffff", isPaired: true),
    probes(
      "H5185", 0x8551, ["GVH5185", "Govee_H5185"], .exactly(22), [10, 16],
      "0303518517ff32490a01000101e4c1ff1770ffffffff08fcffffffff"),
    probes(
      "H5198", 0x9851, ["GVH5198"], .exactly(22), [10, 16],
      "0303519817ff30226c01000101e4c10f17701ce8ffffffff189cffff", isPaired: true),
    // A meat thermometer with one probe, and its surroundings.
    govee(
      "H5191", .unnumbered, .exactly(22), "0303519117ff63ac83010001014c5d0417701324ffff0898ffffffff",
      isSent: { $1.lists(service: 0x9151) || $1.isNamed("GVH5191") || $0.bigEndian16(at: 0) == 0x63AC },
      hottest: 400
    ) { data, body in
      if data.bigEndian16(at: 10) != 0xFFFF {
        body(Reading(.temperature, ordinal: 2, .number(Double(data.bigEndian16(at: 10)) / 100)))
      }
      data.field(.temperature, 16, .u16, per: 100, absent: 0xFFFF, body)
    },
    // Flags stand in the low octet of what would be the company id.
    govee(
      "H5179", .unnumbered, .exactly(11),
      "1109476f7665655f48353137395f33434435" + "0cff4188ec00010134089a0f5f",
      isSent: { $0.bigEndian24(at: 1) == 0x88EC00 && $1.isNamed("Govee_H5179") }
    ) { data, body in
      data.goveeNumbers(6, battery: 10, body)
    },
    govee(
      "H5127", .unnumbered, .exactly(8), "0c094756483531323735453346" + "09ff2388ec0001010111",
      isSent: {
        $0[1] == 0x88 && $0.bigEndian32(at: 2) & 0xFFFF_FCFF == 0xEC00_0001 && $1.isNamed("GVH5127")
      }
    ) { data, body in
      data.goveePresence(6, body)
    },
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
  ///
  /// - Parameter isPaired: it has four probes, and reports two at a time. 8: which two, in its lower six bits.
  private static func probes(
    _ model: String, _ service: UInt16, _ names: [StaticString], _ length: Length, _ offsets: [Int],
    _ sample: String, isPaired: Bool = false
  ) -> SensorFormat {
    govee(
      model, .unnumbered, length, sample,
      isSent: { _, context in context.lists(service: service) || names.contains { context.isNamed($0) } },
      hottest: 400
    ) { data, body in
      let pair = isPaired ? data[8] & 0x3F : 1
      guard 1...2 ~= pair else { return }
      for (index, offset) in offsets.enumerated() where data.bigEndian16(at: offset) != 0xFFFF {
        let number = Double(data.bigEndian16(at: offset)) / 100
        body(Reading(.temperature, ordinal: UInt8(index) + 2 * pair - 1, .number(number)))
      }
    }
  }
}

/// nil: none of these thermometers goes so far, so the digits beside it are wrong, too.
private func celsius(tenths: UInt32, isNegative: Bool) -> Double? {
  guard tenths <= (isNegative ? 400 : 1000) else { return nil }
  return (isNegative ? -Double(tenths) : Double(tenths)) / 10
}

extension Span<UInt8> {
  /// How many octets precede an iBeacon at the end. Govee's devices send one beside their readings, and a
  /// program that collects both packets may pass them on joined into a single structure: company id, 02 15, a
  /// UUID that begins with "INTELLI_", and five octets.
  var withoutGluedBeacon: Int {
    let start = count - 25
    let isGlued =
      start > 2 && bigEndian32(at: start) == 0x4C00_0215 && bigEndian32(at: start + 4) == 0x494E_5445
      && bigEndian32(at: start + 8) == 0x4C4C_495F
    return isGlued ? start : count
  }

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
    guard let celsius = celsius(tenths: number / 1000, isNegative: digits & 0x80_0000 != 0) else { return }
    body(Reading(.temperature, ordinal: ordinal, .number(celsius)))
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

  fileprivate func goveePresence(_ offset: Int, _ body: (Reading) -> Void) {
    body(Reading(.occupancy, .flag(self[offset] == 1)))
    body(Reading(.motion, .flag(self[offset + 1] == 17)))
  }

  fileprivate func goveeNumbers(_ offset: Int, battery: Int, _ body: (Reading) -> Void) {
    field(.temperature, offset, .s16le, per: 100, body)
    field(.humidity, offset + 2, .u16le, per: 100, body)
    field(.batteryLevel, battery, .u8, bits: 7, body)
  }
}
