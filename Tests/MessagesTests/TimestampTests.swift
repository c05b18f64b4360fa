import Beacons
import Messages
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
}
