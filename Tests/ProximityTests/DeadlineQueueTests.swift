import Beacons
import Randomness
import Testing

@testable import Proximity

@Suite struct DeadlineQueueTests {
  /// Timers with an owner who puts off what comes up too early, as the engine does.
  private struct Owner {
    var queue = DeadlineQueue()
    var wanted: [DeadlineTimer: MonotonicTime] = [:]
    private(set) var postponed = 0

    init(timers: Int32) {
      for _ in 0..<timers {
        queue.addLink()
        queue.addPresence()
      }
    }

    mutating func want(_ timer: DeadlineTimer, at time: MonotonicTime) {
      wanted[timer] = time
      queue.schedule(timer, at: time)
    }

    /// What is due up to a time, in the order in which it comes up.
    mutating func advance(to time: MonotonicTime) -> [DeadlineTimer] {
      var due: [DeadlineTimer] = []
      guard queue.isDue(at: time) else { return due }
      while let timer = queue.popUnordered(notAfter: time) {
        postponed += 1
        if let wanted = wanted[timer] { queue.schedule(timer, at: wanted) }
      }
      while let (now, timer) = queue.popFirst(notAfter: time) {
        guard let wanted = wanted[timer] else { continue }
        if wanted <= now {
          due.append(timer)
          self.wanted[timer] = nil
        } else {
          queue.schedule(timer, at: wanted)
        }
      }
      return due
    }
  }

  private func seconds(_ count: Double) -> MonotonicTime { .zero + .milliseconds(1) * (count * 1000) }

  @Test(arguments: [0.01, 1, 30, 2000, 1e7])
  func whatIsDueComesUpInOrderHoweverFarTimeGoesAtOnce(_ longest: Double) {
    var generator = SeededGenerator(seed: UInt64(longest * 100))
    var owner = Owner(timers: 40)
    var now = 0.0
    for _ in 0..<3000 {
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        let index = Int32.random(in: 0..<40, using: &generator)
        let timer = Bool.random(using: &generator) ? DeadlineTimer.link(index) : .presence(index)
        owner.want(timer, at: seconds(now + .random(in: 0...(2 * longest), using: &generator)))
      }
      now += .random(in: 0...longest, using: &generator)
      let time = seconds(now)
      let expected = owner.wanted.filter { $0.value <= time }.sorted {
        ($0.value, $0.key) < ($1.value, $1.key)
      }
      #expect(owner.advance(to: time) == expected.map(\.key))
      let next = owner.wanted.values.min()
      #expect(owner.queue.first.map { $0 > time } ?? (next == nil))
      if let next { #expect(owner.queue.first.map { $0 <= next } == true) }
    }
  }

  @Test func aTimerThatIsWantedSoonerComesUpSooner() {
    var owner = Owner(timers: 1)
    #expect(owner.advance(to: seconds(1)).isEmpty)
    for time in [900, 600, 30, 2, 1.5] { owner.want(.link(0), at: seconds(time)) }
    #expect(owner.advance(to: seconds(1.6)) == [.link(0)])
    #expect(owner.advance(to: seconds(5000)).isEmpty)
    #expect(owner.queue.first == nil)
  }

  @Test func aClockThatJumpsByCenturiesIsFollowedAtOnce() {
    var owner = Owner(timers: 1000)
    for index in Int32(0)..<1000 { owner.want(.link(index), at: seconds(1 + Double(index))) }
    let last = MonotonicTime(nanoseconds: .max - 1)
    owner.want(.presence(0), at: last)
    #expect(owner.advance(to: seconds(0.5)).isEmpty, "from here on each has a slot of its own")
    #expect(owner.advance(to: MonotonicTime(nanoseconds: .max - 2)).count == 1000)
    #expect(owner.postponed < 4000, "each is looked at a few times, not once for each slot on the way")
    #expect(owner.advance(to: last) == [.presence(0)])
  }

  @Test func aWheelThatNobodyLookedAtForLongTellsNoTimeThatIsGone() throws {
    var owner = Owner(timers: 2)
    for now in [0.0, 10_000, 20_000] {
      owner.want(.link(0), at: seconds(now + 30))
      owner.want(.link(1), at: seconds(now + 45))
      #expect(try #require(owner.queue.first) > seconds(now + 28))
      #expect(owner.advance(to: seconds(now + 100)) == [.link(0), .link(1)])
    }
  }

  @Test func aTimerThatIsPutOffAgainAndAgainIsLookedAtOnceInItsTime() {
    var owner = Owner(timers: 1)
    for second in 0..<600 {
      #expect(owner.advance(to: seconds(Double(second))).isEmpty)
      owner.want(.link(0), at: seconds(Double(second) + 30))
    }
    #expect(owner.postponed < 30)
  }
}
