/// Eddystone-URL: service data of 0xFEAA.
///
///     0   frame type      1  0x10
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   scheme          1  0 http://www. 1 https://www. 2 http:// 3 https://
///     3   URL        0 … 17  ASCII; 0x00–0x0D stand for .com/ .org/ … .gov
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-url
public struct EddystoneURL: Hashable, Sendable {
  /// RSSI at 0 m in dBm.
  public var txPower: Int8
  /// Scheme and compressed URL, as sent, right-aligned; unused high octets are zero.
  public var high: UInt32
  public var low: UInt128
  /// How many octets are used, 1 … 18.
  public var length: UInt8

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneURL {
    guard data.count >= 3 else { throw .wrongLength(expected: 3, got: data.count) }
    guard data.count <= 20 else { throw .wrongLength(expected: 20, got: data.count) }
    guard data[2] < schemes.count else { throw .invalidByte(data[2], at: 2) }
    var high: UInt32 = 0
    var low: UInt128 = 0
    for offset in 2..<data.count {
      let byte = data[offset]
      if offset > 2 {
        guard byte < 0x0E || (0x21...0x7E).contains(byte) else { throw .invalidByte(byte, at: offset) }
      }
      high = high << 8 | UInt32(truncatingIfNeeded: low >> 120)
      low = low << 8 | UInt128(byte)
    }
    return EddystoneURL(
      txPower: data.signed8(at: 1), high: high, low: low, length: UInt8(data.count - 2))
  }

  /// The expanded URL.
  public var url: String {
    var text = ""
    for index in stride(from: Int(length) - 1, through: 0, by: -1) {
      let byte: UInt8 =
        index >= 16
        ? UInt8(truncatingIfNeeded: high >> UInt32(8 * (index - 16)))
        : UInt8(truncatingIfNeeded: low >> UInt128(8 * index))
      if index == Int(length) - 1 {
        text += Self.schemes[Int(byte)]
      } else if byte < Self.expansions.count {
        text += Self.expansions[Int(byte)]
      } else {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }

  /// Whether somebody can send this: told by others, it may be anything.
  static func isPossible(high: UInt32, low: UInt128, length: UInt8) -> Bool {
    guard (1...18).contains(length) else { return false }
    let first =
      length > 16 ? high >> (8 * (UInt32(length) - 17)) : UInt32(low >> (8 * UInt128(length - 1)) & 0xFF)
    return first & 0xFF < schemes.count
  }

  static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  static let expansions = [
    ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
    ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
  ]
}
