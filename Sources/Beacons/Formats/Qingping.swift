import Core

/// Qingping and ClearGrass: service data of 0xFDCD.
///
///     0   flags       1  bit 6: it reports an event
///     1   model       1
///     2   address     6
///     8   objects     …  number, length, value; little endian
///
/// Sources: https://github.com/custom-components/ble_monitor, ble_parser/qingping.py;
/// https://github.com/Bluetooth-Devices/qingping-ble; the objects are in no public document of the
/// maker.
extension SensorFormat {
  static let qingping = SensorFormat(
    "qingping", maker: "Qingping", model: "Qingping sensor", in: .service(0xFDCD), .atLeast(10),
    sample: "1816cdfd08090605040302010104d700c2010702942702015f",
    products: Products(
      place: 1..<2,
      names: [
        0x01: "CGG1", 0x03: "CGD1", 0x04: "CGH1", 0x07: "CGG1", 0x09: "CGP1W", 0x0C: "CGD1", 0x0E: "CGDN1",
        0x0F: "CGM1", 0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x16: "CGG1", 0x18: "CGP23W", 0x1E: "CGC1",
        0x24: "CGDN1", 0x26: "CGP23W", 0x33: "CGP22C", 0x4F: "CGG3", 0x52: "CGR1PC", 0x5D: "CGP22C",
        0x62: "CGR1PC",
      ])
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
      // 255: plugged in.
      case (0x02, 1): body(Reading(.batteryLevel, data[offset] == 255 ? 100 : Double(data[offset] & 0x7F)))
      // 2: open for longer than it should be.
      case (0x04, 1): body(Reading(.opening, .flag(data[offset] & 1 == 0)))
      case (0x07, 2): data.field(.pressure, offset, .u16le, per: 10, body)
      case (0x08, 4):
        body(Reading(.motion, .flag(data[offset] != 0)))
        // In a message about an event, these octets are not the light.
        if data[0] & 0x40 == 0 { data.field(.illuminance, offset + 1, .u24le, body) }
      case (0x09, 4): data.field(.illuminance, offset, .u32le, body)
      // A door sensor repeats its state after the packet's counter, with the same number.
      case (0x0F, 1) where isNumbered && data[1] == 0x04:
        body(Reading(.opening, .flag(data[offset] & 1 == 0)))
      case (0x0F, 1):
        data.field(.packetID, offset, .u8, body)
        isNumbered = true
      case (0x11, 1): body(Reading(.light, .flag(data[offset] != 0)))
      case (0x12, 4):
        data.field(.pm25, offset, .u16le, body)
        data.field(.pm10, offset + 2, .u16le, body)
      case (0x13, 2): data.field(.co2, offset, .u16le, body)
      case (0x15, 2): data.field(.vocIndex, offset, .u16le, body)
      case (0x19, 1): data.field(.soundLevel, offset, .u8, body)
      default: break
      }
      offset += length
    }
  }
}
