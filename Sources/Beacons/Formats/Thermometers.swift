import Core

/// Thermometers and hygrometers.
extension SensorFormat {
  static let thermometers: [SensorFormat] =
    [0x0010, 0x0011, 0x0014, 0x0015, 0x0018, 0x001B, 0x0030].map(thermoBeacon) + [
      brifit, blueMaestro(0x16), blueMaestro(0x17), blueMaestroThermometer(0x0D),
      blueMaestroThermometer(0x08),
      blueMaestroBarometer, maxi("T", 0x29, "a410"), maxi("THD", 0x2A, "a410af0d"),
      maxi("THPD", 0x2B, "a410af0db48b0100"), pebble, sensirion, jaalee, jaaleeBeacon, aranet, relsib,
      relsibNow(0xAA21), relsibNow(0xAA22),
    ]

  /// These devices send another company's id, or none.
  static let thermometersBySender: [SensorFormat] = [
    inkbird, inkbirdPlain, inkbirdPool, inkbirdRoom, inkbirdProbes(1), inkbirdProbes(2),
    inkbirdProbes(4), inkbirdProbes(6),
    thermoPro, jinou, mocreo, named("T201", by: "Brifit"), named("T301", by: "Oria"), vchon, aprilBrother,
    sensorPush, sensorPushBarometer, sensorPushProbe, sensorPushEarly, inkbirdAir, thermoProSpike(7),
    thermoProSpike(13), thermoProPro,
  ]

  /// ThermoBeacon and its like (Brifit, ORIA, Thermoplus): manufacturer data of several companies. Little endian.
  ///
  ///     0   zero, button  2  the highest bit of the second octet: pressed
  ///     2   address       6
  ///     8   battery       2  mV
  ///     10  temperature   2  °C / 16, signed
  ///     12  humidity      2  % / 16
  ///     14  uptime        4  s
  ///
  /// Source: https://github.com/iskalchev/ThermoBeacon
  private static func thermoBeacon(_ company: UInt16) -> SensorFormat {
    SensorFormat(
      "thermobeacon", model: "ThermoBeacon", in: .manufacturer(company), .exactly(18),
      sample: "0302f0ff15ff" + hexadecimal(UInt128(company.byteSwapped), octets: 2) + "0000010203040506"
        + "b80b68012403803a0900"
    ) { data, body in
      data.field(.batteryVoltage, 8, .u16le, per: 1000, body)
      data.field(.temperature, 10, .s16le, per: 16, body)
      data.field(.humidity, 12, .u16le, per: 16, body)
      data.field(.uptime, 14, .u32le, body)
      if data[1] & 0x80 != 0 { body(Reading(.button, .button(.press))) }
    }
  }

  /// Brifit's T201 and Oria's T301: manufacturer data of 0xAA55. Big endian. Source: https://decoder.theengs.io (T201, T301)
  ///
  ///     0   kind          2  0x0101: T201, 0x0105: T301
  ///     2   address       6
  ///     10  temperature   2  0.01 °C, signed
  ///     12  humidity      2  0.01 %
  ///     14  battery       1  %
  private static let brifit = SensorFormat(
    "thermobeacon", maker: "Brifit", model: "T201", in: .manufacturer(0xAA55), first: 0x01, .atLeast(17),
    sample: "15ff55aa0101010203040506010708fc11945a00010000",
    products: Products(place: 1..<2, names: [0x05: "T301"])
  ) { data, body in
    data.field(.temperature, 10, .s16, per: 100, body)
    data.field(.humidity, 12, .u16, per: 100, body)
    data.field(.batteryLevel, 14, .u8, body)
  }

  /// The same, and Oria's T301, with any company id, known by its name.
  private static func named(_ name: StaticString, by maker: String) -> SensorFormat {
    SensorFormat(
      "thermobeacon", maker: maker, model: "\(name)", in: .unnumbered, .exactly(19),
      sample: "0509" + hexadecimal(Array("\(name)".utf8)) + "14ff01020304010203040506070809fc11945a000100",
      isSent: { $1.isNamed(name) }
    ) { data, body in
      data.field(.temperature, 12, .s16, per: 100, body)
      data.field(.humidity, 14, .u16, per: 100, body)
      data.field(.batteryLevel, 16, .u8, body)
    }
  }

