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
    sample: "151695fe5020aa01da0605040302010d1004d700c201", hottest: 200,
    products: Products(place: 2..<4, names: miProducts),
    refuse: { data in
      let control = data.littleEndian16(at: 0)
      // The frame has no objects.
      if control & 0x0040 == 0 { return .unknownFrameType(UInt8(truncatingIfNeeded: control)) }
      // The control is not authenticated from version 4 on, so a turned bit would pass.
      if !(2...5).contains(control &>> 12) { return .unsupportedVersion(UInt8(control &>> 12)) }
      // Nor are the bits that no device sets together with encryption: three without a meaning, 7: mesh, 9: it is to be added.
      if control & 0x0008 != 0, control & 0x0287 != 0 {
        return .invalidByte(data[control & 0x0087 == 0 ? 1 : 0], at: control & 0x0087 == 0 ? 1 : 0)
      }
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
      // The early nonce lacks an octet of it, so the tag says nothing of that.
      seal.isFromAnother = isEarly && address != 0 && sender != address
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
    let product = data.littleEndian16(at: 2)
    var offset = data.miObjects
    while offset + 3 <= data.count {
      let (type, length) = (data.littleEndian16(at: offset), Int(data[offset + 2]))
      offset += 3
      guard offset + length <= data.count else { return }
      data.miObject(type, of: product, offset, length, body)
      offset += length
    }
  }
}

