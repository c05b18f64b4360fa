import Core

/// The formats of Ruuvi Innovations: manufacturer data of company 0x0499. Multi-byte fields are big endian. From format 5 on, the
/// largest unsigned and the smallest signed value mean "not available".
///
/// Sources: https://docs.ruuvi.com/communication/bluetooth-advertisements, data formats 3, 5, 6 and E1. They list sound as
/// reserved; sound is decoded here as Ruuvi's own ruuvi.endpoints.c encodes it.
extension SensorFormat {
  /// RuuviTag, data format 3 (RAWv1).
  ///
  ///     0   format          1  0x03
  ///     1   humidity        1  0.5 %
  ///     2   temperature     2  sign bit and whole °C, then hundredths
  ///     4   pressure        2  Pa − 50 000
  ///     6   acceleration  3×2  mg, signed: x, y, z
  ///     12  battery         2  mV
  package static let ruuvi3 = ruuvi(
    "RuuviTag", 0x03, .atLeast(14), sample: "02010611ff990403291a1ece1efc18f94202ca0b53",
    details: { _, body in body("data_format", .number(3)) }
  ) { data, body in
    let hundredths = Int(data[2] & 0x7F) * 100 + Int(data[3])
    body(Reading(.temperature, Double(data[2] & 0x80 == 0 ? hundredths : -hundredths) / 100))
    data.field(.humidity, 1, .u8, per: 2, body)
    data.field(.pressure, 4, .u16, per: 100, plus: 50_000, body)
    data.field(.accelerationX, 6, .s16, per: 1000, body)
    data.field(.accelerationY, 8, .s16, per: 1000, body)
    data.field(.accelerationZ, 10, .s16, per: 1000, body)
    data.field(.batteryVoltage, 12, .u16, per: 1000, body)
  }

  /// RuuviTag, data format 5 (RAWv2).
  ///
  ///     0   format          1  0x05
  ///     1   temperature     2  0.005 °C, signed
  ///     3   humidity        2  0.0025 %
  ///     5   pressure        2  Pa − 50 000
  ///     7   acceleration  3×2  mg, signed: x, y, z
  ///     13  power           2  11 bits: battery, mV − 1600; 5 bits: tx power, 2 dBm steps from −40
  ///     15  movements       1
  ///     16  sequence        2
  ///     18  address         6
  package static let ruuvi5 = ruuvi(
    "RuuviTag", 0x05, .atLeast(24), sample: "0201061bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f",
    details: { data, body in
      body("data_format", .number(5))
      ruuviAddress(data, 18, body)
    }
  ) { data, body in
    data.ruuviEnvironment(body)
    data.field(.accelerationX, 7, .s16, per: 1000, absent: -0x8000, body)
    data.field(.accelerationY, 9, .s16, per: 1000, absent: -0x8000, body)
    data.field(.accelerationZ, 11, .s16, per: 1000, absent: -0x8000, body)
    data.field(.batteryVoltage, 13, .u16, per: 1000, plus: 1600, shift: 5, bits: 11, absent: 0x7FF, body)
    data.field(.txPower, 13, .u16, per: 0.5, plus: -20, bits: 5, absent: 0x1F, body)
    data.field(.movementCount, 15, .u8, absent: 0xFF, body)
    data.field(.measurementSequence, 16, .u16, absent: 0xFFFF, body)
  }

  /// Ruuvi Air over Bluetooth 4, data format 6.
  ///
  ///     0   format          1  0x06
  ///     1   environment     6  as in format 5
  ///     7   PM 2.5          2  0.1 µg/m³
  ///     9   CO2             2  ppm
  ///     11  VOC             1  index; lowest bit in flags, bit 6
  ///     12  NOX             1  index; lowest bit in flags, bit 7
  ///     13  luminosity      1  lx, logarithmic: 65536^(code / 254) − 1
  ///     14  sound           1  average, 0.4 dBA + 18; lowest bit (0.2) in flags, bit 4
  ///     15  sequence        1
  ///     16  flags           1  bit 0: calibrating
  ///     17  address         3  lowest octets
  package static let ruuvi6 = ruuvi(
    "Ruuvi Air", 0x06, .atLeast(20), sample: "02010617ff990406170c5668c79e007000c90501d9b6cd004c884f",
    details: { data, body in
      body("data_format", .number(6))
      body("mac_low", .text(hexadecimal(UInt128(data.bigEndian24(at: 17)), octets: 3)))
    }
  ) { data, body in
    data.ruuviEnvironment(body)
    data.field(.pm25, 7, .u16, per: 10, absent: 0xFFFF, body)
    data.field(.co2, 9, .u16, absent: 0xFFFF, body)
    data.ruuviIndex(.vocIndex, 11, lowest: (16, 6), body)
    data.ruuviIndex(.noxIndex, 12, lowest: (16, 7), body)
    data.flag(.calibrating, 16, bit: 0, body)
    if data[13] != 0xFF { body(Reading(.illuminance, ruuviLuminosity(data[13]))) }
    data.ruuviSound(.averageSoundLevel, 14, lowest: (16, 4), body)
    data.field(.measurementSequence, 15, .u8, body)
  }

