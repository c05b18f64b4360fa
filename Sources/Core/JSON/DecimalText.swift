/// The shortest decimal form of a number rounded half away from zero to at most this many decimals (0 to 9), for people: a dash
/// for infinity and "not a number".
public func decimal(_ number: Double, decimals: Int) -> String {
  guard number.isFinite else { return "–" }
  return String(utf8Capacity: decimalTextLimit) { $0.append(number, decimals: decimals) }
}

/// The longest decimal form of a number, in octets: Swift's own of a large one, `-1.7976931348623157e+308`. A 64-bit integer is
/// shorter.
package let decimalTextLimit = 24

extension OutputSpan<UInt8> {
  /// Appends the text of `decimal`; null for infinity and "not a number", which JSON does not have.
  ///
  /// Inlined: if the number of decimals is known at compile time, every divisor is a constant.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(_ number: Double, decimals: Int) {
    guard abs(number) < 1e9 else { return append(outOfScale: number) }
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = abs(number) * Double(scale)
    // The fraction that is cut off is exact, so this rounds as `rounded()` does, which would call the C library.
    var rounded = Int64(scaled)
    if scaled - Double(rounded) >= 0.5 { rounded += 1 }
    if number < 0, rounded != 0 { append(UInt8(ascii: "-")) }
    append(digits: UInt64(rounded / scale))
    var rest = rounded % scale
    if rest == 0 { return }
    append(UInt8(ascii: "."))
    while rest != 0 {
      rest *= 10
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / scale))
      rest %= scale
    }
  }

  @_lifetime(self: copy self)
  @usableFromInline
  mutating func append(outOfScale number: Double) {
    if number.isFinite { append(contentsOf: String(number).utf8.span) } else { append("null") }
  }

  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(_ number: Double?, decimals: Int) {
    if let number { append(number, decimals: decimals) } else { append("null") }
  }

  @_lifetime(self: copy self)
  package mutating func append(integer number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: UInt64(number.magnitude))
  }

  /// Appends a number's digits.
  @_lifetime(self: copy self)
  @inlinable
  package mutating func append(digits number: UInt64) {
    if number < 10 { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
    if number < 100 { return append(twoDigits: UInt32(truncatingIfNeeded: number)) }
    append(digits: number / 100)
    append(twoDigits: UInt32(truncatingIfNeeded: number % 100))
  }

  /// Appends the digits of a number below 100, the first of which may be 0.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(twoDigits number: UInt32) {
    let tens = number / 10
    let digits = UInt16(truncatingIfNeeded: tens | (number - 10 * tens) << 8)
    append(octetsOf: (digits + 0x3030).littleEndian)
  }
}
