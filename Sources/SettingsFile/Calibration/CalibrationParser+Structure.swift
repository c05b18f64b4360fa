import JSON

/// Objects, arrays and numbers within bounds.
extension CalibrationParser {
  /// The name of an object's next member; nil at its end. `first` is true before the first call.
  mutating func nextKey(_ first: inout Bool) throws(Malformed) -> String? {
    guard try next(&first, "{", "}") else { return nil }
    let key = try string()
    try expect(":", "a colon belongs after the name")
    return key
  }

  /// Whether another element of an array follows.
  mutating func nextElement(_ first: inout Bool) throws(Malformed) -> Bool { try next(&first, "[", "]") }

  private mutating func next(
    _ first: inout Bool, _ open: Unicode.Scalar, _ close: Unicode.Scalar
  ) throws(Malformed) -> Bool {
    let bytes = bytes
    if first { try expect(open, "\(open) belongs here") }
    if cursor.take(close, bytes.span) { return false }
    if !first { try expect(",", "a comma or \(close) belongs here") }
    first = false
    return true
  }

  mutating func optionalNumber(in range: ClosedRange<Double>) throws(Malformed) -> Double? {
    takeNull() ? nil : try number(in: range)
  }

  /// With at most six decimals; further ones are rounded.
  mutating func number(in range: ClosedRange<Double>) throws(Malformed) -> Double {
    let bytes = bytes
    _ = cursor.peek(bytes.span)
    let start = cursor.position
    guard let millionths = try cursor.number(bytes.span).scaled(byPowerOf10: 6),
      case let number = Double(millionths) / 1e6, range.contains(number)
    else {
      throw Malformed(
        offset: start, message: "the number is not from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func expect(_ character: Unicode.Scalar, _ message: String) throws(Malformed) {
    let bytes = bytes
    try cursor.expect(character, bytes.span, message)
  }

  mutating func string() throws(Malformed) -> String {
    let bytes = bytes
    return try JSONString.decode(cursor.string(bytes.span), of: bytes.span)
  }

  mutating func takeNull() -> Bool {
    let bytes = bytes
    return cursor.takeWord("null", bytes.span)
  }

  mutating func skipValue() throws(Malformed) {
    let bytes = bytes
    try cursor.skipValue(bytes.span)
  }

  mutating func isAtEnd() -> Bool {
    let bytes = bytes
    return cursor.peek(bytes.span) == nil
  }
}
