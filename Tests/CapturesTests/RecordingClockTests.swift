import Beacons
import Core
import Testing

@testable import Captures

struct RecordingClockTests {
  private func times(_ seconds: [Double]) -> [Double] {
    var clock = RecordingClock()
    return seconds.map { clock.time(at: WallTime(nanoseconds: 0) + .seconds($0)).nanoseconds }.map {
      Double($0) / 1e9
    }
  }

  @Test func startsAtZeroAndAdvancesWithTheWall() {
    #expect(times([1000, 1000.5, 1003]) == [0, 0.5, 3])
  }

  @Test func aLittleDisorderDoesNotSpeedItUp() {
    #expect(times([10, 10.5, 10.1, 10.6, 10.2, 11]) == [0, 0.5, 0.5, 0.6, 0.6, 1])
  }

  @Test func aClockSetBackGoesOnFromThere() {
    #expect(times([1000, 1010, 500, 501, 502]) == [0, 10, 10, 11, 12])
  }

  @Test func `records that are out of order are counted`() {
    var clock = RecordingClock()
    for second in [10, 10.5, 10.1, 10.6, 10.2, 11, 3, 4] {
      _ = clock.time(at: WallTime(nanoseconds: 0) + .seconds(second))
    }
    #expect(clock.late.few == 2 && clock.late.steps == 1)
  }

  @Test func extremeTimesDoNotTrap() {
    var clock = RecordingClock()
    var last = MonotonicTime.zero
    for nanoseconds in [Int64.min, .max, .min, 0, .max, .max] {
      let time = clock.time(at: WallTime(nanoseconds: nanoseconds))
      #expect(time >= last)
      // What lies at the very end stands for no time at all elsewhere.
      #expect(time.nanoseconds <= .max / 2)
      last = time
    }
  }

  /// 64 bits of nanoseconds end in 2262; a calendar beyond stands still.
  @Test func aCalendarOf2317DoesNotTrap() {
    #expect(LiveClock.nanoseconds(seconds: 1_795_211_400, nanoseconds: 5) == 1_795_211_400_000_000_005)
    #expect(LiveClock.nanoseconds(seconds: 10_950_000_000, nanoseconds: 5) == .max)
    #expect(LiveClock.nanoseconds(seconds: 9_223_372_036, nanoseconds: 999_999_999) == .max)
    #expect(LiveClock.nanoseconds(seconds: -10_950_000_000, nanoseconds: 5) == .min)
    #expect(LiveClock.nanoseconds(seconds: .max, nanoseconds: .max) == .max)
  }
}
