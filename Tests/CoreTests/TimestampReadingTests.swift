import Core
import TestSupport
import Testing

/// Times in RFC 3339, read.
@Suite struct TimestampReadingTests {
  @Test func whatIsWrittenIsReadBack() {
    var chance = SeededGenerator(seed: 3)
    for _ in 0..<5000 {
      let milliseconds = Int64.random(in: -9_000_000_000_000...9_000_000_000_000, using: &chance)
      let time = WallTime(nanoseconds: milliseconds * 1_000_000)
      #expect(WallTime(rfc3339: time.rfc3339) == time)
    }
  }

  @Test func offsetsAndFractionsCount() {
    let time = WallTime(nanoseconds: 1_795_211_403_120_000_000)
    #expect(WallTime(rfc3339: "2026-11-20T21:50:03.12Z") == time)
    #expect(WallTime(rfc3339: "2026-11-20t22:50:03.120000000999+01:00") == time)
    #expect(WallTime(rfc3339: "2026-11-20 12:20:03.120-09:30") == time)
    #expect(WallTime(rfc3339: "2024-02-29T00:00:00z") != nil)
  }

  @Test(arguments: [
    "", "2026", "2026-11-20", "2026-11-20T21:50:03", "2026-13-20T21:50:03Z", "2023-02-29T00:00:00Z",
    "2026-11-20T24:00:00Z", "2026-11-20T21:60:00Z", "2026-11-20T21:50:03.Z", "2026-11-20T21:50:03Z ",
    "1066-10-14T09:00:00Z", "9999-01-01T00:00:00Z", "2026-11-20T21:50:03+1:00", "２０２６-11-20T21:50:03Z",
  ])
  func nothingElseIsATime(_ text: String) { #expect(WallTime(rfc3339: text) == nil) }
}
