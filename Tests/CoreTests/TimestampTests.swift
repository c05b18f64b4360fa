import Core
import Foundation
import TestSupport
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (1_795_211_403_120_999_999, "2026-11-20T21:50:03.120Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
    (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
    (Int64.max, "2262-04-11T23:47:16.854Z"),
    (Int64.min, "1677-09-21T00:12:43.145Z"),
  ])
  func writesRFC3339InUTC(nanoseconds: Int64, text: String) {
    #expect(WallTime(nanoseconds: nanoseconds).rfc3339 == text)
  }

  @Test func agreesWithTheCalendarForAnyTime() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var chance = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      // The Gregorian calendar holds for all of them; whole milliseconds, which a `Date` can hold.
      let milliseconds = Int64.random(in: Int64.min / 1_000_000...Int64.max / 1_000_000, using: &chance)
      let seconds = (Double(milliseconds) / 1000).rounded(.down)
      let date = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
      let parts = [date.year, date.month, date.day, date.hour, date.minute, date.second].map { $0 ?? -1 }
      let text = String(
        format: "%04ld-%02ld-%02ldT%02ld:%02ld:%02ld.%03ldZ", parts[0], parts[1], parts[2], parts[3],
        parts[4],
        parts[5], milliseconds - Int64(seconds) * 1000)
      #expect(WallTime(nanoseconds: milliseconds * 1_000_000).rfc3339 == text)
    }
  }
}
