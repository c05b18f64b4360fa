import Core

/// Scales, toothbrushes, plants and tyres.
extension SensorFormat {
  static let household: [SensorFormat] = [
    plantSensor, oralB, scale, scaleWithImpedance, tyre, ecoFlow, faucet, shower, waterLevel, laundry,
    kitchenScale,
    heartRate, heartRateWithBattery, band, bandSteps, anemometer, michelin,
    mopeka("Pro Check", 0x03, .propane),
    mopeka("Pro-200", 0x04, .air), mopeka("Pro Check H2O", 0x05, .water), mopeka("Pro Check", 0x06, .propane),
    mopeka("Pro Plus", 0x08, .propane), mopeka("Pro Plus", 0x09, .propane), mopeka("TD40, TD200", 0x0A, .air),
    mopeka("TD40, TD200", 0x0B, .air), mopeka("Pro Check", 0x0C, .propane), mopeka("Pro-200", 0x12, .air),
  ]

  /// These devices send another company's id, or none.
  static let householdBySender: [SensorFormat] = [tyreByName, energyMeter, beeWi, keg]

  /// Otio's and BeeWi's door sensor: manufacturer data of several companies.
  ///
  ///     2   0x08, 0x0C
  ///     4   state        1  bit 0: open
  ///     6   battery      1  %
  private static let beeWi = SensorFormat(
    "beewi", maker: "BeeWi", model: "Door sensor", in: .unnumbered, .exactly(7), sample: "08ff0d00080c010064",
    isSent: { data, _ in data.bigEndian16(at: 2) == 0x080C && data[6] <= 100 }
  ) { data, body in
    data.flag(.opening, 4, bit: 0, body)
    data.field(.batteryLevel, 6, .u8, body)
  }

  /// EcoFlow's power stations: manufacturer data of 0xB5B5. The battery in % is at 17.
  private static let ecoFlow = SensorFormat(
    "ecoflow", maker: "EcoFlow", model: "Power station", in: .manufacturer(0xB5B5), .exactly(24),
    sample: "1bffb5b5135236303331323334353637383930313233005700000000"
  ) { data, body in data.field(.batteryLevel, 17, .u8, bits: 7, body) }

  /// Oras' faucets: manufacturer data of 0x0131. The battery in % is at 1.
  private static let faucet = SensorFormat(
    "oras", maker: "Oras", model: "Faucet", in: .manufacturer(0x0131), .exactly(18),
    sample: "15ff3101" + "006400323131313030373933350020202020"
  ) { data, body in data.field(.batteryLevel, 1, .u8, bits: 7, body) }

  /// Amphiro's showers, which Oras sells, too: manufacturer data of 0xFAEE. Big endian.
  ///
  ///     0   number of the shower  3
  ///     3   duration              2  s
  ///     8   water                 3  l / 2560
  ///     11  temperature           1  °C
  ///     12  energy                2  0.01 kWh
  private static let shower = SensorFormat(
    "amphiro", maker: "Amphiro", model: "Shower", in: .manufacturer(0xFAEE), .exactly(19),
    sample: "16ffeefa0000240015000000001a0029000c0000000000"
  ) { data, body in
    data.field(.duration, 3, .u16, body)
    data.field(.waterVolume, 8, .u24, per: 2560, body)
    data.field(.temperature, 11, .u8, body)
    data.field(.energy, 12, .u16, per: 100, body)
  }

  /// Onset's HOBO MX2001: manufacturer data of 0x00C5. The water's level in m is a number of IEEE 754 at 16.
  private static let waterLevel = SensorFormat(
    "hobo", maker: "Onset", model: "MX2001", in: .manufacturer(0x00C5), .exactly(20),
    sample: "17ffc500000102030405060708090a0b0c0d0e0f0000a03f"
  ) { data, body in data.float(.distanceMetres, 16, body) }

  /// SmartDry's laundry sensor: manufacturer data of 0x01AE. Little endian.
  ///
  ///     0   temperature  4  IEEE 754
  ///     4   humidity     4  IEEE 754
  ///     8   shaking      2
  ///     10  battery      …  descriptions disagree
  private static let laundry = SensorFormat(
    "smartdry", maker: "SmartDry", model: "Laundry sensor", in: .manufacturer(0x01AE), .exactly(12),
    sample: "0fffae010000ac410000344252006901"
  ) { data, body in
    data.float(.temperature, 0, body)
    data.float(.humidity, 4, body)
  }

  /// Atomax' Skale: manufacturer data of 0x81EF. Tenths of a gram, signed, little endian.
  private static let kitchenScale = SensorFormat(
    "skale", maker: "Atomax", model: "Skale", in: .manufacturer(0x81EF), .exactly(4),
    sample: "07ffef81c4090000"
  ) { data, body in data.field(.massKilograms, 0, .s16le, per: 10_000, body) }

