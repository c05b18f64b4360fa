import Core

/// Scales, toothbrushes, plants and tyres.
extension SensorFormat {
  static let household: [SensorFormat] = [plantSensor, oralB, scale, scaleWithImpedance, tyre]

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
  fileprivate func weight(_ offset: Int, isPounds: Bool, _ body: (Reading) -> Void) {
    if isPounds {
      field(.massPounds, offset, .u16le, per: 100, body)
    } else {
      field(.massKilograms, offset, .u16le, per: 200, body)
    }
  }
}
