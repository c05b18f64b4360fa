/// The shortest decimal form of a number rounded half away from zero to at most so many decimals (0 to 9); nil where
/// that is no number that JSON could hold.
public func decimal(_ number: Double, decimals: Int) -> String? {
  var text: [UInt8] = []
  return text.append(number, decimals: decimals) ? String(decoding: text, as: UTF8.self) : nil
}

extension [UInt8] {
  /// Appends what `decimal` tells; false, and nothing appended, where that is nil.
  mutating func append(_ number: Double, decimals: Int) -> Bool {
    guard number.isFinite else { return false }
    guard abs(number) < 1e9 else {
      append(contentsOf: String(number).utf8)
      return true
    }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((number * Double(scale)).rounded())
    if scaled < 0 { append(UInt8(ascii: "-")) }
    append(digits: scaled.magnitude / scale)
    var fraction = scaled.magnitude % scale
    guard fraction != 0 else { return true }
    append(UInt8(ascii: "."))
    while fraction != 0 {
      scale /= 10
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / scale))
      fraction %= scale
    }
    return true
  }

  /// Appends a number's digits, at least `width` of them.
  mutating func append(digits number: UInt64, width: Int = 1) {
    var unit: UInt64 = 1
    for _ in 1..<width { unit *= 10 }
    while number / unit >= 10 { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
      unit /= 10
    }
  }
}
