import Beacons
import Core
@testable import Fleet
import TestSupport
import Testing

/// Workers that hear each other's ticks late, with clocks that differ.
private struct Workers {
  struct One {
    var name: String
    /// How far its clock is ahead, in milliseconds.
    var ahead: Int64
    var schedule: TickSchedule
    var isAlive = true
  }

  struct Word {
    var worker: String
    /// When it was said, in milliseconds.
    var at: Int64
    var tellsTime: Bool
    var tick: Tick
  }

  var all: [One]
  var said: [Word] = []
  private var heard = 0
  private var now: Int64 = 0
  private var delay: @Sendable (Int64) -> Int64

  init(_ clocks: [(String, Int64)], delay: @escaping @Sendable (Int64) -> Int64 = { _ in 20 }) {
    all = clocks.map { One(name: $0.0, ahead: $0.1, schedule: TickSchedule(worker: $0.0)) }
    self.delay = delay
  }

  private func wall(_ one: One) -> WallTime {
    WallTime(nanoseconds: (1_795_000_000_000 + now + one.ahead) * 1_000_000)
  }

  mutating func run(until end: Int64) {
    while now < end {
      while heard < said.count, said[heard].at + delay(said[heard].at) <= now {
        let word = said[heard]
        for index in all.indices where all[index].isAlive {
          all[index].schedule.hear(word.tick, at: wall(all[index]), tellsTime: word.tellsTime)
        }
        heard += 1
      }
      // Whoever fell silent is counted for some seconds.
      let names = all.map(\.name)
      for index in all.indices where all[index].isAlive {
        let (time, wall) = (MonotonicTime(nanoseconds: now * 1_000_000), wall(all[index]))
        let rest = all[index].schedule.wait(at: time, wall, among: names)
        let tellsTime = all[index].schedule.takeDue(at: time, wall, among: names)
        #expect((tellsTime != nil) == (rest <= .zero))
        guard let tellsTime else { continue }
        said.append(
          Word(
            worker: all[index].name, at: now, tellsTime: tellsTime,
            tick: Tick(worker: all[index].name, time: wall)))
      }
      now += 5
    }
  }

  func told(from start: Int64) -> [Word] { said.filter { $0.tellsTime && $0.at >= start } }

  /// The longest time in which time did not go on for the partitions, in milliseconds.
  func longestPause(from start: Int64) -> Int64 {
    var (latest, last, longest) = (Int64.min, start, Int64(0))
    for word in told(from: start) where word.tick.time.nanoseconds > latest {
      (latest, longest, last) = (word.tick.time.nanoseconds, max(longest, word.at - last), word.at)
    }
    return max(longest, now - last)
  }
}

/// Who tells the site's time, and when.
@Suite struct TickScheduleTests {
  @Test func `of workers with the same time only the first by name tells it`() {
    var workers = Workers([("b", 0), ("a", 0), ("c", 0)])
    workers.run(until: 10_000)
    #expect(Set(workers.told(from: 1000).map(\.worker)) == ["a"])
    #expect((70...73).contains(workers.told(from: 1000).count))
  }

  @Test func `each is heard every second`() {
    var workers = Workers([("a", 0), ("b", 0), ("c", 0)])
    workers.run(until: 10_000)
    for name in ["a", "b", "c"] {
      let times = workers.said.filter { $0.worker == name }.map(\.at) + [10_000]
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 1005 })
    }
  }

  @Test(arguments: [0, 30, -30, 400, -400, 4000, -4000] as [Int64])
  func `a clock that is ahead tells the time, and it never stands still`(ahead: Int64) {
    var workers = Workers([("a", 0), ("b", ahead)])
    workers.run(until: 20_000)
    #expect(workers.longestPause(from: 6000) <= 190)
    #expect(Set(workers.told(from: 6000).map(\.worker)) == [ahead > 60 ? "b" : "a"])
  }

  @Test(arguments: [0, 500, 4000] as [Int64])
  func `when the one that tells it falls silent, another goes on once its clock is as far`(ahead: Int64) {
    var workers = Workers([("a", ahead), ("b", 0), ("c", 0)])
    workers.run(until: 5000)
    workers.all[0].isAlive = false
    workers.run(until: 15_000)
    #expect((ahead...ahead + 320).contains(workers.longestPause(from: 4000)))
    #expect(Set(workers.told(from: 5300 + ahead).map(\.worker)) == ["b"])
  }

  @Test func `one that hears nobody tells it all alone`() {
    var workers = Workers([("z", 0)], delay: { _ in .max / 2 })
    workers.run(until: 5000)
    #expect(workers.longestPause(from: 0) <= 130)
  }

  @Test func `a clock that is an hour ahead silences nobody`() {
    var workers = Workers([("a", 3_600_000), ("b", 0)])
    workers.run(until: 5000)
    #expect(workers.told(from: 1000).contains { $0.worker == "b" })
  }

  @Test func `a clock that is set back goes on`() {
    var workers = Workers([("a", 0)])
    workers.run(until: 5000)
    workers.all[0].ahead = -3_600_000
    workers.run(until: 10_000)
    #expect((38...42).contains(workers.told(from: 5000).count))
  }

  @Test func `where ticks take long, several may tell it, and it goes on`() {
    var workers = Workers([("a", 0), ("b", 10), ("c", -10), ("d", 0)]) { at in (at / 1000) % 2 == 0 ? 10 : 400
    }
    workers.run(until: 20_000)
    #expect(workers.longestPause(from: 1000) <= 190)
    #expect(workers.told(from: 0).count < 20 * 8 * 5 / 2)
  }
}
