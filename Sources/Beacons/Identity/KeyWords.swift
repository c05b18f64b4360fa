/// The words of a beacon's key, from the first to the last. One space stands between two.
struct KeyWords: ~Escapable {
  private let text: Span<UInt8>
  private var place = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { place == text.count }

  /// Passes a word that is not the last; false, and stays, if another is next.
  @_lifetime(self: copy self)
  mutating func skip(_ word: StaticString) -> Bool {
    let end = place + word.utf8CodeUnitCount
    guard end < text.count, text[end] == UInt8(ascii: " ") else { return false }
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe word.utf8Start[offset] == text[place + offset] else { return false }
    }
    place = end + 1
    return true
  }

  /// The next word; nil if it is no number, or too large.
  @_lifetime(self: copy self)
  mutating func number<Value: FixedWidthInteger>(radix: Value = 10) -> Value? {
    var value: Value = 0
    let start = place
    while place < text.count, text[place] != UInt8(ascii: " ") {
      guard let digit = hexadecimalDigit(text[place]), digit < radix else { return nil }
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: radix)
      let (sum, isLarger) = product.addingReportingOverflow(Value(digit))
      guard !isTooLarge, !isLarger else { return nil }
      value = sum
      place += 1
    }
    guard place > start else { return nil }
    // A space at the end of the key has nothing behind it.
    if place < text.count - 1 { place += 1 }
    return value
  }
}
