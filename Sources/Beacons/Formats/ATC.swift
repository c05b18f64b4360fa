import Core

/// Service data of 0x181A (environmental sensing): open firmware for Xiaomi's thermometers, and plant sensors.
extension SensorFormat {
  /// The format of the firmware that came first. Big endian.
  ///
  ///     0   address         6
  ///     6   temperature     2  0.1 °C, signed
  ///     8   humidity        1  %
  ///     9   battery         1  %
  ///     10  battery         2  mV
  ///     12  counter         1
  ///
  /// Source: https://github.com/atc1441/ATC_MiThermometer#advertising-format-of-the-custom-firmware
  static let atc = SensorFormat(
    "atc", maker: "Xiaomi", model: "ATC thermometer", in: .service(0x181A), .exactly(13),
    sample: "10161a18a4c138000001010b2d640bb805"
  ) { data, body in
    data.field(.temperature, 6, .s16, per: 10, body)
    data.field(.humidity, 8, .u8, body)
    data.field(.batteryLevel, 9, .u8, body)
    data.field(.batteryVoltage, 10, .u16, per: 1000, body)
    data.field(.packetID, 12, .u8, body)
  }

  /// The format of the firmware that most people have now. Little endian.
  ///
  ///     0   address         6
  ///     6   temperature     2  0.01 °C, signed
  ///     8   humidity        2  0.01 %
  ///     10  battery         2  mV
  ///     12  battery         1  %
  ///     13  counter         1
  ///     14  flags           1
  ///
  /// Source: https://github.com/pvvx/ATC_MiThermometer#custom-format-all-data-little-endian
  static let pvvx = SensorFormat(
    "pvvx", maker: "Xiaomi", model: "ATC thermometer, PVVX", in: .service(0x181A), .exactly(15),
    sample: "12161a1801000038c1a4e90a9411b80b64054f"
  ) { data, body in
    data.field(.temperature, 6, .s16le, per: 100, body)
    data.field(.humidity, 8, .u16le, per: 100, body)
    data.field(.batteryVoltage, 10, .u16le, per: 1000, body)
    data.field(.batteryLevel, 12, .u8, body)
    data.field(.packetID, 13, .u8, body)
  }

  /// b-parasite, a sensor of soil moisture. Big endian.
  ///
  ///     0   version         1  upper four bits: 1; lowest bit: with illuminance
  ///     1   counter         1  lower four bits
  ///     2   battery         2  mV
  ///     4   temperature     2  0.001 °C
  ///     6   humidity        2  of 65,536
  ///     8   soil moisture   2  of 65,536
  ///     10  address         6
  ///     16  illuminance     2  lx, if there is one
  ///
  /// Source: https://github.com/rbaron/b-parasite
  static let bParasite = plant(0x10, .exactly(16), sample: "13161a18100b0b22546080004000010203040506")
  static let bParasiteWithLight = plant(
    0x11, .exactly(18), sample: "15161a18110b0b22546080004000010203040506012c")

  private static func plant(_ first: UInt8, _ length: Length, sample: String) -> SensorFormat {
    SensorFormat(
      "b-parasite", model: "b-parasite", in: .service(0x181A), first: first, length, sample: sample
    ) { data, body in
      data.field(.batteryVoltage, 2, .u16, per: 1000, body)
      data.field(.temperature, 4, .s16, per: 1000, body)
      data.field(.humidity, 6, .u16, per: 655.36, body)
      data.field(.moisture, 8, .u16, per: 655.36, body)
      if data.count >= 18 { data.field(.illuminance, 16, .u16, body) }
      data.field(.packetID, 1, .u8, bits: 4, body)
    }
  }
}
