extension Span<UInt8> {
  /// Whether none of these octets needs an escape in JSON, as in nearly every name.
  @inlinable
  package var isPlainInJSON: Bool {
    for index in indices where self[index].needsEscape { return false }
    return true
  }
}

/// The largest number of octets that one octet needs in JSON.
@inlinable
package func escapeLimit(isPlain: Bool) -> Int { isPlain ? 1 : 6 }

extension OutputSpan<UInt8> {
  /// Appends a text in quotes.
  ///
  /// - Parameter isPlain: `isPlainInJSON` of the text, which the caller already knows, because it reserved room by it.
  @_lifetime(self: copy self)
  mutating func append(quoted text: String.UTF8View, isPlain: Bool) {
    append(quoted: text.span, isPlain: isPlain)
  }

  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(quoted text: Span<UInt8>, isPlain: Bool) {
    append(UInt8(ascii: "\""))
    if isPlain { append(contentsOf: text) } else { append(escaped: text) }
    append(UInt8(ascii: "\""))
  }

  @_lifetime(self: copy self)
  @usableFromInline
  mutating func append(escaped text: Span<UInt8>) {
    for index in text.indices {
      let unit = text[index]
      if unit.needsEscape { append(UInt8(ascii: "\\")) }
      if unit.needsEscape, unit < 0x20 || unit == 0x7F {
        append("u00")
        append(hexadecimalDigit: unit >> 4)
        append(hexadecimalDigit: unit & 15)
      } else {
        append(unit)
      }
    }
  }
}

extension UInt8 {
  @inlinable
  var needsEscape: Bool {
    self < 0x20 || self == 0x7F || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}
