import Beacons

extension WallTime {
  /// RFC 3339 in UTC with milliseconds: `2026-11-20T21:50:03.120Z`. The part below a millisecond is cut off.
  /// Years outside 0 to 9999, which RFC 3339 cannot write, are not reachable from 64 bits of nanoseconds.
  public var rfc3339: String {
    let milliseconds = floorDivide(nanoseconds, by: 1_000_000)
    let days = floorDivide(milliseconds, by: 86_400_000)
    let ofDay = milliseconds - days * 86_400_000
    let (year, month, day) = civil(fromDays: days)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    for (number, width, end) in [
      (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (ofDay / 3_600_000, 2, ":"),
      (ofDay / 60_000 % 60, 2, ":"),
      (ofDay / 1000 % 60, 2, "."), (ofDay % 1000, 3, "Z"),
    ] as [(Int64, Int, Unicode.Scalar)] {
      append(number, width, to: &text)
      text.append(UInt8(ascii: end))
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The Gregorian date of a day counted from 1970-01-01, for any day (the usual shift to years that begin in March, so that
/// the leap day comes last).
private func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = days + 719_468
  let era = floorDivide(shifted, by: 146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}

/// The digits of a number that is not negative, at least `width` of them.
private func append(_ number: Int64, _ width: Int, to text: inout [UInt8]) {
  var divisor: Int64 = 1
  for _ in 1..<width { divisor *= 10 }
  while number / divisor >= 10 { divisor *= 10 }
  while divisor > 0 {
    text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
    divisor /= 10
  }
}
