import Core

/// Qingping and ClearGrass: service data of 0xFDCD.
///
///     0   flags       1
///     1   model       1
///     2   address     6
///     8   objects     …  number, length, value; little endian
///
/// Source: https://github.com/custom-components/ble_monitor, ble_parser/qingping.py; the objects are in no public document of the
/// maker.
extension SensorFormat {
  static let qingping = SensorFormat(
    "qingping", maker: "Qingping", model: "Qingping sensor", in: .service(0xFDCD), .atLeast(10),
    sample: "1816cdfd08090605040302010104d700c2010702942702015f",
    details: { data, body in
      if let model = qingpingModel(data[1]) { body("product", .text(model)) }
    }
  ) { data, body in
    var offset = 8
    var isNumbered = false
    while offset + 2 <= data.count {
      let (number, length) = (data[offset], Int(data[offset + 1]))
      offset += 2
      guard offset + length <= data.count else { return }
      switch (number, length) {
      case (0x01, 4):
        data.field(.temperature, offset, .s16le, per: 10, body)
        data.field(.humidity, offset + 2, .u16le, per: 10, body)
      case (0x02, 1): data.field(.batteryLevel, offset, .u8, bits: 7, body)
      case (0x04, 1): body(Reading(.opening, .flag(data[offset] == 0)))
      case (0x07, 2): data.field(.pressure, offset, .u16le, per: 10, body)
      case (0x08, 4):
        body(Reading(.motion, .flag(data[offset] != 0)))
        data.field(.illuminance, offset + 1, .u24le, body)
      case (0x09, 4): data.field(.illuminance, offset, .u32le, body)
      // A door sensor repeats its state after the packet's counter, with the same number.
      case (0x0F, 1) where isNumbered && data[1] == 0x04: body(Reading(.opening, .flag(data[offset] == 0)))
      case (0x0F, 1):
        data.field(.packetID, offset, .u8, body)
        isNumbered = true
      case (0x11, 1): body(Reading(.light, .flag(data[offset] != 0)))
      case (0x12, 4):
        data.field(.pm25, offset, .u16le, body)
        data.field(.pm10, offset + 2, .u16le, body)
      case (0x13, 2): data.field(.co2, offset, .u16le, body)
      default: break
      }
      offset += length
    }
  }
}

private func qingpingModel(_ number: UInt8) -> String? {
  switch number {
  case 0x01, 0x07: "CGG1"
  case 0x03, 0x0C: "CGD1"
  case 0x04: "CGH1"
  case 0x09: "CGP1W"
  case 0x0E, 0x24: "CGDN1"
  case 0x10: "CGDK2"
  case 0x12: "CGPR1"
  case 0x18: "CGP23W"
  case 0x1E: "CGC1"
  case 0x5D: "CGP22C"
  default: nil
  }
}
