extension WallTime {
  /// Reads RFC 3339: `2026-11-20T21:50:03.120Z` or `2026-11-20 22:50:03+01:00`; nil for anything else, for days that do not
  /// exist, and for years before 1678 or after 2261, which do not fit in 64 bits of nanoseconds. Decimals below a nanosecond
  /// are cut off; a leap second counts as the second after it.
  public init?(rfc3339 text: some StringProtocol) {
    let bytes = Array(text.utf8)
    var position = 0
    func digits(_ count: Int) -> Int? {
      guard position + count <= bytes.count else { return nil }
      var number = 0
      for _ in 0..<count {
        let digit = bytes[position] ^ 0x30
        guard digit < 10 else { return nil }
        number = number * 10 + Int(digit)
        position += 1
      }
      return number
    }
    func takes(_ characters: StaticString) -> Bool {
      guard position < bytes.count, characters.withUTF8Buffer({ unsafe $0.contains(bytes[position]) }) else {
        return false
      }
      position += 1
      return true
    }
    guard bytes.count <= 64, let year = digits(4), takes("-"), let month = digits(2), takes("-"),
      let day = digits(2), takes("Tt "), let hour = digits(2), takes(":"), let minute = digits(2), takes(":"),
      let second = digits(2), (1678...2261).contains(year), (1...12).contains(month),
      (1...dayCount(year, month)).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if takes(".") {
      var unit: Int64 = 1_000_000_000
      let start = position
      while let digit = digits(1) {
        unit /= 10
        fraction += unit * Int64(digit)
      }
      guard position > start else { return nil }
    }
    var offset = 0
    if !takes("Zz") {
      let isWest = position < bytes.count && bytes[position] == UInt8(ascii: "-")
      guard takes("+-"), let hours = digits(2), takes(":"), let minutes = digits(2), hours < 24, minutes < 60
      else { return nil }
      offset = (isWest ? -60 : 60) * (hours * 60 + minutes)
    }
    guard position == bytes.count else { return nil }
    let seconds =
      days(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset)
    self.init(nanoseconds: seconds * 1_000_000_000 + fraction)
  }
}

private func dayCount(_ year: Int, _ month: Int) -> Int {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

/// Days from 1970-01-01 to a Gregorian date: the inverse of `civil(fromDays:)`.
private func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
  let shifted = Int64(month > 2 ? year : year - 1)
  let (era, ofEra) = shifted.quotientAndRemainder(dividingBy: 400)
  let ofYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
  return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
}