  /// VCHON's thermometer: manufacturer data of 0x0901, with the sender's address. Source: https://decoder.theengs.io (VCH6003)
  ///
  ///     0   temperature   2  0.1 °C, signed
  ///     2   humidity      1  %
  ///     3   address       6
  private static let vchon = SensorFormat(
    "vchon", maker: "VCHON", model: "VCH6003", in: .manufacturer(0x0901), .exactly(9),
    sample: "0cff010900d732010203040506",
    isSent: { $1.address == nil || $1.isAddress($0, 3) }
  ) { data, body in
    data.field(.temperature, 0, .s16, per: 10, body)
    data.field(.humidity, 2, .u8, body)
  }

  /// April Brother's N03: a frame in Eddystone's service that Eddystone does not have. Little endian.
  /// Source: https://decoder.theengs.io (ABN03)
  ///
  ///     0   0xAB, 0x03    2
  ///     2   address       6
  ///     8   battery       1  %
  ///     9   temperature   2  °C / 8, signed
  ///     11  humidity      2  % / 2
  ///     13  illuminance   2  lx
  private static let aprilBrother = SensorFormat(
    "aprilbrother", maker: "April Brother", model: "N03", in: .service(0xFEAA), first: 0xAB, .exactly(15),
    sample: "1216aafeab0301020304050664ac005b002c01", isSent: { data, _ in data[1] == 0x03 }
  ) { data, body in
    data.field(.batteryLevel, 8, .u8, body)
    data.field(.temperature, 9, .s16le, per: 8, body)
    data.field(.humidity, 11, .u16le, per: 2, body)
    data.field(.illuminance, 13, .u16le, body)
  }

  /// SensorPush's HT.w, HTP.xw and TC.x, in place of the company id: one number, little endian, of digits whose bases are 66,001 or
  /// 72,001, then 40,001, and 95,000 for the pressure. The lower two bits of the first octet say which page it is. TC.x has a
  /// thermocouple: 32,001 steps of 1/16 °C from −200 °C on.
  ///
  /// Source: https://github.com/Bluetooth-Devices/sensorpush-ble
  private static let sensorPush = sensorPush("HT.w", 0x04, 5, base: 66_001, "06ff04e9187d39")
  private static let sensorPushBarometer = sensorPush("HTP.xw", 0x00, 7, base: 72_001, "08ff0089e456bea6b4")

  private static let sensorPushProbe = SensorFormat(
    "sensorpush", maker: "SensorPush", model: "TC.x", in: .unnumbered, first: 0x08, .exactly(4),
    sample: "0b0953656e736f7250757368" + "05ff08100e00", isExact: true,
    isSent: { _, context in context.isSensorPush }
  ) { data, body in
    body(Reading(.temperature, Double(data.littleEndian24(at: 1) % 32_001) / 16 - 200))
  }

  /// SensorPush's HT1, in place of the company id. Little endian.
  ///
  ///     0   humidity      12 bits  −6 + 125 × n / 4,096
  ///     …   temperature   14 bits  −46.85 + 175.72 × n / 16,384
  ///     …   kind          5 bits   1
  private static let sensorPushEarly = SensorFormat(
    "sensorpush", maker: "SensorPush", model: "HT1", in: .unnumbered, .exactly(4),
    sample: "020973" + "1107a90a09ecd79db893ba42d611000009ef" + "05ff87568e05",
    isSent: {
      $0[3] & 0x7C == 0x04 && $1.isNamed("s", isWord: true)
        && $1.lists(uuid: 0xEF09_0000_11D6_42BA_93B8_9DD7_EC09_0AA9)
    }
  ) { data, body in
    let number = data.littleEndian32(at: 0)
    body(Reading(.temperature, hundredths(-46.85 + 175.72 * Double(number >> 12 & 0x3FFF) / 16_384)))
    body(Reading(.humidity, hundredths(min(100, max(0, -6 + 125 * Double(number & 0xFFF) / 4_096)))))
  }