  /// Ruuvi Air over Bluetooth 5, data format E1.
  ///
  ///     0   format          1  0xE1
  ///     1   environment     6  as in format 5
  ///     7   PM 1.0          2  0.1 µg/m³
  ///     9   PM 2.5          2
  ///     11  PM 4.0          2
  ///     13  PM 10.0         2
  ///     15  CO2             2  ppm
  ///     17  VOC             1  index; lowest bit in flags, bit 6
  ///     18  NOX             1  index; lowest bit in flags, bit 7
  ///     19  luminosity      3  0.01 lx
  ///     22  sound           1  now, 0.4 dBA + 18; lowest bit (0.2) in flags, bit 3
  ///     23  sound           1  average; flags, bit 4
  ///     24  sound pressure  1  peak, dB; flags, bit 5
  ///     25  sequence        3
  ///     28  flags           1  bit 0: calibrating
  ///     29  reserved        5
  ///     34  address         6
  package static let ruuviE1 = ruuvi(
    "Ruuvi Air", 0xE1, .atLeast(40),
    sample: "2bff9904e1170c5668c79e0065007004bd11ca00c90a0213e0ac1e5cb6decdeef8ffffffffffcbb8334c884f",
    details: { data, body in
      body("data_format", .text("E1"))
      ruuviAddress(data, 34, body)
    }
  ) { data, body in
    data.ruuviEnvironment(body)
    data.field(.pm1, 7, .u16, per: 10, absent: 0xFFFF, body)
    data.field(.pm25, 9, .u16, per: 10, absent: 0xFFFF, body)
    data.field(.pm4, 11, .u16, per: 10, absent: 0xFFFF, body)
    data.field(.pm10, 13, .u16, per: 10, absent: 0xFFFF, body)
    data.field(.co2, 15, .u16, absent: 0xFFFF, body)
    data.ruuviIndex(.vocIndex, 17, lowest: (28, 6), body)
    data.ruuviIndex(.noxIndex, 18, lowest: (28, 7), body)
    data.flag(.calibrating, 28, bit: 0, body)
    data.field(.illuminance, 19, .u24, per: 100, absent: 0xFFFFFF, body)
    data.ruuviSound(.soundLevel, 22, lowest: (28, 3), body)
    data.ruuviSound(.averageSoundLevel, 23, lowest: (28, 4), body)
    data.ruuviSound(.peakSoundPressure, 24, lowest: (28, 5), body)
    data.field(.measurementSequence, 25, .u24, absent: 0xFFFFFF, body)
  }

  private static func ruuvi(
    _ model: String, _ first: UInt8, _ length: Length, sample: String,
    details: @escaping @Sendable (Span<UInt8>, (_ name: String, SensorDetail) -> Void) -> Void,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "ruuvi", maker: "Ruuvi Innovations", model: model, in: .manufacturer(0x0499), first: first, length,
      sample: sample, isExact: true, details: details, readings: readings)
  }
}

extension Span<UInt8> {
  /// Octets 1–6 of formats 5, 6 and E1.
  @inline(__always) fileprivate func ruuviEnvironment(_ body: (Reading) -> Void) {
    field(.temperature, 1, .s16, per: 200, absent: -0x8000, body)
    field(.humidity, 3, .u16, per: 400, absent: 0xFFFF, body)
    field(.pressure, 5, .u16, per: 100, plus: 50_000, absent: 0xFFFF, body)
  }

  /// Nine bits: the lowest is among the flags.
  @inline(__always) fileprivate func ruuviIndex(
    _ quantity: Quantity, _ offset: Int, lowest flag: (offset: Int, bit: UInt8), _ body: (Reading) -> Void
  ) {
    let index = UInt16(self[offset]) << 1 | UInt16(self[flag.offset] &>> flag.bit & 1)
    if index != 0x1FF { body(Reading(quantity, Double(index))) }
  }

  /// Nine bits in steps of 0.2 dB from 18 dB. If all upper bits are set, the device has no microphone, whatever the flags say.
  @inline(__always) fileprivate func ruuviSound(
    _ quantity: Quantity, _ offset: Int, lowest flag: (offset: Int, bit: UInt8), _ body: (Reading) -> Void
  ) {
    if self[offset] == 0xFF { return }
    let steps = UInt16(self[offset]) << 1 | UInt16(self[flag.offset] &>> flag.bit & 1)
    body(Reading(quantity, Double(steps) / 5 + 18))
  }
}

/// lx, to hundredths.
private func ruuviLuminosity(_ code: UInt8) -> Double {
  // 65536^(1/254), raised to the power of the code by squaring.
  var base = 1.0446300614125956
  var power = 1.0
  var exponent = code
  while exponent > 0 {
    if exponent & 1 == 1 { power *= base }
    base *= base
    exponent >>= 1
  }
  return ((power - 1) * 100).rounded() / 100
}

/// The device's own address, 48 bits, if available.
private func ruuviAddress(
  _ data: Span<UInt8>, _ offset: Int, _ body: (_ name: String, SensorDetail) -> Void
) {
  let bits = data.bigEndian48(at: offset)
  if bits != 0xFFFF_FFFF_FFFF { body("mac", .text(DeviceAddress(bits: bits, kind: .random).description)) }
}
