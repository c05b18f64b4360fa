/// The shortest decimal form of a number rounded half away from zero to at most so many decimals (0 to 9); nil where
/// that is no number that JSON could hold.
public func decimal(_ number: Double, decimals: Int) -> String? {
  guard number.isFinite else { return nil }
  let text = [UInt8](capacity: decimalTextLimit) { $0.append(number, decimals: decimals) }
  return String(decoding: text, as: UTF8.self)
}

/// The octets that a number's decimal form takes at most; Swift's own of a large one, `-1.7976931348623157e+308`, takes 24.
let decimalTextLimit = 32

extension OutputSpan<UInt8> {
  /// Appends what `decimal` tells of a finite number.
  mutating func append(_ number: Double, decimals: Int) {
    guard abs(number) < 1e9 else { return append(contentsOf: String(number).utf8.span) }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((number * Double(scale)).rounded())
    if scaled < 0 { append(UInt8(ascii: "-")) }
    let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: scale)
    append(digits: whole)
    guard fraction != 0 else { return }
    append(UInt8(ascii: "."))
    var (digits, places) = (fraction, decimals)
    while digits.isMultiple(of: 10) {
      digits /= 10
      places -= 1
    }
    append(digits: digits, width: places)
  }

  /// Appends a number's digits, at least `width` of them.
  mutating func append(digits number: UInt64, width: Int = 1) {
    if number < 10, width == 1 { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var (first, rest) = (20, number)
    while rest > 0 {
      first -= 1
      digits[first] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    append(contentsOf: digits.span.extracting(min(first, 20 - width)..<20))
  }
}
