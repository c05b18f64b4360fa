import Core

/// Kontakt.io's and Estimote's beacons, beside the identities that they send.
extension SensorFormat {
  static let beaconMakers: [SensorFormat] = [
    kontaktTelemetry, kontaktPlain, kontaktLocation, estimoteMotion, estimoteClimate, estimoteNearable,
  ]

  /// Kontakt.io's telemetry: service data of 0xFE6A, fields of a length, a number, which the length counts, and a value. Little endian.
  ///
  ///     0x01  time (4), battery           5  %
  ///     0x02  sensitivity, mg; axes, 3×1, signed; seconds since a double tap (2), since a movement (2)
  ///     0x05  light, temperature          2  %; °C, signed
  ///     0x06  sensitivity, axes           4
  ///     0x08  seconds since a double tap  2
  ///     0x0A  light                       1  %
  ///     0x0B  temperature                 1  °C, signed
  ///     0x0C  battery                     1  %
  ///     0x0D  seconds since a press       2
  ///     0x0E  since a double press        2
  ///     0x11  presses, seconds            3
  ///     0x12  humidity                    1  %
  ///     0x13  temperature                 2  °C / 256, signed
  ///     0x16  movements, seconds          3
  ///
  /// Sources: https://developer.kontakt.io/hardware/packets/telemetry; Kontakt.io's parser in Go (kontaktio/telegraf, processor
  /// kioparser)
  private static let kontaktTelemetry = SensorFormat(
    "kontakt", maker: "Kontakt.io", model: "Telemetry", in: .service(0xFE6A), first: 0x03, .atLeast(4),
    sample: "1b166afe03" + "03132020" + "02122d" + "020c5a" + "04110580bb" + "0416100000" + "020a32"
  ) { data, body in
    var offset = 1
    while offset + 2 <= data.count {
      let length = Int(data[offset])
      guard length > 0, offset + length < data.count else { return }
      data.kontaktField(data[offset + 1], offset + 2, length - 1, body)
      offset += length + 1
    }
  }

  ///     1   model        1
  ///     2   firmware     2
  ///     4   battery      1  %; 0xFF: plugged in
  ///     5   power, name  …
  private static let kontaktPlain = SensorFormat(
    "kontakt", maker: "Kontakt.io", model: "Secure Profile", in: .service(0xFE6A), first: 0x02, .atLeast(10),
    sample: "0d166afe0208040164047961756d"
  ) { data, body in data.field(.batteryLevel, 4, .u8, absent: 0xFF, body) }

  ///     4   flags        1  bit 0: moves
  private static let kontaktLocation = SensorFormat(
    "kontakt", maker: "Kontakt.io", model: "Location", in: .service(0xFE6A), first: 0x05, .atLeast(11),
    sample: "0f166afe05f425060161626364656667"
  ) { data, body in data.flag(.moving, 4, bit: 0, body) }

  /// Estimote's telemetry: service data of 0xFE9A, of two kinds. Little endian.
  ///
  ///     0   frame        1  lower four bits: 2; upper four: version, up to 2
  ///     1   beacon       8  half of its id
  ///     9   kind         1  in the lower two bits
  ///
  /// Kind 0:
  ///
  ///     10  acceleration 3  2 g / 127 each, signed
  ///     15  flags        1  bit 0: moves
  ///     16  pressure     4  Pa / 256, from version 2 on; all ones: none
  ///
  /// Source: https://github.com/Estimote/estimote-specs
  private static let estimoteMotion = estimote(0, "2247a038d5eb032640000001414447f000b48b01") { data, body in
    for (offset, axis) in [(10, Quantity.accelerationX), (11, .accelerationY), (12, .accelerationZ)] {
      body(Reading(axis, (Double(data.signed8(at: offset)) * 2000 / 127).rounded() / 1000))
    }
    data.flag(.moving, 15, bit: 0, body)
    if data[0] >= 0x20, data.littleEndian32(at: 16) != .max {
      body(Reading(.pressure, (Double(data.littleEndian32(at: 16)) / 256).rounded() / 100))
    }
  }