  private static func sensorPush(
    _ model: String, _ first: UInt8, _ length: Int, base: UInt64, _ data: String
  ) -> SensorFormat {
    SensorFormat(
      "sensorpush", maker: "SensorPush", model: model, in: .unnumbered, first: first, .exactly(length),
      sample: "0b0953656e736f7250757368" + data,
      isSent: { _, context in context.isSensorPush }
    ) { data, body in
      var rest: UInt64 = 0
      for offset in (1..<length).reversed() { rest = rest << 8 | UInt64(data[offset]) }
      func take(_ base: UInt64) -> Double {
        defer { rest /= base }
        return Double(rest % base)
      }
      body(Reading(.temperature, hundredths(take(base) * 0.0025 - 40)))
      body(Reading(.humidity, hundredths(take(40_001) * 0.0025)))
      if length > 5 { body(Reading(.pressure, hundredths((take(95_000) + 30_000) / 100))) }
    }
  }

  /// Blue Maestro's Tempo Discs: manufacturer data of 0x0133. Big endian.
  ///
  ///     0   kind          1  0x0D: thermometer; 0x16, 0x17: with dew point; 0x1B: with pressure
  ///     1   battery       1  %
  ///     2   interval, number of records, 2 each
  ///     6   temperature   2  0.1 °C, signed
  ///     8   humidity      2  0.1 %
  ///     10  dew point     2  0.1 °C, signed; or pressure, 0.1 hPa
  ///
  /// Source: https://www.bluemaestro.com, Tempo Disc advertising packets
  private static func blueMaestro(_ kind: UInt8) -> SensorFormat {
    tempoDisc("Tempo Disc THD", kind, .atLeast(12), "550e10061e00d701c2005f0100") { data, body in
      data.field(.humidity, 8, .u16, per: 10, body)
      data.field(.dewPoint, 10, .s16, per: 10, body)
    }
  }
  private static func blueMaestroThermometer(_ kind: UInt8) -> SensorFormat {
    tempoDisc("Tempo Disc T", kind, .atLeast(8), "550e10061e00d7") { _, _ in }
  }

  /// The same maker's larger discs. Little endian.
  ///
  ///     1   battery       1  %
  ///     15  temperature   2  0.01 °C, signed
  ///     17  humidity      2  0.01 %
  ///     19  pressure      4  Pa
  ///
  /// Source: https://github.com/Bluetooth-Devices/bluemaestro-ble
  private static func maxi(_ letters: String, _ kind: UInt8, _ values: String) -> SensorFormat {
    let length = 16 + values.count / 2
    return SensorFormat(
      "bluemaestro", maker: "Blue Maestro", model: "Tempo Disc Maxi \(letters)", in: .manufacturer(0x0133),
      first: kind, .atLeast(length - 1),
      sample: hexadecimal(UInt128(length + 3), octets: 1) + "ff3301" + hexadecimal(UInt128(kind), octets: 1)
        + "55"
        + String(repeating: "00", count: 13) + values + "00"
    ) { data, body in
      data.field(.batteryLevel, 1, .u8, body)
      data.field(.temperature, 15, .s16le, per: 100, body)
      if length > 18 { data.field(.humidity, 17, .u16le, per: 100, body) }
      if length > 20 { data.field(.pressure, 19, .s32le, per: 100, body) }
    }
  }

  /// And its Pebble. Little endian. Source: https://github.com/custom-components/ble_monitor
  ///
  ///     1   temperature   2  0.1 °C, signed; then lowest and highest
  ///     7   humidity      1  %
  ///     8   pressure      2  hPa
  private static let pebble = SensorFormat(
    "bluemaestro", maker: "Blue Maestro", model: "Pebble", in: .manufacturer(0x0133), first: 0x01,
    .exactly(18),
    sample: "15ff330101cf00cf00cf002ec903b2d7009167fa0700"
  ) { data, body in
    data.field(.temperature, 1, .s16le, per: 10, body)
    data.field(.humidity, 7, .u8, body)
    data.field(.pressure, 8, .u16le, body)
  }
  private static let blueMaestroBarometer = tempoDisc(
    "Tempo Disc THP", 0x1B, .atLeast(12), "550e10061e00d701c227970100"
  ) { data, body in
    data.field(.humidity, 8, .u16, per: 10, body)
    data.field(.pressure, 10, .u16, per: 10, body)
  }

