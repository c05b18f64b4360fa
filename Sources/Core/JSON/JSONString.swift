/// Turns the raw bytes of a JSON string into text.
package enum JSONString {
  package static func decode(
    _ range: Range<Int>, of line: Span<UInt8>
  ) throws(JSONCursor.Malformed) -> String {
    let raw = line.extracting(range)
    if !raw.indices.contains(where: { raw[$0] == UInt8(ascii: "\\") }) {
      do throws(UTF8.ValidationError) { return String(copying: try UTF8Span(validating: raw)) } catch {
        throw notUnicode(range)
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      guard line[index] == UInt8(ascii: "\\") else {
        bytes.append(line[index])
        index += 1
        continue
      }
      // The cursor has checked that a byte follows.
      switch line[index + 1] {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(line[index + 1])
      case UInt8(ascii: "u"):
        let scalar = try unicodeEscape(line.extracting(index..<range.upperBound), at: &index)
        bytes.append(contentsOf: String(scalar).utf8)
        continue
      default: throw JSONCursor.Malformed(offset: index, message: "an unknown escape in a string")
      }
      index += 2
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw notUnicode(range) }
    return text
  }

  private static func notUnicode(_ range: Range<Int>) -> JSONCursor.Malformed {
    JSONCursor.Malformed(offset: range.lowerBound, message: "the string is not valid UTF-8")
  }

  /// `\uXXXX`, or two of them for a surrogate pair; moves `index` behind them.
  private static func unicodeEscape(
    _ bytes: Span<UInt8>, at index: inout Int
  ) throws(JSONCursor.Malformed) -> Unicode.Scalar {
    let malformed = JSONCursor.Malformed(offset: index, message: "a \\u escape that is no character")
    guard let first = codeUnit(bytes, at: 0) else { throw malformed }
    if let scalar = Unicode.Scalar(first) {
      index += 6
      return scalar
    }
    guard (0xD800..<0xDC00).contains(first), let second = codeUnit(bytes, at: 6),
      (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + UInt32(first - 0xD800) << 10 + UInt32(second - 0xDC00))
    else { throw malformed }
    index += 12
    return scalar
  }

  private static func codeUnit(_ bytes: Span<UInt8>, at offset: Int) -> UInt16? {
    guard bytes.count - offset >= 6, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt16 = 0
    for index in offset + 2..<offset + 6 {
      guard let digit = hexadecimalDigit(bytes[index]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
