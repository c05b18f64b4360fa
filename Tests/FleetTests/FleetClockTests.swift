import Beacons
import Core
import Testing

@testable import Fleet

/// Which time a worker tells while its machine's clock is set, and others' are right or wrong.
@Suite struct FleetClockTests {
  private static let start: Int64 = 1_795_000_000

  /// A worker, and what it hears of others each second.
  private struct Story {
    var clock: FleetClock
    var seconds: Int64 = 0
    /// How far the machine's clock is ahead of the true time.
    var system: Int64
    /// How far others are.
    var others: [Int64]

    init(system: Int64 = 0, others: [Int64] = []) {
      (self.system, self.others) = (system, others)
      clock = FleetClock(at: .zero + .seconds(0), system: Self.wall(system))
    }

    static func wall(_ seconds: Int64) -> WallTime {
      WallTime(nanoseconds: (FleetClockTests.start + seconds) * 1_000_000_000)
    }

    /// How far the told time is ahead of the true one after some seconds, at most and at the end.
    mutating func run(_ span: Int64) -> (most: Double, last: Double) {
      var (most, last) = (0.0, 0.0)
      for _ in 0..<span {
        seconds += 1
        let now = MonotonicTime.zero + .seconds(Double(seconds))
        for (place, ahead) in others.enumerated() {
          clock.hear(Tick(worker: "\(place)", time: Self.wall(seconds + ahead)), at: clock.time(at: now))
        }
        let told = clock.time(at: now, system: Self.wall(seconds + system))
        last = (told - Self.wall(seconds)).seconds
        if abs(last) > abs(most) { most = last }
      }
      return (most, last)
    }
  }

  @Test(
    arguments: [300, -300, 86_400, -86_400] as [Int64], [[], [0], [0, 0], [1, -2, 0, 0, 3]] as [[Int64]])
  func `a clock that is wrong for twenty seconds changes nothing`(ahead: Int64, others: [Int64]) {
    var story = Story(others: others)
    #expect(story.run(30).most == 0)
    story.system = ahead
    #expect(story.run(20).most == 0)
    #expect(story.clock.system == .seconds(Double(ahead)))
    story.system = 0
    #expect(story.run(30).most == 0)
    #expect(story.clock.system == nil)
  }

  @Test func `a correction is believed at once if most others have that time`() {
    for others in [[0], [0, 0, -300]] as [[Int64]] {
      var story = Story(system: 300, others: others)
      #expect(story.run(20).last == 300)
      story.system = 0
      #expect(story.run(2).last == 0)
    }
  }

  /// Wrong from the start, then set right one after another, as by NTP.
  @Test(arguments: [2, 3, 5]) func `clocks that are all corrected are believed`(count: Int) {
    let start = MonotonicTime.zero
    var clocks = (0..<count).map { _ in FleetClock(at: start, system: Story.wall(0)) }
    for second in 1...60 as ClosedRange<Int64> {
      let now = start + .seconds(Double(second))
      let system = (0..<count).map { Story.wall(second + (second > 10 + 3 * Int64($0) ? 300 : 0)) }
      let told = clocks.indices.map { clocks[$0].time(at: now, system: system[$0]) }
      for one in clocks.indices {
        for other in clocks.indices where other != one {
          let tick = Tick(worker: "\(other)", time: told[other], system: clocks[other].system)
          clocks[one].hear(tick, at: clocks[one].time(at: now))
        }
      }
      #expect(clocks.allSatisfy { $0.workers.majorityLead == nil } || second < 40)
      guard second == 60 else { continue }
      #expect(told.allSatisfy { $0 == Story.wall(360) }, "\(told)")
    }
  }

  @Test func `a tick says how far the machine's clock is ahead`() {
    for system in [nil, .seconds(-300.5), .seconds(86_400)] as [TimeSpan?] {
      let tick = Tick(worker: "w1", time: Story.wall(5), system: system)
      #expect(Tick(tick.payload) == tick)
    }
  }

  @Test func `of as many for as against, nothing is believed`() {
    var story = Story(others: [300, 0])
    _ = story.run(5)
    story.system = 300
    #expect(story.run(600).most == 0)
  }

  @Test func `one that hears nobody believes a correction after a minute`() {
    var story = Story(system: -86_400)
    story.system = 0
    #expect(story.run(60).last == -86_400)
    #expect(story.run(2).last == 0)
    // Whoever was heard long ago is no witness.
    story = Story(others: [0])
    _ = story.run(5)
    story.others = []
    story.system = 3600
    #expect(story.run(59).last == 0)
    #expect(story.run(5).last == 3600)
  }

  @Test func `a clock that drifts is followed`() {
    var story = Story(others: [0])
    for drift in 0...40 as ClosedRange<Int64> {
      story.system = drift
      #expect(story.run(3).last == Double(drift))
    }
  }

  @Test func `a worker knows whether most others have another time`() {
    func clock(_ others: [Int64]) -> FleetClock {
      var story = Story(others: others)
      _ = story.run(3)
      return story.clock
    }
    #expect(clock([]).workers.majorityLead == nil && clock([]).workers.isOursCommon)
    let two = clock([300]).workers
    #expect(two.majorityLead == nil, "of two, nobody knows which is wrong")
    #expect(!two.isOursCommon && two.difference?.lead == .seconds(300))
    #expect(clock([300, 301]).workers.majorityLead.map { $0.seconds >= 300 } == true)
    #expect(clock([-300, -301, 0]).workers.majorityLead == nil, "two against two")
    #expect(clock([-300, -301, -299, 0]).workers.majorityLead.map { $0.seconds <= -299 } == true)
    #expect(clock([300, 600, 900]).workers.majorityLead == nil, "no time has a majority")
    #expect(clock([300, 0]).workers.isOursCommon, "with us two of three")
  }
}