  /// Kind 1:
  ///
  ///     13  light        1  0.72 lx × lower four bits × 2 to the power of the upper four; all ones: none
  ///     14  uptime       2  lower twelve bits; the next two: s, min, h, days
  ///     15  temperature  2  °C / 16, signed, in twelve bits from bit 6 on
  ///     17  battery      2  mV, in the upper 14 bits; all ones: none
  ///     19  battery      1  %, from version 1 on; 0xFF: none
  private static let estimoteClimate = estimote(1, "2247a038d5eb03264001d842ed73492566bc2e50") { data, body in
    if data[13] != 0xFF {
      let light = Double(data[13] & 0x0F) * Double(1 << Int(data[13] >> 4)) * 0.72
      body(Reading(.illuminance, (light * 100).rounded() / 100))
    }
    let units: InlineArray<4, Double> = [1, 60, 3600, 86_400]
    body(
      Reading(
        .uptime, Double(data.littleEndian16(at: 14) & 0x0FFF) * units[Int(data[15] &>> 4 & 3)]))
    let sixteenths = Int16(truncatingIfNeeded: data.littleEndian24(at: 15) >> 6) << 4
    body(Reading(.temperature, Double(sixteenths) / 256))
    data.field(.batteryVoltage, 17, .u16le, per: 1000, shift: 2, bits: 14, absent: 0x3FFF, body)
    if data[0] >= 0x10 { data.field(.batteryLevel, 19, .u8, absent: 0xFF, body) }
  }

  private static func estimote(
    _ kind: UInt8, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "estimote", maker: "Estimote", model: "Estimote beacon", in: .service(0xFE9A), .exactly(20),
      sample: "17169afe" + data,
      refuse: { data in
        if data[0] & 0x0F != 2 || data[9] & 3 != kind { return .unknownFrameType(data[0]) }
        return data[0] < 0x30 ? nil : .unsupportedVersion(data[0] >> 4)
      }, readings: readings)
  }

  /// Estimote's stickers: manufacturer data of 0x015D. Little endian.
  ///
  ///     1   nearable     8
  ///     11  temperature  2  °C / 16, signed, in the lower twelve bits
  ///     13  flags        1  bit 6: moves
  ///     14  acceleration 3  g / 64 each, signed
  private static let estimoteNearable = SensorFormat(
    "estimote", maker: "Estimote", model: "Nearable", in: .manufacturer(0x015D), first: 0x01, .exactly(20),
    sample: "17ff5d01011efe427eb6f4bc2f040168a1aafe05c1452553"
  ) { data, body in
    body(Reading(.temperature, Double(Int16(bitPattern: data.littleEndian16(at: 11) << 4)) / 256))
    data.flag(.moving, 13, bit: 6, body)
    for (offset, axis) in [(14, Quantity.accelerationX), (15, .accelerationY), (16, .accelerationZ)] {
      data.field(axis, offset, .s8, per: 64, body)
    }
  }
}

extension Span<UInt8> {
  fileprivate func kontaktField(_ number: UInt8, _ offset: Int, _ length: Int, _ body: (Reading) -> Void) {
    switch (number, length) {
    case (0x01, 5...): field(.batteryLevel, offset + 4, .u8, absent: 0xFF, body)
    case (0x02, 4...), (0x06, 4...):
      for (axis, quantity) in [(1, Quantity.accelerationX), (2, .accelerationY), (3, .accelerationZ)] {
        let milli = Double(self[offset]) * Double(signed8(at: offset + axis))
        body(Reading(quantity, milli / 1000))
      }
    case (0x05, 2...):
      field(.lightLevel, offset, .u8, body)
      field(.temperature, offset + 1, .s8, body)
    case (0x08, 2...), (0x0E, 2...): kontaktPress(.doublePress, offset, body)
    case (0x0D, 2...): kontaktPress(.press, offset, body)
    case (0x0A, 1...): field(.lightLevel, offset, .u8, body)
    case (0x0B, 1...): field(.temperature, offset, .s8, body)
    case (0x0C, 1...): field(.batteryLevel, offset, .u8, absent: 0xFF, body)
    case (0x11, 1...): field(.pressCount, offset, .u8, body)
    case (0x12, 1...): field(.humidity, offset, .u8, body)
    case (0x13, 2...): field(.temperature, offset, .s16le, per: 256, body)
    case (0x16, 1...): field(.movementCount, offset, .u8, body)
    default: break
    }
  }

  /// The beacon keeps reporting how long ago the button was pressed. Only the first seconds count as a press.
  private func kontaktPress(_ event: ButtonEvent, _ offset: Int, _ body: (Reading) -> Void) {
    if littleEndian16(at: offset) <= 5 { body(Reading(.button, .button(event))) }
  }
}
