/// Bytes in common notations: `02011a`, `02 01 1a`, `02:01:1A` or `0x02011a`.
public enum HexadecimalText {
  public enum Fault: Error, Hashable, Sendable {
    /// A character that is not a digit, with its position counted from 1.
    case notADigit(Character, at: Int)
    case oddDigits(Int)
  }

  public static func octets(_ text: some StringProtocol) throws(Fault) -> [UInt8] {
    var octets: [UInt8] = []
    var high: UInt8?
    var digits = 0
    let isPrefixed = text.hasPrefix("0x") || text.hasPrefix("0X")
    var position = isPrefixed ? 2 : 0
    for character in text.dropFirst(position) {
      position += 1
      if character == ":" || character == "-" || character.isWhitespace { continue }
      guard let ascii = character.asciiValue, let digit = hexadecimalDigit(ascii) else {
        throw .notADigit(character, at: position)
      }
      digits += 1
      if let first = high {
        octets.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { throw .oddDigits(digits) }
    return octets
  }
}

extension HexadecimalText.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notADigit(let character, let position):
      "\"\(character)\" at position \(position) is not a hexadecimal digit"
    case .oddDigits(let count): "\(count) hexadecimal digits: bytes have two each"
    }
  }
}

/// The value of one hexadecimal digit in ASCII, either case.
public func hexadecimalDigit(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// The lowest octets of a number, in lower case.
public func hexadecimal(_ value: UInt128, octets: Int) -> String {
  String(utf8Capacity: 2 * octets) { $0.append(hexadecimal: value, octets: octets) }
}

/// Two digits an octet, in lower case.
public func hexadecimal(_ octets: [UInt8]) -> String {
  String(utf8Capacity: 2 * octets.count) { text in
    for octet in octets { text.append(hexadecimal: UInt128(octet), octets: 1) }
  }
}

/// A UUID in the notation of RFC 9562, in lower case.
public func uuidText(_ uuid: UInt128) -> String {
  var digits = Array(hexadecimal(uuid, octets: 16))
  for position in [20, 16, 12, 8] { digits.insert("-", at: position) }
  return String(digits)
}

/// The octets of at least one pair of digits; nil if the text is anything else.
package func octets(hexadecimal text: some StringProtocol) -> [UInt8]? {
  let digits = text.utf8.map(hexadecimalDigit)
  guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
  var octets: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = digits[index], let low = digits[index + 1] else { return nil }
    octets.append(high << 4 | low)
  }
  return octets
}

extension OutputSpan<UInt8> {
  /// Appends the lowest octets of a number, in lower case.
  @_lifetime(self: copy self)
  package mutating func append(hexadecimal value: UInt128, octets: Int) {
    for shift in stride(from: 8 * octets - 4, through: 0, by: -4) {
      append(hexadecimalDigit: UInt8(truncatingIfNeeded: value >> UInt128(shift)) & 15)
    }
  }

  @_lifetime(self: copy self)
  package mutating func append(hexadecimalDigit nibble: UInt8) {
    append(nibble + (nibble < 10 ? 0x30 : 0x57))
  }
}

extension String {
  /// A text of at most this many octets of UTF-8, written in place: an array would need a second allocation.
  @inlinable @inline(__always)
  package init(utf8Capacity octets: Int, initializingWith write: (inout OutputSpan<UInt8>) -> Void) {
    unsafe self.init(unsafeUninitializedCapacity: octets) { room in
      var text = unsafe OutputSpan(buffer: room, initializedCount: 0)
      write(&text)
      return unsafe text.finalize(for: room)
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends 32 hexadecimal digits.
  @_lifetime(self: copy self)
  @inlinable
  package mutating func append(hexadecimal number: UInt128) {
    for shift in stride(from: 96, through: 0, by: -32) {
      append(hexadecimal: UInt32(truncatingIfNeeded: number >> UInt128(shift)))
    }
  }

  /// Appends eight hexadecimal digits, made at once: each in an octet of one word.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  mutating func append(hexadecimal number: UInt32) {
    var digits = UInt64(number)
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 for each of 10 and more: six more carry into the upper half of the octet.
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    append(octetsOf: (digits + 0x3030_3030_3030_3030 + letters * 0x27).bigEndian)
  }
}