/// Source: https://github.com/Bluetooth-Devices/xiaomi-ble, as of November 2026; https://home.miot-spec.com
private var miProducts: KeyValuePairs<UInt16, String> {
  [
    0x0083: "YM-K1501", 0x0098: "HHCCJCY01", 0x00DB: "MMC-T201-1", 0x0113: "YM-K1501EU", 0x0153: "YLYK01YL",
    0x015D: "HHCCPOT002", 0x01AA: "LYWSDCGQ", 0x02DF: "JQJCY01YM", 0x0347: "CGG1", 0x0380: "DSL-C08",
    0x0387: "MHO-C401", 0x0391: "MMC-W505", 0x03B6: "YLKG07YL, YLKG08YL", 0x03BC: "GCLS002",
    0x03BF: "YLYB01YL-BHFRC", 0x03D6: "CGH1", 0x03DD: "MUE4094RT", 0x040A: "WX08ZM", 0x045B: "LYWSD02",
    0x045C: "V-SK152", 0x0489: "M1S-T500", 0x04E1: "XMMF01JQD", 0x04E6: "YLYK01YL-VENFAN",
    0x04E9: "MJZNMSQ01YD", 0x055B: "LYWSD03MMC", 0x0576: "CGD1", 0x0599: "MJZNMS03LM", 0x066F: "CGDK2",
    0x068E: "YLYK01YL-FANCL", 0x069E: "ZNMS16LM", 0x069F: "ZNMS17LM", 0x06D3: "MHO-C303",
    0x0784: "XMZNMS04LM", 0x07BF: "YLAI003", 0x07F6: "MJYD02YL", 0x0806: "T700", 0x0863: "SJWS01LM",
    0x098B: "MCCGQ02HL", 0x098C: "XMZNMST02YD", 0x0997: "JTYJGD03MI", 0x09B0: "loock.safe.v1",
    0x0A83: "CGPR1", 0x0A8D: "RTCGQ02LM", 0x0B48: "CGG1", 0x0C3C: "CGC1", 0x0DE7: "SU001-T",
    0x0DFD: "K9B-3BTN", 0x0E39: "XMZNMS08LM", 0x11C2: "Lockin-SV40", 0x1203: "XMWSDJ04MMC",
    0x1568: "K9B-1BTN", 0x1569: "K9B-2BTN", 0x16E4: "LYWSD02MMC", 0x1790: "T700", 0x1889: "MS1BB(MI)",
    0x1949: "XMWXKG01YL", 0x1C10: "K9BB-1BTN", 0x2387: "XMWXKG01LM", 0x2542: "LYWSD02MMC",
    0x2832: "MJWSD05MMC", 0x2AEB: "HS1BB(MI)", 0x30D9: "MJTZC01YM", 0x3531: "XMPIRO2SXS",
    0x38BB: "PTX_YK1_QMIMB", 0x3A61: "KS1", 0x3BD5: "MJTZC01YM", 0x3E17: "KS1BP", 0x3F0F: "RS1BB(MI)",
    0x3F4C: "PS1BB", 0x45C9: "MJTZC02YM", 0x4683: "XMOSB01XS", 0x48CF: "MJTZC01YM", 0x4B05: "MJTZC03YM",
    0x4C04: "MJTZC02YM", 0x4C47: "MJWSD05MMC", 0x4C60: "XMPIRO2GSXS", 0x4DCB: "MJTZC02YM", 0x4F59: "CGDK3",
    0x4FC2: "MJTZC01YM", 0x50FB: "ES3", 0x520B: "KS2BB", 0x55B5: "MJWSD06MMC", 0x5968: "XMWS01XS",
    0x59FA: "M2457B1", 0x59FB: "M2456B1", 0x59FC: "M2456B1", 0x5BEA: "MJWSD06MMC", 0x5DB1: "MBS17",
    0x6188: "M2456B1", 0x6375: "SJWS02LM", 0x6A0F: "ES5BB", 0x7712: "zhiee.flood.sj01",
    0x78A3: "AFWXKG220000", 0x78D1: "MC-COMM", 0x78DB: "ESM787",
  ]
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

  fileprivate func miObject(
    _ type: UInt16, of product: UInt16, _ offset: Int, _ length: Int, _ body: (Reading) -> Void
  ) {
    switch (type, length) {
    case (0x0003, 1...): body(Reading(.motion, .flag(self[offset] != 0)))
    case (0x0007, 1...):
      // 3: somebody knocks, 4: somebody pries it open, 5: it is stuck.
      let state = self[offset]
      if state < 6 { body(Reading(.opening, .flag(state & 1 == 0))) }
      if state == 1 || state == 4 { body(Reading(.tamper, .flag(state == 4))) }
    case (0x000A, 2): field(.temperature, offset, .s16le, per: 100, body)
    // A lock: what happened, in the lower four bits; others are of a child lock, or of the bolt inside.
    case (0x000B, 9):
      switch self[offset] & 0x0F {
      case 0, 4, 15: body(Reading(.lock, .flag(true)))
      case 1, 5, 8: body(Reading(.lock, .flag(false)))
      default: break
      }
    case (0x0010, 2...): body(Reading(.running, .flag(self[offset] == 0)))
    case (0x000F, 3):
      body(Reading(.motion, .flag(true)))
      miLight(of: product, offset, body)
    case (0x1001, 3): miButton(of: product, self[offset], self[offset + 1], self[offset + 2], body)
    case (0x1004, 2): field(.temperature, offset, .s16le, per: 10, body)
    case (0x1005, 2):
      body(Reading(.powerOn, .flag(self[offset] != 0)))
      field(.temperature, offset + 1, .u8, body)
    case (0x1006, 2): field(.humidity, offset, .u16le, per: 10, body)
    case (0x1007, 3): miLight(of: product, offset, body)
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
    // The number of seconds without motion. It is first sent after three or five; Xiaomi's app counts up to
    // 30 as motion.
    case (0x1017, 4): body(Reading(.motion, .flag(littleEndian32(at: offset) <= 30)))
    case (0x1018, 1): body(Reading(.light, .flag(self[offset] != 0)))
    case (0x1019, 1): door(self[offset], body)
    case (0x101B, _): body(Reading(.motion, .flag(false)))
    case (0x3003, 1...): if self[offset] < 2 { body(Reading(.running, .flag(self[offset] == 0))) }
    case (0x4000..., _): miProperty(type, of: product, offset, length, body)
    default: break
    }
  }

  /// Some send lux. These three only know light from dark: 0, 1 or, of the first, 256; and 100.
  private func miLight(of product: UInt16, _ offset: Int, _ body: (Reading) -> Void) {
    switch product {
    case 0x0A8D, 0x07F6, 0x098B: body(Reading(.light, .flag(littleEndian24(at: offset) >= 100)))
    default: field(.illuminance, offset, .u24le, body)
    }
  }

  /// Newer devices number their properties and events in a list of their own. These numbers mean the same in all known devices.
  private func miProperty(
    _ type: UInt16, of product: UInt16, _ offset: Int, _ length: Int, _ body: (Reading) -> Void
  ) {
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
    case (0x487B, 1): body(Reading(.moistureDetected, ordinal: 2, .flag(first != 0)))
    case (0x4A68, 1):
      // Below, then above.
      if first < 4 { body(Reading(.moistureDetected, ordinal: first / 2 + 1, .flag(first & 1 == 0))) }
    case (0x483C, 1): body(Reading(.occupancy, .flag(first != 0)))
    // One of them clears with 2.
    case (0x484E, 1): body(Reading(.occupancy, .flag(product == 0x4683 ? first == 1 : first != 0)))
    // The number of seconds, or minutes, without motion.
    case (0x4818, 2): body(Reading(.motion, .flag(littleEndian16(at: offset) <= 30)))
    case (0x484F, 1): body(Reading(.motion, .flag(first == 0)))
    case (0x480C, 1): if first < 2 { body(Reading(.opening, .flag(first == 0))) }
    case (0x4804, 1), (0x4A12, 1):
      if 1...2 ~= first { body(Reading(.opening, .flag(first == 1))) }
      if first == 2 { body(Reading(.tamper, .flag(false))) }
    case (0x4A0F, 1), (0x4A1A, 1):
      if first == 1 { body(Reading(.opening, .flag(true))) }
      // It was torn off.
      if first == 1, type == 0x4A0F { body(Reading(.tamper, .flag(true))) }
    case (0x4A13, 1): if first == 1 { body(Reading(.button, .button(.press))) }
    case (0x4A01, 1), (0x4E01, 1), (0x5601, 1): body(Reading(.batteryLow, .flag(first != 0)))
    case (0x4E16, 1): if first == 1 { body(Reading(.occupancy, .flag(true))) }
    case (0x4E17, 1): if first == 1 { body(Reading(.occupancy, .flag(false))) }
    case (0x4A0C, ...1), (0x560C, ...1), (0x4E0C, ...1): miPress(.press, of: product, first, body)
    case (0x4A0D, ...1), (0x560D, ...1), (0x4E0D, ...1): miPress(.doublePress, of: product, first, body)
    case (0x4A0E, ...1), (0x560E, ...1), (0x4E0E, ...1): miPress(.longPress, of: product, first, body)
    // A scale, without a weight if somebody stepped down.
    case (0x4E16, 9):
      let mass = Double(littleEndian32(at: offset + 1)) / 100
      if mass > 0 { body(Reading(.massKilograms, mass)) }
    case (0x6E16, 9):
      let word = littleEndian32(at: offset + 1)
      let (mass, pulse) = (word & 0x7FF, word >> 11 & 0x7F)
      if mass != 0, mass != 0x7FF { body(Reading(.massKilograms, Double(mass) / 10)) }
      if pulse != 0, pulse != 0x7F { body(Reading(.heartRate, Double(pulse + 50))) }
    case (0x5A16, 1):
      if 1...2 ~= first { body(Reading(.occupancy, .flag(first == 1))) }
      if first == 3 { body(Reading(.button, .button(.doublePress))) }
    default: break
    }
  }

  /// Which key it was depends on the product: XMWS01XS counts from 0; KS1 and KS1BP from 1, as XMWXKG01YL, of which 3 is both; K9BB
  /// sends its other presses with the same number.
  private func miPress(
    _ event: ButtonEvent, of product: UInt16, _ first: UInt8, _ body: (Reading) -> Void
  ) {
    switch (product, first) {
    case (0x5968, 0...1): body(Reading(.button, ordinal: first + 1, .button(event)))
    case (0x3A61, 1...4), (0x3E17, 1...4), (0x1949, 1...2):
      body(Reading(.button, ordinal: first, .button(event)))
    case (0x1949, 3):
      body(Reading(.button, .button(event)))
      body(Reading(.button, ordinal: 2, .button(event)))
    case (0x1C10, 8): body(Reading(.button, .button(.longPress)))
    case (0x1C10, 15): body(Reading(.button, .button(.doublePress)))
    // No such key, or, of K9BB, no press that is known.
    case (0x5968, _), (0x1949, _), (0x3A61, 5...), (0x3E17, 5...), (0x1C10, 2...): break
    default: body(Reading(.button, .button(event)))
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
  private func miButton(
    of product: UInt16, _ first: UInt8, _ second: UInt8, _ kind: UInt8, _ body: (Reading) -> Void
  ) {
    let button = second == 0 && first < 16 ? first + 1 : 1
    let keys: UInt8
    switch product {
    // A cube that was turned.
    case 0x04E1:
      return body(Reading(.dimmer, .dimmer(first == 0 ? .rotateRight(steps: 1) : .rotateLeft(steps: 1))))
    // K9B with one, two and three keys: which were pressed together, as bits.
    case 0x1568: keys = 0b1
    case 0x1569 where first < 3: keys = first + 1
    case 0x0DFD where first < 7: keys = UInt8(0x756_3421 &>> (4 * UInt32(first)) & 7)
    default: keys = 0
    }
    if keys != 0, kind < 3 {
      let event: ButtonEvent = kind == 0 ? .press : kind == 1 ? .longPress : .doublePress
      for key in 0..<3 as Range<UInt8> where keys &>> key & 1 != 0 {
        body(Reading(.button, ordinal: key + 1, .button(event)))
      }
      return
    }
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