  /// Heart rate belts: Polar's (0x006B), the rate last; XOSS' (0xFF04), with a battery at 1.
  private static let heartRate = SensorFormat(
    "heartrate", maker: "Polar", model: "Heart rate sensor", in: .manufacturer(0x006B), .exactly(4),
    sample: "07ff6b0072080048"
  ) { data, body in data.field(.heartRate, 3, .u8, absent: 0, body) }
  private static let heartRateWithBattery = SensorFormat(
    "heartrate", maker: "XOSS", model: "X2", in: .manufacturer(0xFF04), .exactly(4),
    sample: "07ff04ff00640048"
  ) { data, body in
    data.field(.heartRate, 3, .u8, absent: 0, body)
    data.field(.batteryLevel, 1, .u8, bits: 7, body)
  }

  /// Huami's bands and watches, Mi Band among them: manufacturer data of 0x0157. The heart rate is at 3; 0xFF: none.
  private static let band = SensorFormat(
    "huami", maker: "Xiaomi", model: "Mi Band", in: .manufacturer(0x0157), first: 0x02, .exactly(24),
    sample: "1bff5701" + "02020148ffffffffffffffffffffffffff02010203040506"
  ) { data, body in data.field(.heartRate, 3, .u8, absent: 0xFF, body) }

  /// How many steps they counted: service data of 0xFEE0. Source: https://decoder.theengs.io (MB/SW)
  private static let bandSteps = SensorFormat(
    "huami", maker: "Xiaomi", model: "Mi Band", in: .service(0xFEE0), .exactly(4), sample: "0716e0fe8d230000"
  ) { data, body in data.field(.count, 0, .u32le, body) }

  /// UNI-T's anemometer: manufacturer data of 0xBBAA. The speed is text at 3, of six characters, then its unit, M/S.
  private static let anemometer = SensorFormat(
    "uni-t", maker: "UNI-T", model: "UT363BT", in: .manufacturer(0xBBAA), .exactly(17),
    sample: "14ffaabb10013b" + "2020332e3139" + "4d2f532020203235",
    refuse: { $0.bigEndian24(at: 9) == 0x4D_2F53 ? nil : .noDecoder }
  ) { data, body in
    var (digits, decimals) = (0, -1)
    for offset in 3..<9 {
      switch data[offset] {
      case 0x20 where digits == 0: continue
      case 0x2E where decimals < 0: decimals = 0
      case 0x30...0x39:
        digits = digits * 10 + Int(data[offset] - 0x30)
        if decimals >= 0 { decimals += 1 }
      default: return
      }
    }
    for _ in max(0, decimals)..<6 { digits *= 10 }
    body(Reading(.speed, Double(digits) / 1_000_000))
  }

  /// Mopeka's tank sensors: manufacturer data of 0x0059. Little endian.
  ///
  ///     0   kind         1
  ///     1   battery      1  V / 32
  ///     2   temperature  1  °C + 40; highest bit: the button is pressed
  ///     3   level        2  how long sound takes, 14 bits; the upper two: how well it was heard, 0: not at all
  ///
  /// Sources: https://github.com/spbrogan/mopeka_pro_check; https://github.com/Bluetooth-Devices/mopeka-iot-ble;
  /// https://esphome.io/components/sensor/mopeka_pro_check (which kind looks through what)
  private static func mopeka(_ model: String, _ kind: UInt8, _ medium: Medium) -> SensorFormat {
    SensorFormat(
      "mopeka", maker: "Mopeka", model: model, in: .manufacturer(0x0059), first: kind, .exactly(10),
      sample: "0dff5900" + hexadecimal(UInt128(kind), octets: 1) + "5d41" + "90c10102030a0b"
    ) { data, body in
      let warmth = Double(data[2] & 0x7F)
      body(Reading(.temperature, warmth - 40))
      data.field(.batteryVoltage, 1, .u8, per: 32, bits: 7, body)
      if data[4] & 0xC0 != 0 {
        let echo = Double(data.littleEndian16(at: 3) & 0x3FFF)
        body(Reading(.distanceMillimetres, (echo * medium.speed(warmth) * 10).rounded() / 10))
      }
      if data[2] & 0x80 != 0 { body(Reading(.button, .button(.press))) }
      let charge = (Double(data[1] & 0x7F) / 32 - 2.2) / 0.65 * 100
      body(Reading(.batteryLevel, min(100, max(0, charge.rounded()))))
    }
  }

  private enum Medium {
    case propane, water, air

