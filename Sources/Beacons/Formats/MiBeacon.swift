import Core

/// Xiaomi's MiBeacon, versions 2 to 5: service data of 0xFE95. Little endian.
///
///     0   control     2  bit 3: encrypted, 4: with address, 5: with capability, 6: with objects; 12…15: version
///     2   product     2
///     4   counter     1
///     5   address     6  if any
///     …   capability  1  if any; with bit 5 set, an octet of inputs and outputs follows
///     …   objects     …  type (2), length (1), value
///
/// Source: https://github.com/custom-components/ble_monitor/wiki; https://home.miot-spec.com (products);
/// https://iot.mi.com/new/doc/accesses/direct-access/embedded-development/ble/ble-mibeacon
extension SensorFormat {
  static let miBeacon = SensorFormat(
    "mibeacon", maker: "Xiaomi", model: "Xiaomi sensor", in: .service(0xFE95), .atLeast(5),
    sample: "151695fe5020aa01da0605040302010d1004d700c201",
    refuse: { data in
      let control = data.littleEndian16(at: 0)
      // Nothing but who it is.
      if control & 0x0040 == 0 { return .unknownFrameType(UInt8(truncatingIfNeeded: control)) }
      return control & 0x0008 == 0 ? nil : .encrypted
    },
    details: { data, body in
      body("version", .number(Int(data[1] &>> 4)))
      body("product", .text("0x" + hexadecimal(UInt128(data.littleEndian16(at: 2)), octets: 2)))
    }
  ) { data, body in
    data.field(.packetID, 4, .u8, body)
    let control = data.littleEndian16(at: 0)
    var offset = control & 0x0010 == 0 ? 5 : 11
    if control & 0x0020 != 0 {
      guard offset < data.count else { return }
      offset += data[offset] & 0x20 == 0 ? 1 : 2
    }
    while offset + 3 <= data.count {
      let (type, length) = (data.littleEndian16(at: offset), Int(data[offset + 2]))
      offset += 3
      guard offset + length <= data.count else { return }
      data.miObject(type, offset, length, body)
      offset += length
    }
  }
}

extension Span<UInt8> {
  fileprivate func miObject(_ type: UInt16, _ offset: Int, _ length: Int, _ body: (Reading) -> Void) {
    switch (type, length) {
    case (0x0003, 1...): body(Reading(.motion, .flag(self[offset] != 0)))
    case (0x0007, 1...): door(self[offset], body)
    case (0x000F, 3):
      body(Reading(.motion, .flag(true)))
      field(.illuminance, offset, .u24le, body)
    case (0x1001, 3): miButton(self[offset + 2], body)
    case (0x1004, 2): field(.temperature, offset, .s16le, per: 10, body)
    case (0x1006, 2): field(.humidity, offset, .u16le, per: 10, body)
    case (0x1007, 3): field(.illuminance, offset, .u24le, body)
    case (0x1008, 1): field(.moisture, offset, .u8, body)
    case (0x1009, 2): field(.conductivity, offset, .u16le, body)
    case (0x100A, 1...): field(.batteryLevel, offset, .u8, body)
    case (0x100D, 4):
      field(.temperature, offset, .s16le, per: 10, body)
      field(.humidity, offset + 2, .u16le, per: 10, body)
    case (0x1012, 1): body(Reading(.powerOn, .flag(self[offset] != 0)))
    case (0x1014, 1): body(Reading(.moistureDetected, .flag(self[offset] != 0)))
    case (0x1015, 1): body(Reading(.smoke, .flag(self[offset] != 0)))
    // So many seconds without a motion.
    case (0x1017, 4): body(Reading(.motion, .flag(false)))
    case (0x1018, 1): body(Reading(.light, .flag(self[offset] != 0)))
    case (0x1019, 1): door(self[offset], body)
    default: break
    }
  }

  /// 0: open, 1: closed, 2: open for longer than it should be; others say nothing of it.
  private func door(_ state: UInt8, _ body: (Reading) -> Void) {
    if state < 3 { body(Reading(.opening, .flag(state != 1))) }
  }

  private func miButton(_ press: UInt8, _ body: (Reading) -> Void) {
    let event: ButtonEvent? =
      switch press {
      case 0: .press
      case 1: .doublePress
      case 2: .longPress
      case 3: .triplePress
      default: nil
      }
    if let event { body(Reading(.button, .button(event))) }
  }
}
