/// Bytes in common notations: `02011a`, `02 01 1a`, `02:01:1A` or `0x02011a`.
public enum HexadecimalText {
  public enum Fault: Error, Hashable, Sendable {
    /// Not a digit, and its position counted from 1.
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
