extension WallTime {
  /// RFC 3339 in UTC with milliseconds: `2026-11-20T21:50:03.120Z`. The part below a millisecond is cut off.
  /// Years outside 0 to 9999, which RFC 3339 cannot write, are not reachable from 64 bits of nanoseconds.
  public var rfc3339: String {
    String(utf8Capacity: Self.rfc3339Length) { $0.append(self) }
  }

  /// The octets of `rfc3339`.
  package static var rfc3339Length: Int { 24 }
}

extension OutputSpan<UInt8> {
  /// Appends the text of `rfc3339`.
  @_lifetime(self: copy self)
  @inlinable
  package mutating func append(_ time: WallTime) {
    let milliseconds = floorDivide(time.nanoseconds, by: 1_000_000)
    let days = floorDivide(milliseconds, by: 86_400_000)
    let ofDay = UInt32(truncatingIfNeeded: milliseconds - days * 86_400_000)
    let (year, month, day) = civil(fromDays: days)
    append(twoDigits: year / 100)
    append(twoDigits: year % 100, "-")
    append(twoDigits: month, "-")
    append(twoDigits: day, "T")
    append(twoDigits: ofDay / 3_600_000, ":")
    append(twoDigits: ofDay / 60_000 % 60, ":")
    append(twoDigits: ofDay / 1000 % 60, ".")
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: ofDay / 100 % 10))
    append(twoDigits: ofDay % 100, "Z")
  }

  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  mutating func append(twoDigits number: UInt32, _ end: Unicode.Scalar) {
    append(twoDigits: number)
    append(UInt8(ascii: end))
  }
}

/// The Gregorian date of a day counted from 1970-01-01, from the year 0 on (the usual shift to years that begin in March, so
/// that the leap day comes last).
@inlinable
func civil(fromDays days: Int64) -> (year: UInt32, month: UInt32, day: UInt32) {
  let shifted = UInt32(days + 719_468)
  let era = shifted / 146_097
  let dayOfEra = shifted % 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

@inlinable
package func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}
