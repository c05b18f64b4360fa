import Core

/// BTHome's first version: service data of 0x181C, and encrypted of 0x181E. The ids of its objects and their units are those of
/// version 2, but each says its length and its coding. Little endian.
///
///     0   header   1  lower five bits: octets that follow; upper three: 0, 5: unsigned, 1: signed, 2: IEEE 754, 3: text, 4: an address
///     1   object   1  none before an address
///     2   value    …
///
/// Encrypted objects are followed by a counter (4) and a tag (4). The nonce is address (6, most significant octet first), 0x1E, 0x18
/// and the counter; one octet, 0x11, is authenticated besides.
///
/// Source: https://bthome.io/v1
extension SensorFormat {
  static let bthome1: [SensorFormat] = [
    SensorFormat(
      "bthome-v1", model: "BTHome 1", in: .service(0x181C), .atLeast(3), sample: "0b161c182302ca090303bf13",
      isExact: true,
      // User Data has the same number.
      refuse: { $0.forEachObjectOfBTHome1 { _, _, _ in } ? nil : .invalidByte($0[0], at: 0) }
    ) { data, body in data.bthome1(body) },
    SensorFormat(
      "bthome-v1", model: "BTHome 1", in: .service(0x181E), .atLeast(11),
      sample: "13161e18fba435e4d3c312fb0011223357d90a99", isExact: true,
      seal: { data, address in
        let end = data.count - 8
        var seal = Seal(
          text: 0..<end, tag: data.bigEndian32(at: end + 4), counter: data.littleEndian32(at: end),
          head: 0..<0)
        seal.associated = 0x11
        seal.salt(address, isReversed: false)
        seal.salt(0x1E)
        seal.salt(0x18)
        seal.salt(data, end..<end + 4)
        return seal
      }
    ) { data, body in data.bthome1(body) },
  ]
}

extension Span<UInt8> {
  /// Visits the objects.
  ///
  /// - Returns: whether they fill the data, and each is known.
  fileprivate func forEachObjectOfBTHome1(
    _ body: (_ coding: UInt8, BTHomeObject, _ value: Range<Int>) -> Void
  ) -> Bool {
    var offset = 0
    while offset < count {
      let (coding, end) = (self[offset] &>> 5, offset + 1 + Int(self[offset] & 0x1F))
      guard end <= count, coding < 6 else { return false }
      if coding == 4 {
        guard end == offset + 7 else { return false }
      } else {
        guard offset + 2 < end, let object = BTHomeObject(id: self[offset + 1]) else { return false }
        body(coding, object, offset + 2..<end)
      }
      offset = end
    }
    return true
  }

  fileprivate func bthome1(_ body: (Reading) -> Void) {
    var ordinals = Ordinals()
    _ = forEachObjectOfBTHome1 { coding, object, value in
      let ordinal = ordinals.next(object.quantity)
      switch object.kind {
      case .unsigned(let divisor), .signed(let divisor):
        guard let number = number(coding, value) else { return }
        let reading = Reading(object.quantity, ordinal: ordinal, .number(number / Double(divisor)))
        // More than a hundred percent is no reading, as in version 2.
        if object.quantity.plausible != 0...100 || reading.isPlausible() { body(reading) }
      case .flag, .button, .dimmer:
        guard value.count == Int(object.length), let event = object.reading(in: self, value) else { return }
        body(Reading(object.quantity, ordinal: ordinal, event))
      default: break
      }
    }
  }

  /// nil: the value is no number.
  private func number(_ coding: UInt8, _ range: Range<Int>) -> Double? {
    guard range.count <= 8 else { return nil }
    var bits: UInt64 = 0
    for offset in range.reversed() { bits = bits << 8 | UInt64(self[offset]) }
    switch (coding, range.count) {
    case (0, 1...6), (5, 1...6): return Double(bits)
    case (1, 1...6):
      let unused = 64 - 8 * Int64(range.count)
      return Double((Int64(bitPattern: bits) &<< unused) &>> unused)
    case (2, 2): return finite(Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits))))
    case (2, 4): return finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case (2, 8): return finite(Double(bitPattern: bits))
    default: return nil
    }
  }

  private func finite(_ number: Double) -> Double? { number.isFinite ? number : nil }
}
