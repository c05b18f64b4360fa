import Beacons
import Core
import TestSupport
import Testing

@testable import Proximity

@Suite struct DeadlineQueueTests {
  @Test func timersComeUpInOrderOfTheirEarliestTime() {
    var generator = SeededGenerator(seed: 3)
    var queue = DeadlineQueue()
    var expected: [Int32: MonotonicTime] = [:]
    for _ in 0..<100 { queue.add() }
    for _ in 0..<5000 {
      let timer = Int32.random(in: 0..<100, using: &generator)
      let time = MonotonicTime(nanoseconds: .random(in: 0..<40, using: &generator))
      queue.schedule(timer, at: time)
      expected[timer] = min(expected[timer] ?? .distantFuture, time)
      #expect(queue.count == expected.count)
      if Int.random(in: 0..<4, using: &generator) == 0 {
        let horizon = MonotonicTime(nanoseconds: .random(in: 0..<40, using: &generator))
        let first = expected.min { ($0.value, $0.key) < ($1.value, $1.key) }
        let popped = queue.popFirst(notAfter: horizon)
        if let first, first.value <= horizon {
          #expect(popped?.timer == first.key)
          #expect(popped?.time == first.value)
          expected[first.key] = nil
        } else {
          #expect(popped == nil)
        }
      }
    }
  }
}
