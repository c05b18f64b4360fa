import Core

/// Thermometers and other sensors whose data is a table: one value each.
extension SensorFormat {
  static let thermometers: [SensorFormat] = [
    thermoBeacon(0x0010), thermoBeacon(0x0011), thermoBeacon(0x0014), thermoBeacon(0x0015),
    thermoBeacon(0x0018),
    thermoBeacon(0x001B), thermoBeacon(0x0030),
    brifit, blueMaestro, sensirion, jaalee, jaaleeBeacon, aranet, plantSensor, puck, puckTemperature,
    puckHumidity,
    eye, mikroTik, oralB, scale, scaleWithImpedance, minewClimate, minewMotion,
    tyre, acconeer(0x80), acconeer(0x91), acconeerDistance, relsib, relsibNow(0xAA21), relsibNow(0xAA22),
    holyIOT,
  ]

  /// They send a company id that is another's, or none.
  static let thermometersBySender: [SensorFormat] = [
    inkbird, inkbirdTemperature, inkbirdProbes(1), inkbirdProbes(2), inkbirdProbes(4), inkbirdProbes(6),
    thermoPro, jinou, mocreo,
    kkm,
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
    }
  }

  /// Brifit's T201: manufacturer data of 0xAA55. Big endian. Source: https://decoder.theengs.io (T201)
  ///
  ///     2   address       6
  ///     10  temperature   2  0.01 °C, signed
  ///     12  humidity      2  0.01 %
  ///     14  battery       1  %
  private static let brifit = SensorFormat(
    "thermobeacon", maker: "Brifit", model: "T201", in: .manufacturer(0xAA55), .exactly(17),
    sample: "14ff55aa0101010203040506010708fc11945a000100"
  ) { data, body in
    data.field(.temperature, 10, .s16, per: 100, body)
    data.field(.humidity, 12, .u16, per: 100, body)
    data.field(.batteryLevel, 14, .u8, body)
  }

  /// Blue Maestro's Tempo Disc THD: manufacturer data of 0x0133. Big endian.
  ///
  ///     0   kind          1  0x17
  ///     1   battery       1  %
  ///     2   interval, number of records, 2 each
  ///     6   temperature   2  0.1 °C, signed
  ///     8   humidity      2  0.1 %
  ///     10  dew point     2  0.1 °C, signed
  ///
  /// Source: https://www.bluemaestro.com, Tempo Disc advertising packets
  private static let blueMaestro = SensorFormat(
    "bluemaestro", maker: "Blue Maestro", model: "Tempo Disc THD", in: .manufacturer(0x0133), first: 0x17,
    .atLeast(14),
    sample: "11ff330117550e10061e00d701c2005f0100"
  ) { data, body in
    data.field(.batteryLevel, 1, .u8, body)
    data.field(.temperature, 6, .s16, per: 10, body)
    data.field(.humidity, 8, .u16, per: 10, body)
    data.field(.dewPoint, 10, .s16, per: 10, body)
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
        .humidity, hundredths([6, 10].contains(data[1]) ? min(100, max(0, -6 + 125 * share)) : 100 * share)))
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

  /// HHCC's plant sensor HHCCJCY10: service data of 0xFD50. Big endian.
  ///
  ///     0   soil moisture  1  %
  ///     1   temperature    2  0.1 °C, signed
  ///     3   illuminance    3  lx
  ///     6   battery        1  %
  ///     7   conductivity   2  µS/cm
  private static let plantSensor = SensorFormat(
    "hhcc", maker: "HHCC", model: "HHCCJCY10", in: .service(0xFD50), .exactly(9),
    sample: "0c1650fd1600d2000bb84b012c"
  ) { data, body in
    data.field(.moisture, 0, .u8, body)
    data.field(.temperature, 1, .s16, per: 10, body)
    data.field(.illuminance, 3, .u24, body)
    data.field(.batteryLevel, 6, .u8, body)
    data.field(.conductivity, 7, .u16, body)
  }

  /// ELA's Blue Puck and Coin, also sold by Teltonika: manufacturer data of 0x0757, objects of a number and a value.
  ///
  ///     0x12  temperature  2  0.01 °C, signed, little endian
  ///     0x21  humidity     1  %
  ///     0xF1  battery      1  %
  private static let puck = SensorFormat(
    "ela", maker: "ELA Innovation", model: "Blue sensor", in: .manufacturer(0x0757), .atLeast(2),
    sample: "08ff5707212d123408",
    refuse: { [0x12, 0x21, 0xF1].contains($0[0]) ? nil : .unknownFrameType($0[0]) }
  ) { data, body in
    var offset = 0
    while offset + 1 < data.count {
      switch data[offset] {
      case 0x12 where offset + 2 < data.count:
        data.field(.temperature, offset + 1, .s16le, per: 100, body)
        offset += 3
      case 0x21:
        data.field(.humidity, offset + 1, .u8, body)
        offset += 2
      case 0xF1:
        data.field(.batteryLevel, offset + 1, .u8, body)
        offset += 2
      default: return
      }
    }
  }

  /// A characteristic as service data. Source: Bluetooth GATT Specification Supplement, 3.218 and 3.114.
  private static let puckTemperature = SensorFormat(
    "gatt", model: "Thermometer", in: .service(0x2A6E), .exactly(2), sample: "05166e2a3408"
  ) { data, body in data.field(.temperature, 0, .s16le, per: 100, absent: -0x8000, body) }
  private static let puckHumidity = SensorFormat(
    "gatt", model: "Hygrometer", in: .service(0x2A6F), .atLeast(1), sample: "05166f2a8a11"
  ) { data, body in
    // One octet of whole percents is ELA's.
    if data.count == 1 {
      data.field(.humidity, 0, .u8, body)
    } else {
      data.field(.humidity, 0, .u16le, per: 100, absent: 0xFFFF, body)
    }
  }

  /// Teltonika's EYE sensor: manufacturer data of 0x089A. Big endian.
  ///
  ///     0   version       1  1
  ///     1   flags         1  0: temperature, 1: humidity, 2: magnet sensor, 3: its state, 4: movement, 5: angle, 6: low battery,
  ///                          7: battery
  ///     …   temperature   2  0.01 °C, signed
  ///     …   humidity      1  %
  ///     …   movement      2  highest bit: moves now; else how often it did
  ///     …   angle         3
  ///     …   battery       1  2 V + 10 mV
  ///
  /// Source: https://wiki.teltonika-gps.com/view/EYE_SENSOR_/_BTSMP1
  private static let eye = SensorFormat(
    "teltonika", maker: "Teltonika", model: "EYE sensor", in: .manufacturer(0x089A), first: 0x01, .atLeast(2),
    sample: "0eff9a0801b708fc2d80050bffc75a"
  ) { data, body in
    var offset = 2
    func take(_ bit: UInt8, _ octets: Int, _ reading: (Int) -> Void) {
      guard data[1] &>> bit & 1 != 0, offset + octets <= data.count else { return }
      reading(offset)
      offset += octets
    }
    take(0, 2) { data.field(.temperature, $0, .s16, per: 100, body) }
    take(1, 1) { data.field(.humidity, $0, .u8, body) }
    take(4, 2) { data.flag(.moving, $0, bit: 7, body) }
    take(5, 3) { _ in }
    take(7, 1) { data.field(.batteryVoltage, $0, .u8, per: 100, plus: 200, body) }
    if data[1] & 0x04 != 0 { body(Reading(.opening, .flag(data[1] & 0x08 == 0))) }
    data.flag(.batteryLow, 1, bit: 6, body)
  }

  /// MikroTik's TG-BT5 tags: manufacturer data of 0x094F. Little endian.
  ///
  ///     0   version       1  1
  ///     1   flags         1  lowest bit: encrypted
  ///     2   salt          2
  ///     4   acceleration  3×2  g / 256, signed: x, y, z
  ///     10  temperature   2  °C / 256, signed; 0x8000: none
  ///     12  uptime        4  s
  ///     16  flags         1  0: magnet switch, 1: tilt, 2: fall, 3…5: impact
  ///     17  battery       1  %
  ///
  /// Source: https://help.mikrotik.com/docs/display/UM/MikroTik+Tag+advertisement+formats
  private static let mikroTik = SensorFormat(
    "mikrotik", maker: "MikroTik", model: "TG-BT5", in: .manufacturer(0x094F), first: 0x01, .exactly(18),
    sample: "15ff4f09010010a90000fdff01008015809600000160", refuse: { $0[1] & 1 == 0 ? nil : .encrypted }
  ) { data, body in
    data.field(.accelerationX, 4, .s16le, per: 256, body)
    data.field(.accelerationY, 6, .s16le, per: 256, body)
    data.field(.accelerationZ, 8, .s16le, per: 256, body)
    data.field(.temperature, 10, .s16le, per: 256, absent: -0x8000, body)
    data.field(.uptime, 12, .u32le, body)
    body(Reading(.opening, .flag(data[16] & 0x01 == 0)))
    body(Reading(.vibration, .flag(data[16] & 0x3C != 0)))
    data.field(.batteryLevel, 17, .u8, body)
  }

  /// Oral-B's toothbrushes: manufacturer data of 0x00DC.
  ///
  ///     3   state     1  3: brushes
  ///     5   duration  2  minutes, seconds
  private static let oralB = SensorFormat(
    "oral-b", maker: "Oral-B", model: "Toothbrush", in: .manufacturer(0x00DC), .exactly(11),
    sample: "0effdc0003210b0328021e07373804"
  ) { data, body in
    body(Reading(.running, .flag(data[3] == 3)))
    body(Reading(.duration, Double(Int(data[5]) * 60 + Int(data[6]))))
  }

  /// Xiaomi's scales: service data of 0x181D, and with impedance of 0x181B. A weight counts once it is stable and somebody stands
  /// there. Half kilograms stand for kilograms and catties alike.
  ///
  /// Source: https://github.com/wiecosystem/Bluetooth/blob/master/doc/devices/huami.health.scale2.md
  private static let scale = SensorFormat(
    "miscale", maker: "Xiaomi", model: "Mi Scale", in: .service(0x181D), .exactly(10),
    sample: "0d161d1822803ee507040b101301"
  ) { data, body in
    if data[0] & 0xA0 == 0x20 { data.weight(1, isPounds: data[0] & 0x01 != 0, body) }
  }
  private static let scaleWithImpedance = SensorFormat(
    "miscale", maker: "Xiaomi", model: "Mi Body Composition Scale", in: .service(0x181B), .exactly(13),
    sample: "10161b180226b20705040f0201ac01803e"
  ) { data, body in
    if data[1] & 0xA0 == 0x20 { data.weight(11, isPounds: data[0] & 0x01 != 0, body) }
  }

  /// Minew's sensors: service data of 0xFFE1. Numbers of eight bits before and after the point, big endian.
  ///
  ///     0   frame        1  0xA1
  ///     1   kind         1  1: climate, 3: acceleration
  ///     2   battery      1  %
  ///     3   temperature, humidity; or acceleration x, y, z, 2 each
  ///     …   address      6
  ///
  /// Source: https://docs.beaconplus.minew.com (frames of BeaconPlus)
  private static let minewClimate = SensorFormat(
    "minew", maker: "Minew", model: "Minew sensor", in: .service(0xFFE1), first: 0xA1, .exactly(13),
    sample: "1016e1ffa1016415a03211060504030201", refuse: { $0[1] == 1 ? nil : .unknownFrameType($0[1]) }
  ) { data, body in
    data.field(.batteryLevel, 2, .u8, body)
    data.field(.temperature, 3, .s16, per: 256, body)
    data.field(.humidity, 5, .u16, per: 256, body)
  }
  private static let minewMotion = SensorFormat(
    "minew", maker: "Minew", model: "Minew sensor", in: .service(0xFFE1), first: 0xA1, .exactly(15),
    sample: "1216e1ffa103640000ff000100060504030201", refuse: { $0[1] == 3 ? nil : .unknownFrameType($0[1]) }
  ) { data, body in
    data.field(.batteryLevel, 2, .u8, body)
    data.field(.accelerationX, 3, .s16, per: 256, body)
    data.field(.accelerationY, 5, .s16, per: 256, body)
    data.field(.accelerationZ, 7, .s16, per: 256, body)
  }

  /// Tyre valves named TPMS…: manufacturer data of 0x0100. Little endian.
  ///
  ///     0   number of the wheel, 0x80 + n; address, 5
  ///     6   pressure     4  Pa above the air's
  ///     10  temperature  4  0.01 °C, signed
  ///     14  battery      1  %
  ///     15  alarm        1  1: no pressure
  ///
  /// Source: https://github.com/ricallinson/tpms
  private static let tyre = SensorFormat(
    "tpms", model: "Tyre valve", in: .manufacturer(0x0100), .exactly(16),
    sample: "13ff000180eaca108a7840420f00c40900005a00",
    refuse: { $0[1] == 0xEA && $0[2] == 0xCA ? nil : .noDecoder }
  ) { data, body in
    data.field(.pressure, 6, .u32le, per: 100, body)
    data.field(.temperature, 10, .s32le, per: 100, body)
    data.field(.batteryLevel, 14, .u8, body)
    data.flag(.problem, 15, bit: 0, body)
  }

  /// Acconeer's radar boards: manufacturer data of 0xACC0. Little endian.
  ///
  ///     0   kind          1  0x80, 0x91: presence, 0x90: distance
  ///     1   battery       2  %
  ///     3   temperature   2  °C, signed
  ///     5   presence      1; or distance, 2, mm
  private static func acconeer(_ kind: UInt8) -> SensorFormat {
    SensorFormat(
      "acconeer", maker: "Acconeer", model: "Presence sensor", in: .manufacturer(0xACC0), first: kind,
      .exactly(15),
      sample: "12ffc0ac" + hexadecimal(UInt128(kind), octets: 1) + "5a00150001000000000000000000"
    ) { data, body in
      data.field(.batteryLevel, 1, .u8, body)
      data.field(.temperature, 3, .s16le, body)
      body(Reading(.presence, .flag(data[5] != 0)))
    }
  }
  private static let acconeerDistance = SensorFormat(
    "acconeer", maker: "Acconeer", model: "Distance sensor", in: .manufacturer(0xACC0), first: 0x90,
    .exactly(15),
    sample: "12ffc0ac905a0015002c010000000000000000"
  ) { data, body in
    data.field(.batteryLevel, 1, .u8, body)
    data.field(.temperature, 3, .s16le, body)
    data.field(.distanceMillimetres, 5, .u16le, body)
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

  /// HolyIOT's tags: service data of 0x5242. Big endian.
  ///
  ///     0   0x41
  ///     1   battery      1  %
  ///     2   address      6
  ///     10  what         1  1: temperature, 3: humidity, 4: vibration
  ///     11  value        2  whole °C with sign, then hundredths; %
  private static let holyIOT = SensorFormat(
    "holyiot", maker: "HolyIOT", model: "HolyIOT tag", in: .service(0x5242), first: 0x41, .exactly(13),
    sample: "1016425241640102030405060606011510"
  ) { data, body in
    data.field(.batteryLevel, 1, .u8, body)
    switch data[10] {
    case 1:
      let whole = Int8(bitPattern: data[11])
      let rest = Double(data[12]) / 100
      body(Reading(.temperature, whole < 0 ? Double(whole) - rest : Double(whole) + rest))
    case 3: data.field(.humidity, 11, .u8, body)
    case 4: body(Reading(.vibration, .flag(data[11] != 0)))
    default: break
    }
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
  private static let inkbird = inkbird("IBS-TH", named: "sps", sample: "04097370730aff34089a0f00ba4e5f08") {
    data, body in
    data.inkbirdTemperature(body)
    data.field(.humidity, 2, .u16le, per: 100, body)
  }
  /// It has no hygrometer.
  private static let inkbirdTemperature = inkbird(
    "IBS-TH2, temperature only", named: "tps", sample: "04097470730aff340800000031605f06"
  ) {
    data, body in data.inkbirdTemperature(body)
  }

  private static func inkbird(
    _ model: String, named name: StaticString, sample: String,
    _ readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "inkbird", maker: "Inkbird", model: model, in: .unnumbered, .exactly(9), sample: sample,
      isSent: { $1.isNamed(name) }
    ) { data, body in
      readings(data, body)
      data.field(.batteryLevel, 7, .u8, body)
    }
  }

  /// Inkbird's iBBQ meat thermometers.
  ///
  ///     0   zero         4
  ///     4   address      6
  ///     10  temperature  2  0.1 °C, signed, little endian, of each probe; −1 °C: none
  private static func inkbirdProbes(_ count: Int) -> SensorFormat {
    SensorFormat(
      "inkbird", maker: "Inkbird", model: "iBBQ, \(count) probes", in: .unnumbered, first: 0x00,
      .exactly(10 + 2 * count),
      sample: "0302f0ff" + hexadecimal(UInt128(11 + 2 * count), octets: 1) + "ff00000000010203040506"
        + String(repeating: "f000", count: count),
      isSent: { $0.bigEndian32(at: 0) == 0 && $1.lists(service: 0xFFF0) }
    ) { data, body in
      for probe in 0..<count {
        let tenths = Int16(bitPattern: data.littleEndian16(at: 10 + 2 * probe))
        if tenths != -10 {
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
  private static let thermoPro = SensorFormat(
    "thermopro", maker: "ThermoPro", model: "TP35x", in: .unnumbered, first: 0xC2, .atLeast(6),
    sample: "0d09545033353720283132333429" + "07ffc2d7002d022c", isSent: { $1.isNamed("TP3") }
  ) { data, body in
    data.field(.temperature, 1, .s16le, per: 10, body)
    data.field(.humidity, 3, .u8, body)
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

  /// KKM's K6: a frame in Eddystone's service that Eddystone does not have. Big endian.
  ///
  ///     0   0x21
  ///     1   version       1
  ///     2   what follows  1
  ///     3   battery       2  mV
  ///     5   temperature   2  °C / 256, signed
  ///     7   humidity      2  % / 256
  ///     9   acceleration  3×2  mg, signed
  private static let kkm = SensorFormat(
    "kkm", maker: "KKM", model: "K6", in: .service(0xFEAA), first: 0x21, .exactly(15),
    sample: "1216aafe2101070bb815802d000010ffe003e8"
  ) { data, body in
    data.field(.batteryVoltage, 3, .u16, per: 1000, body)
    data.field(.temperature, 5, .s16, per: 256, body)
    data.field(.humidity, 7, .u16, per: 256, body)
    data.field(.accelerationX, 9, .s16, per: 1000, body)
    data.field(.accelerationY, 11, .s16, per: 1000, body)
    data.field(.accelerationZ, 13, .s16, per: 1000, body)
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

  fileprivate func inkbirdTemperature(_ body: (Reading) -> Void) {
    let number = Double(Int16(bitPattern: littleEndian16(at: 0))) / 100
    body(Reading(.temperature, ordinal: self[4] == 0 ? 1 : 2, .number(number)))
  }

  fileprivate func weight(_ offset: Int, isPounds: Bool, _ body: (Reading) -> Void) {
    if isPounds {
      field(.massPounds, offset, .u16le, per: 100, body)
    } else {
      field(.massKilograms, offset, .u16le, per: 200, body)
    }
  }
}

private func hundredths(_ number: Double) -> Double { (number * 100).rounded() / 100 }