    /// Half of it, by °C + 40.
    func speed(_ warmth: Double) -> Double {
      let (still, rise, bend) =
        switch self {
        case .propane: (0.573045, -0.002822, -0.00000535)
        case .water: (0.600592, 0.003124, -0.00001368)
        case .air: (0.153096, 0.000327, -0.000000294)
        }
      return still + rise * warmth + bend * warmth * warmth
    }
  }

  /// Michelin's tyre sensors: manufacturer data of 0x0828. Little endian.
  ///
  ///     2   temperature  1  °C + 60
  ///     3   battery      1  0.01 V above 1 V
  ///     4   pressure     2  hPa
  ///     6   three letters; then a state (1) and how often it was read (4)
  ///
  /// Source: https://github.com/custom-components/ble_monitor
  private static let michelin = SensorFormat(
    "tpms", maker: "Michelin", model: "TMS", in: .manufacturer(0x0828), first: 0x01, .exactly(14),
    sample: "11ff280801034fc8d403505643017d511e00", refuse: { $0[1] == 0x03 ? nil : .unknownFrameType($0[1]) }
  ) { data, body in
    data.field(.temperature, 2, .u8, plus: -60, body)
    data.field(.batteryVoltage, 3, .u8, per: 100, plus: 100, body)
    data.field(.pressure, 4, .u16le, body)
  }

  /// Tyre valves named BR, in place of the company id. Big endian.
  ///
  ///     1   battery      1  0.1 V
  ///     2   temperature  1  °C, signed
  ///     3   pressure     2  0.1 psi
  private static let tyreByName = SensorFormat(
    "tpms", model: "Tyre valve, BR", in: .unnumbered, .exactly(7), sample: "03094252" + "08ff281d14016c0102",
    isSent: { $1.isNamed("BR") }
  ) { data, body in
    data.field(.batteryVoltage, 1, .u8, per: 10, body)
    data.field(.temperature, 2, .s8, body)
    let bar = (Double(data.bigEndian16(at: 3)) / 10 - 14.5) / 14.5
    body(Reading(.pressure, max(0, (bar * 1000).rounded())))
  }

  /// iNode's energy meter, in place of the company id. Little endian.
  ///
  ///     0   kind         1  0x90; bit 2: low battery
  ///     1   0x82
  ///     2   now          2  pulses a minute
  ///     4   sum          4  pulses
  ///     8   constant     2  14 bits: pulses a kWh; the upper two bits: 0
  ///     10  battery      1  tenths + 1, in the upper four bits
  ///
  /// Source: https://docs.google.com/document/d/1hcBpZ1RSgHRL6wu4SlTq2bvtKSL5_sFjXMu_HRyWZiQ (iNode LE)
  private static let energyMeter = SensorFormat(
    "inode", maker: "iNode", model: "Energy Meter", in: .unnumbered, .exactly(13),
    sample: "0eff90820400cfe40000dc05b0ed10",
    isSent: { data, _ in
      data[0] & 0xF9 == 0x90 && data[1] == 0x82 && data.littleEndian16(at: 8) >> 14 == 0
        && data.littleEndian16(at: 8) > 0
    }
  ) { data, body in
    let pulses = Double(data.littleEndian16(at: 8))
    body(Reading(.power, (Double(data.littleEndian16(at: 2)) * 60_000 / pulses * 100).rounded() / 100))
    body(Reading(.energy, (Double(data.littleEndian32(at: 4)) / pulses * 100).rounded() / 100))
    let tenths = Double(data[10] >> 4)
    if tenths > 0 { body(Reading(.batteryLevel, tenths == 1 ? 100 : min(100, (tenths - 1) * 10))) }
    data.flag(.batteryLow, 0, bit: 2, body)
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

  /// Oral-B's toothbrushes: manufacturer data of 0x00DC.
  ///
  ///     3   state     1  3: brushes
  ///     5   duration  2  minutes, seconds
  private static let oralB = SensorFormat(
    "oral-b", maker: "Oral-B", model: "Toothbrush", in: .manufacturer(0x00DC), .atLeast(9),
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
}

extension Span<UInt8> {
  /// A number of IEEE 754, little endian, in thousandths.
  fileprivate func float(_ quantity: Quantity, _ offset: Int, _ body: (Reading) -> Void) {
    let number = Double(Float(bitPattern: littleEndian32(at: offset)))
    if number.isFinite, abs(number) < 1e9 { body(Reading(quantity, (number * 1000).rounded() / 1000)) }
  }

  fileprivate func weight(_ offset: Int, isPounds: Bool, _ body: (Reading) -> Void) {
    if isPounds {
      field(.massPounds, offset, .u16le, per: 100, body)
    } else {
      field(.massKilograms, offset, .u16le, per: 200, body)
    }
  }
}
