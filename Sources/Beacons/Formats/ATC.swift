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

  /// The first format with a key: a counter (1), the text, a tag (4).
  ///
  ///     0   temperature     1  0.5 °C, plus 40 °C
  ///     1   humidity        1  0.5 %
  ///     2   battery         1  %, in the lower seven bits
  ///
  /// Source: https://github.com/pvvx/ATC_MiThermometer#bluetooth-advertising-formats
  static let atcSealed = sealed(
    "atc", "ATC thermometer", .exactly(8), sample: "0b161a1811b95483427fb848"
  ) { data, body in
    data.field(.temperature, 1, .u8, per: 2, plus: -80, body)
    data.field(.humidity, 2, .u8, per: 2, body)
    data.field(.batteryLevel, 3, .u8, bits: 7, body)
  }

  /// The second format with a key.
  ///
  ///     0   temperature     2  0.01 °C, signed
  ///     2   humidity        2  0.01 %
  ///     4   battery         1  %
  ///     5   flags           1
  static let pvvxSealed = sealed(
    "pvvx", "ATC thermometer, PVVX", .exactly(11), sample: "0e161a181284766cb8ee68ac29db44"
  ) { data, body in
    data.field(.temperature, 1, .s16le, per: 100, body)
    data.field(.humidity, 3, .u16le, per: 100, body)
    data.field(.batteryLevel, 5, .u8, body)
  }

  /// The nonce is address (6, least significant octet first), then length, type and UUID of the AD structure (4), and the counter.
  private static func sealed(
    _ name: String, _ model: String, _ length: Length, sample: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      name, maker: "Xiaomi", model: model, in: .service(0x181A), length, sample: sample, isExact: true,
      seal: { data, address in
        let end = data.count - 4
        var seal = Seal(text: 1..<end, tag: data.bigEndian32(at: end), counter: nil, head: 0..<1)
        seal.associated = 0x11
        seal.salt(address, isReversed: true)
        for octet in [UInt8(data.count + 3), 0x16, 0x1A, 0x18] { seal.salt(octet) }
        seal.salt(data[0])
        return seal
      }
    ) { data, body in
      data.field(.packetID, 0, .u8, body)
      readings(data, body)
    }
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

  /// The same with temperature in hundredths.
  static let bParasite2 = plant(0x20, .exactly(16), sample: "13161a18200b0b2208b480004000010203040506")
  static let bParasite2WithLight = plant(
    0x21, .exactly(18), sample: "15161a18210b0b2208b480004000010203040506012c")

  private static func plant(_ first: UInt8, _ length: Length, sample: String) -> SensorFormat {
    SensorFormat(
      "b-parasite", model: "b-parasite", in: .service(0x181A), first: first, length, sample: sample
    ) { data, body in
      data.field(.batteryVoltage, 2, .u16, per: 1000, body)
      data.field(.temperature, 4, .s16, per: first < 0x20 ? 1000 : 100, body)
      data.field(.humidity, 6, .u16, per: 655.36, body)
      data.field(.moisture, 8, .u16, per: 655.36, body)
      if data.count >= 18 { data.field(.illuminance, 16, .u16, body) }
      data.field(.packetID, 1, .u8, bits: 4, body)
    }
  }
}
