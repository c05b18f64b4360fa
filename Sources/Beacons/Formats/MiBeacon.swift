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
/// The objects may be encrypted, followed by
///
///     …   counter     3  the more significant octets
///     …   tag         4; before version 4: 1
///
/// The nonce is address (6, least significant octet first), product, counter, counter (3). Before version 4 it is control,
/// product, counter, counter (3), and the lower five octets of the address; the key has 12 octets, and the tag is the first octet
/// of one of 16. No description mentions that tag; it was found by trying, and is right in all captures known to us.
///
/// Source: https://github.com/custom-components/ble_monitor/wiki; https://home.miot-spec.com (products);
/// https://iot.mi.com/new/doc/accesses/direct-access/embedded-development/ble/ble-mibeacon
extension SensorFormat {
  static let miBeacon = SensorFormat(
    "mibeacon", maker: "Xiaomi", model: "Xiaomi sensor", in: .service(0xFE95), .atLeast(5),
    sample: "151695fe5020aa01da0605040302010d1004d700c201",
    refuse: { data in
      let control = data.littleEndian16(at: 0)
      // The frame has no objects.
      if control & 0x0040 == 0 { return .unknownFrameType(UInt8(truncatingIfNeeded: control)) }
      return control & 0x0008 == 0 || data.miSealEnd > data.miObjects ? nil : .encrypted
    },
    seal: { data, address in
      let control = data.littleEndian16(at: 0)
      let (start, end) = (data.miObjects, data.miSealEnd)
      guard control & 0x0008 != 0, start < end else { return nil }
      let isEarly = control &>> 12 < 4
      var seal = Seal(
        text: start..<end, tag: isEarly ? UInt32(data[end + 3]) : data.bigEndian32(at: end + 3),
        counter: data.littleEndian24(at: end) << 8 | UInt32(data[4]), head: 0..<start)
      (seal.sealedBits, seal.associated) = (0x08, 0x11)
      let hasAddress = control & 0x0010 != 0
      let sender = hasAddress ? data.littleEndian48(at: 5) : address
      if isEarly {
        seal.tellsLength = 2
        seal.salt(data, 0..<5)
        seal.salt(data, end..<end + 3)
        seal.salt(sender, isReversed: true)
      } else {
        seal.salt(sender, isReversed: true)
        seal.salt(data, 2..<5)
        seal.salt(data, end..<end + 3)
      }
      return seal
    },
    details: { data, body in
      body("version", .number(Int(data[1] &>> 4)))
      body("product", .text("0x" + hexadecimal(UInt128(data.littleEndian16(at: 2)), octets: 2)))
    }
  ) { data, body in
    data.field(.packetID, 4, .u8, body)
    var offset = data.miObjects
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
  /// Where the objects begin.
  fileprivate var miObjects: Int {
    let control = littleEndian16(at: 0)
    let offset = control & 0x0010 == 0 ? 5 : 11
    guard control & 0x0020 != 0, offset < count else { return offset }
    return offset + (self[offset] & 0x20 == 0 ? 1 : 2)
  }

  /// Where encrypted objects end.
  fileprivate var miSealEnd: Int { count - (littleEndian16(at: 0) &>> 12 < 4 ? 4 : 7) }

  fileprivate func miObject(_ type: UInt16, _ offset: Int, _ length: Int, _ body: (Reading) -> Void) {
    switch (type, length) {
    case (0x0003, 1...): body(Reading(.motion, .flag(self[offset] != 0)))
    case (0x0007, 1...): door(self[offset], body)
    case (0x000A, 2): field(.temperature, offset, .s16le, per: 100, body)
    case (0x0010, 2...): body(Reading(.running, .flag(self[offset] == 0)))
    case (0x000F, 3):
      body(Reading(.motion, .flag(true)))
      field(.illuminance, offset, .u24le, body)
    case (0x1001, 3): miButton(self[offset], self[offset + 1], self[offset + 2], body)
    case (0x1004, 2): field(.temperature, offset, .s16le, per: 10, body)
    case (0x1006, 2): field(.humidity, offset, .u16le, per: 10, body)
    case (0x1007, 3): field(.illuminance, offset, .u24le, body)
    case (0x1008, 1): field(.moisture, offset, .u8, body)
    case (0x1009, 2): field(.conductivity, offset, .u16le, body)
    case (0x100A, 1...): field(.batteryLevel, offset, .u8, body)
    case (0x100D, 4):
      field(.temperature, offset, .s16le, per: 10, body)
      field(.humidity, offset + 2, .u16le, per: 10, body)
    case (0x1010, 2): field(.formaldehyde, offset, .u16le, per: 100, body)
    case (0x1012, 1): body(Reading(.powerOn, .flag(self[offset] != 0)))
    case (0x1014, 1): body(Reading(.moistureDetected, .flag(self[offset] != 0)))
    case (0x1015, 1): body(Reading(.smoke, .flag(self[offset] != 0)))
    // So many seconds without a motion.
    case (0x1017, 4): body(Reading(.motion, .flag(false)))
    case (0x1018, 1): body(Reading(.light, .flag(self[offset] != 0)))
    case (0x1019, 1): door(self[offset], body)
    case (0x4000..., _): miProperty(type, offset, length, body)
    default: break
    }
  }

  /// Newer devices number their properties and events in a list of their own. These numbers mean the same in all known devices.
  private func miProperty(_ type: UInt16, _ offset: Int, _ length: Int, _ body: (Reading) -> Void) {
    // Some devices send no more than that a button was pressed.
    let first = length > 0 ? self[offset] : 1
    switch (type, length) {
    case (0x4801, 4), (0x4C01, 4): float(.temperature, offset, body)
    case (0x4802, 1), (0x4C02, 1): body(Reading(.humidity, .number(Double(first))))
    case (0x4808, 4), (0x4C08, 4): float(.humidity, offset, body)
    case (0x4803, 1), (0x4C03, 1), (0x5003, 1), (0x5403, 1):
      body(Reading(.batteryLevel, .number(Double(first))))
    case (0x4805, 4): float(.illuminance, offset, body)
    case (0x4A08, 4):
      body(Reading(.motion, .flag(true)))
      float(.illuminance, offset, body)
    case (0x4806, 1): body(Reading(.moistureDetected, .flag(first != 0)))
    case (0x484E, 1): body(Reading(.occupancy, .flag(first != 0)))
    // So many seconds, or minutes, without a motion.
    case (0x4818, 2): body(Reading(.motion, .flag(littleEndian16(at: offset) == 0)))
    case (0x484F, 1): body(Reading(.motion, .flag(first == 0)))
    case (0x4804, 1), (0x4A12, 1): if 1...2 ~= first { body(Reading(.opening, .flag(first == 1))) }
    case (0x4A0F, 1), (0x4A1A, 1): if first == 1 { body(Reading(.opening, .flag(true))) }
    case (0x4A01, 1), (0x4E01, 1), (0x5601, 1): body(Reading(.batteryLow, .flag(first != 0)))
    case (0x4E16, 1): if first == 1 { body(Reading(.occupancy, .flag(true))) }
    case (0x4E17, 1): if first == 1 { body(Reading(.occupancy, .flag(false))) }
    case (0x4A0C, ...1), (0x560C, ...1), (0x4E0C, ...1):
      // One kind of switch sends its other presses with the same number.
      body(Reading(.button, .button(first == 8 ? .longPress : first == 15 ? .doublePress : .press)))
    case (0x4A0D, ...1), (0x560D, ...1), (0x4E0D, ...1): body(Reading(.button, .button(.doublePress)))
    case (0x4A0E, ...1), (0x560E, ...1), (0x4E0E, ...1): body(Reading(.button, .button(.longPress)))
    case (0x5A16, 1):
      if 1...2 ~= first { body(Reading(.occupancy, .flag(first == 1))) }
      if first == 3 { body(Reading(.button, .button(.doublePress))) }
    default: break
    }
  }

  /// A number of IEEE 754, in hundredths.
  private func float(_ quantity: Quantity, _ offset: Int, _ body: (Reading) -> Void) {
    let number = Double(Float(bitPattern: littleEndian32(at: offset)))
    if number.isFinite { body(Reading(quantity, (number * 100).rounded() / 100)) }
  }

  /// 0: open, 1: closed, 2: open for longer than it should be; others say nothing of it.
  private func door(_ state: UInt8, _ body: (Reading) -> Void) {
    if state < 3 { body(Reading(.opening, .flag(state != 1))) }
  }

  /// A button or a knob. The second octet says how often or how long it was pressed, or how far it was turned. The first octet is
  /// the button's number, or how far the knob was turned while pressed, which is a second dimmer here.
  private func miButton(_ first: UInt8, _ second: UInt8, _ kind: UInt8, _ body: (Reading) -> Void) {
    let button = second == 0 && first < 16 ? first + 1 : 1
    switch (kind, first, second) {
    case (0, _, _), (5, _, _): body(Reading(.button, ordinal: button, .button(.press)))
    case (1, _, _): body(Reading(.button, ordinal: button, .button(.doublePress)))
    case (2, _, _), (6, _, _), (3, 1, 1...): body(Reading(.button, ordinal: button, .button(.longPress)))
    case (3, _, 0): body(Reading(.button, ordinal: button, .button(.triplePress)))
    case (3, 0, 1...3):
      let presses: ButtonEvent = second == 1 ? .press : second == 2 ? .doublePress : .triplePress
      body(Reading(.button, .button(presses)))
    case (4, 0, 1...): body(Reading(.dimmer, .dimmer(turn(second))))
    case (4, 1..., _): body(Reading(.dimmer, ordinal: 2, .dimmer(turn(first))))
    default: break
    }
  }

  private func turn(_ steps: UInt8) -> DimmerEvent {
    steps < 128 ? .rotateRight(steps: steps) : .rotateLeft(steps: 0 &- steps)
  }
}
