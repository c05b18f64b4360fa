/// A JSON number as it is written: digits × 10^exponent. No floating point, so that a timestamp keeps its
/// nanoseconds and two machines agree.
package struct JSONNumber: Equatable {
  package var isNegative = false
  /// At most 19 significant digits; further ones are dropped, which changes nothing that fits an `Int64` of
  /// nanoseconds.
  package var digits: UInt64 = 0
  package var exponent = 0

  /// The number × 10^power, rounded half away from zero; nil when it does not fit.
  package func scaled(byPowerOf10 power: Int) -> Int64? {
    guard digits != 0 else { return 0 }
    var magnitude = digits
    var shift = exponent + power
    while shift > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      magnitude = product
      shift -= 1
    }
    if shift < -19 { return 0 }
    if shift < 0 {
      var divisor: UInt64 = 1
      for _ in shift..<0 { divisor *= 10 }
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: divisor)
      magnitude = quotient + (remainder >= divisor - remainder ? 1 : 0)
    }
    guard let value = Int64(exactly: magnitude) else { return nil }
    return isNegative ? -value : value
  }

  /// The number if it is whole and fits.
  package var wholeNumber: Int64? {
    guard let value = scaled(byPowerOf10: 0) else { return nil }
    let again = JSONNumber(isNegative: value < 0, digits: value.magnitude, exponent: 0)
    return again.scaled(byPowerOf10: 6) == scaled(byPowerOf10: 6) ? value : nil
  }
}

extension JSONCursor {
  /// The longest number that is read as floating point, characters.
  private static let longestNumber = 40

  /// A number as floating point, if no more precision is needed.
  mutating func double(_ bytes: Span<UInt8>) throws(Malformed) -> Double {
    _ = peek(bytes)
    let start = position
    _ = try number(bytes)
    var digits = ""
    if position - start <= Self.longestNumber {
      for index in start..<position { digits.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    }
    guard let number = Double(digits), number.isFinite else {
      throw Malformed(offset: start, message: "the number is too long or too large")
    }
    return number
  }

  package mutating func number(_ bytes: Span<UInt8>) throws(Malformed) -> JSONNumber {
    var number = JSONNumber()
    number.isNegative = take("-", bytes)
    let start = position
    var significant = 0
    var hasPoint = false
    var digitsBeforePoint = 0
    scan: while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if significant < 19 {
          number.digits = number.digits * 10 + UInt64(byte & 0x0F)
          if number.digits != 0 { significant += 1 }
          if hasPoint { number.exponent -= 1 }
        } else if !hasPoint {
          number.exponent += 1
        }
        if !hasPoint { digitsBeforePoint += 1 }
      case UInt8(ascii: ".") where !hasPoint && position > start: hasPoint = true
      default: break scan
      }
      position += 1
    }
    guard digitsBeforePoint > 0, bytes[position - 1] != UInt8(ascii: ".") else {
      let isText = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      throw malformed(isText ? "a number belongs here, without quotes" : "a value belongs here")
    }
    guard digitsBeforePoint == 1 || bytes[start] != UInt8(ascii: "0") else {
      throw Malformed(offset: start, message: "a number cannot begin with 0")
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      try readExponent(bytes, into: &number)
    }
    return number
  }

  private mutating func readExponent(
    _ bytes: Span<UInt8>, into number: inout JSONNumber
  ) throws(Malformed) {
    var isNegative = false
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    let start = position
    var exponent = 0
    while position < bytes.count, case let digit = bytes[position] ^ 0x30, digit < 10 {
      // With a larger exponent nothing fits any more, so further digits change nothing.
      exponent = min(exponent * 10 + Int(digit), 10_000)
      position += 1
    }
    guard position > start else { throw malformed("the exponent has no digits") }
    number.exponent += isNegative ? -exponent : exponent
  }
}