  private static func tempoDisc(
    _ model: String, _ kind: UInt8, _ length: Length, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "bluemaestro", maker: "Blue Maestro", model: model, in: .manufacturer(0x0133), first: kind, length,
      sample: hexadecimal(UInt128(data.count / 2 + 4), octets: 1) + "ff3301"
        + hexadecimal(UInt128(kind), octets: 1) + data
    ) { data, body in
      data.field(.batteryLevel, 1, .u8, body)
      data.field(.temperature, 6, .s16, per: 10, body)
      readings(data, body)
    }
  }

  /// Sensirion's gadgets: manufacturer data of 0x06D5. Little endian.
  ///
  ///     0   advertisement type  1  0
  ///     1   sample type         1
  ///     2   device              2
  ///     4   temperature         2  −45 + 175 × n / 65,535
  ///     6   humidity            2  100 × n / 65,535, or −6 + 125 × n / 65,535
  ///     8   CO₂                 2  ppm, of sample types 8 and 10
  ///
  /// Source: https://github.com/Sensirion/arduino-ble-gadget
  private static let sensirion = SensorFormat(
    "sensirion", maker: "Sensirion", model: "Sensirion gadget", in: .manufacturer(0x06D5), first: 0x00,
    .atLeast(8),
    sample: "0dffd506000801025367925c2003",
    refuse: { [4, 6, 8, 10].contains($0[1]) ? nil : .unknownFrameType($0[1]) }
  ) { data, body in
    body(Reading(.temperature, hundredths(-45 + 175 * Double(data.littleEndian16(at: 4)) / 65_535)))
    let share = Double(data.littleEndian16(at: 6)) / 65_535
    body(
      Reading(
        .humidity, hundredths(data[1] == 6 ? min(100, max(0, -6 + 125 * share)) : 100 * share)))
    if data[1] >= 8, data.count >= 10 { data.field(.co2, 8, .u16le, body) }
  }

  /// Jaalee's JHT: service data of 0xF525 and 0xF51C. Big endian.
  ///
  ///     0   battery       1  %
  ///     …   address       6
  ///     …   temperature   2  −45 + 175 × n / 65,535
  ///     …   humidity      2  100 × n / 65,535
  private static let jaalee = SensorFormat(
    "jaalee", maker: "Jaalee", model: "JHT", in: .service(0xF525), .exactly(11),
    sample: "0e1625f5640102030405067420591a"
  ) { data, body in data.jaalee(7, body) }
  private static let jaaleeBeacon = SensorFormat(
    "jaalee", maker: "Jaalee", model: "JHT", in: .service(0xF51C), .exactly(12),
    sample: "0f161cf564650102030405067420591a"
  ) { data, body in data.jaalee(8, body) }

  /// Aranet4 with “Smart Home integrations” switched on: manufacturer data of 0x0702. Little endian.
  ///
  ///     0   flags, version…  8
  ///     8   CO₂              2  ppm; highest bit: none
  ///     10  temperature      2  °C / 20; highest bit: none
  ///     12  pressure         2  0.1 hPa; highest bit: none
  ///     14  humidity         1  %
  ///     15  battery          1  %
  ///     16  state, interval (2), age (2), counter (1)
  ///
  /// Source: https://github.com/Anrijs/Aranet4-Python, docs/UUIDs.md
  private static let aranet = SensorFormat(
    "aranet", maker: "Aranet", model: "Aranet4", in: .manufacturer(0x0702), .exactly(22),
    sample: "19ff020721000201000000018a02a501b1262259012c01e80088"
  ) { data, body in
    data.field(.co2, 8, .u16le, if: Condition(9, mask: 0x80, is: 0), body)
    data.field(.temperature, 10, .u16le, per: 20, if: Condition(11, mask: 0x80, is: 0), body)
    data.field(.pressure, 12, .u16le, per: 10, if: Condition(13, mask: 0x80, is: 0), body)
    data.field(.humidity, 14, .u8, body)
    data.field(.batteryLevel, 15, .u8, body)
    data.field(.packetID, 21, .u8, body)
  }

  /// Relsib's EClerk Eco: service data of 0xAA20, and 0xAA21 and 0xAA22 without the battery. Little endian.
  ///
  ///     …   temperature  2  0.01 °C, signed; 0x8000: none
  ///     …   humidity     2  0.01 %; 0x8000: none
  ///     …   CO₂          2  ppm; 0x8000: none
  private static let relsib = SensorFormat(
    "relsib", maker: "Relsib", model: "EClerk Eco", in: .service(0xAA20), .exactly(22),
    sample: "191620aa8400000034089a0f20030080f05f00c2eb0b010b0300"
  ) { data, body in
    data.relsib(4, body)
    data.field(.batteryLevel, 13, .u8, body)
  }
  private static func relsibNow(_ service: UInt16) -> SensorFormat {
    SensorFormat(
      "relsib", maker: "Relsib", model: "EClerk Eco", in: .service(service), .atLeast(8),
      sample: "0b16" + hexadecimal(UInt128(service.byteSwapped), octets: 2) + "34089a0f20030080"
    ) { data, body in data.relsib(0, body) }
  }

  /// Inkbird's IBS-TH1 and TH2, in place of the company id. Little endian.
  ///
  ///     0   temperature   2  0.01 °C, signed
  ///     2   humidity      2  0.01 %
  ///     4   probe         1  1: the temperature is of the probe at the cable
  ///     5   check         2  CRC-16/MODBUS of the octets before
  ///     7   battery       1  %
  ///
  /// Source: https://github.com/Ircama/IBS-TH1-collector
  private static let inkbird = inkbird("IBS-TH", named: "sps", sample: "04097370730aff34089a0f00ba4e5f08")
  /// The TH2 comes with a hygrometer and without one.
  private static let inkbirdPlain = inkbird(
    "IBS-TH2, IBS-P01B", named: "tps", sample: "04097470730aff340800000031605f06")

  private static func inkbird(_ model: String, named name: StaticString, sample: String) -> SensorFormat {
    SensorFormat(
      "inkbird", maker: "Inkbird", model: model, in: .unnumbered, .exactly(9), sample: sample,
      isSent: { $1.isNamed(name) }
    ) { data, body in
      let number = Double(Int16(bitPattern: data.littleEndian16(at: 0))) / 100
      body(Reading(.temperature, ordinal: data[4] == 0 ? 1 : 2, .number(number)))
      // Zero: it has no hygrometer.
      data.field(.humidity, 2, .u16le, per: 100, absent: 0, body)
      data.field(.batteryLevel, 7, .u8, body)
    }
  }

  /// Inkbird's IAM-T2, in place of the company id. Big endian.
  ///
  ///     0   address       6  begins with 00 62 in all devices known; the octets of the company id before it are always the same
  ///     7   state         1  bit 1: °F
  ///     8   temperature   2  0.1 °C or °F, signed
  ///     10  humidity      2  0.1 %
  ///     12  CO₂           2  ppm
  ///
  /// Source: https://github.com/Bluetooth-Devices/inkbird-ble
  private static let inkbirdAir = SensorFormat(
    "inkbird", maker: "Inkbird", model: "IAM-T2", in: .manufacturer(0x3254), .exactly(15),
    sample: "12ff5432006200a10203000000d701c203205a",
    isSent: { data, _ in data.bigEndian16(at: 0) == 0x0062 }
  ) { data, body in
    let tenths = Double(Int16(bitPattern: data.bigEndian16(at: 8)))
    let isFahrenheit = data[7] & 0x02 != 0
    body(Reading(.temperature, isFahrenheit ? hundredths((tenths / 10 - 32) / 1.8) : tenths / 10))
    data.field(.humidity, 10, .u16, per: 10, body)
    data.field(.co2, 12, .u16, body)
  }

  /// Inkbird's newer thermometers, in place of the company id. Little endian.
  ///
  ///     0   address       6
  ///     6   temperature   2  0.1 °C, signed
  ///     8   humidity      2  0.1 %
  ///     10  battery       1  %
  ///
  /// Source: https://github.com/Bluetooth-Devices/inkbird-ble
  private static let inkbirdPool = inkbirdNewer(
    "IBS-P02B", "09094942532d50303242", ["IBS-P02B", "ibs-p02b"]
  ) { _, _ in }
  private static let inkbirdRoom = inkbirdNewer(
    "ITH-11-B, ITH-13-B, ITH-21-B", "09094954482d31312d42",
    ["ITH-11-B", "ITH-13-B", "ITH-21-B", "ith-11-b", "ith-13-b", "ith-21-b"]
  ) { data, body in data.field(.humidity, 8, .u16le, per: 10, body) }

  private static func inkbirdNewer(
    _ model: String, _ name: String, _ names: [StaticString],
    _ readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "inkbird", maker: "Inkbird", model: model, in: .unnumbered, .exactly(18),
      sample: name + "13ff" + "010203040506d700c2015a00000000000000",
      isSent: { data, context in names.contains { context.isNamed($0) } }
    ) { data, body in
      data.field(.temperature, 6, .s16le, per: 10, body)
      readings(data, body)
      data.field(.batteryLevel, 10, .u8, body)
    }
  }

  /// Inkbird's iBBQ meat thermometers.
  ///
  ///     0   zero, or 1   4
  ///     4   address      6
  ///     10  temperature  2  0.1 °C, signed, little endian, of each probe; −1 °C or −0.1 °C: none
  private static func inkbirdProbes(_ count: Int) -> SensorFormat {
    SensorFormat(
      "inkbird", maker: "Inkbird", model: "iBBQ, \(count == 1 ? "1 probe" : "\(count) probes")",
      in: .unnumbered,
      .exactly(10 + 2 * count),
      sample: "0302f0ff" + hexadecimal(UInt128(11 + 2 * count), octets: 1) + "ff00000000010203040506"
        + String(repeating: "f000", count: count), hottest: 400,
      isSent: {
        $0.bigEndian32(at: 0) & 0xFEFF_FFFF == 0
          && ($1.lists(service: 0xFFF0) || $1.isAddress($0, 4) || $1.isNamed("iBBQ"))
      }
    ) { data, body in
      for probe in 0..<count {
        let tenths = Int16(bitPattern: data.littleEndian16(at: 10 + 2 * probe))
        if tenths != -10, tenths != -1 {
          body(Reading(.temperature, ordinal: UInt8(probe + 1), .number(Double(tenths) / 10)))
        }
      }
    }
  }

  /// ThermoPro's TP357, TP358, TP359 and TP393, in place of the company id.
  ///
  ///     0   0xC2
  ///     1   temperature  2  0.1 °C, signed, little endian
  ///     3   humidity     1  %
  ///     4   state        1  bit 1: the battery is good
  private static let thermoPro = SensorFormat(
    "thermopro", maker: "ThermoPro", model: "TP35x", in: .unnumbered, first: 0xC2, .atLeast(6),
    sample: "0d09545033353720283132333429" + "07ffc2d7002d022c", isSent: { $1.isNamed("TP3") }
  ) { data, body in
    body(Reading(.batteryLow, .flag(data[4] & 0x02 == 0)))
    // All ones: not measured.
    if data.bigEndian24(at: 1) == 0xFF_FFFF { return }
    data.field(.temperature, 1, .s16le, per: 10, body)
    data.field(.humidity, 3, .u8, body)
  }

  /// ThermoPro's skewers TP96x and TP970, in place of the company id. Little endian. Two values for each: in the meat, and around it.
  ///
  ///     0   which one    1  from 0 on
  ///     1   temperature  2  °C + 30
  ///     3   battery      2  a measure of its voltage
  ///     5   around       2  °C + 30
  ///
  /// Source: https://github.com/Bluetooth-Devices/thermopro-ble
  private static func thermoProSpike(_ length: Int) -> SensorFormat {
    SensorFormat(
      "thermopro", maker: "ThermoPro", model: "TP96x, TP970", in: .unnumbered, .exactly(length),
      sample: "0709545039363052" + hexadecimal(UInt128(length + 1), octets: 1) + "ff004700500b3700"
        + String(repeating: "01", count: length - 7),
      hottest: 400, refuse: { $0[0] < 8 ? nil : .invalidByte($0[0], at: 0) },
      isSent: { $1.isNamed("TP96") || $1.isNamed("TP97") }
    ) { data, body in
      body(Reading(.temperature, ordinal: 2 * data[0] + 1, .number(Double(data.littleEndian16(at: 1)) - 30)))
      body(Reading(.temperature, ordinal: 2 * data[0] + 2, .number(Double(data.littleEndian16(at: 5)) - 30)))
    }
  }

  /// The skewer TP972, in °F + 54: around it (at 1), and in the meat: at the tip, in the middle and at the end (at 5, 9 and 13,
  /// numbers of IEEE 754).
  private static let thermoProPro = SensorFormat(
    "thermopro", maker: "ThermoPro", model: "TP972", in: .unnumbered, .exactly(23),
    sample: "07095450393732" + "53" + "18ff0090005a0b" + "00001043" + "00001143" + "00001243"
      + "000000000000",
    hottest: 400, refuse: { $0[0] < 8 ? nil : .invalidByte($0[0], at: 0) }, isSent: { $1.isNamed("TP97") }
  ) { data, body in
    func tell(_ place: UInt8, _ fahrenheit: Double) {
      guard fahrenheit.isFinite else { return }
      let celsius = ((fahrenheit - 54 - 32) / 1.8 * 10).rounded() / 10
      body(Reading(.temperature, ordinal: 4 * data[0] + place, .number(celsius)))
    }
    for (place, offset) in [(1, 5), (2, 9), (3, 13)] as [(UInt8, Int)] {
      tell(place, Double(Float(bitPattern: data.littleEndian32(at: offset))))
    }
    tell(4, Double(data.littleEndian16(at: 1)))
  }

  /// Jinou's BEC07-5, in place of the company id: whole numbers and tenths.
  private static let jinou = SensorFormat(
    "jinou", maker: "Jinou", model: "BEC07-5", in: .unnumbered, .exactly(13),
    sample: "030220aa0eff001505002d0164010203040506",
    isSent: { $1.lists(service: 0xAA20) }
  ) { data, body in
    let tenths = Double(Int(data[1]) * 10 + Int(data[2]))
    body(Reading(.temperature, (data[0] == 0 ? tenths : -tenths) / 10))
    body(Reading(.humidity, Double(Int(data[4]) * 10 + Int(data[5])) / 10))
    data.field(.batteryLevel, 6, .u8, body)
  }

  /// Mocreo's sensors, in place of the company id. Little endian.
  ///
  ///     1   kind         1
  ///     4   battery      1  %
  ///     6   temperature  2  0.01 °C, signed
  ///     8   humidity     2  0.01 %, of the kinds ST6 and ST9
  private static let mocreo = SensorFormat(
    "mocreo", maker: "Mocreo", model: "Mocreo sensor", in: .unnumbered, .exactly(18),
    sample: "07094d4f4352454f13ff4183dd025fb034089a0f00000150bf000000", isSent: { $1.isNamed("MOCREO") }
  ) { data, body in
    data.field(.batteryLevel, 4, .u8, bits: 7, body)
    switch data[1] {
    case 0x81, 0x84, 0x87, 0x8B, 0x94, 0x96: data.field(.temperature, 6, .s16le, per: 100, body)
    case 0x83, 0x86:
      data.field(.temperature, 6, .s16le, per: 100, body)
      data.field(.humidity, 8, .u16le, per: 100, body)
    default: break
    }
  }
}

extension Span<UInt8> {
  fileprivate func jaalee(_ offset: Int, _ body: (Reading) -> Void) {
    field(.batteryLevel, 0, .u8, body)
    body(Reading(.temperature, hundredths(-45 + 175 * Double(bigEndian16(at: offset)) / 65_535)))
    body(Reading(.humidity, hundredths(100 * Double(bigEndian16(at: offset + 2)) / 65_535)))
  }

  fileprivate func relsib(_ offset: Int, _ body: (Reading) -> Void) {
    field(.temperature, offset, .s16le, per: 100, absent: -0x8000, body)
    field(.humidity, offset + 2, .u16le, per: 100, absent: 0x8000, body)
    field(.co2, offset + 4, .u16le, absent: 0x8000, body)
  }
}

extension FormatContext {
  fileprivate var isSensorPush: Bool {
    isNamed("SensorPush") || isNamed("HT.w") || isNamed("HTP.xw") || isNamed("TC.x")
      || lists(uuid: 0xEF09_0000_11D6_42BA_93B8_9DD7_EC09_0AB0)
  }
}

private func hundredths(_ number: Double) -> Double { (number * 100).rounded() / 100 }
