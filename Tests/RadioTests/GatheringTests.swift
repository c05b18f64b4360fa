import Beacons
import Core
import Testing

@testable import Radio

@Suite struct GatheringTests {
  /// What comes at an even pace, received after each pause; gives the pauses.
  private func pauses(perSecond pace: Double, rounds: Int = 300, room: Int = 512) -> [TimeSpan] {
    var gathering = Gathering()
    var time = MonotonicTime.zero
    var received = 0
    return (0..<rounds).map { _ in
      let there = Int(time.nanoseconds == 0 ? 1 : Double(time.nanoseconds) / 1e9 * pace)
      let count = max(min(there - received, room), 1)
      received += count
      let pause = gathering.pause(after: count, isDrained: count < room, at: time)
      time = time + max(pause, .milliseconds(1) * (1000 / pace))
      return pause
    }
  }

  @Test(arguments: [1, 20, 500])
  func whereFewComeThePauseIsTheLongest(_ pace: Double) {
    #expect(pauses(perSecond: pace).allSatisfy { $0 == .milliseconds(100) })
  }

  @Test(arguments: [2000, 10_000, 100_000])
  func whereManyComeAboutAHundredAreReceivedTogether(_ pace: Double) {
    let late = pauses(perSecond: pace).suffix(10).map(\.seconds)
    #expect(late.allSatisfy { ($0 * pace - 100).magnitude < 30 }, "\(late)")
  }

  @Test func inAFloodThereIsNoPause() {
    #expect(pauses(perSecond: 5_000_000).suffix(10).allSatisfy { $0 == .zero })
  }

  @Test func packetsLeftInTheSocketAreReceivedAtOnce() {
    var gathering = Gathering()
    let then = MonotonicTime(nanoseconds: 100_000_000)
    #expect(gathering.pause(after: 1, isDrained: true, at: .zero) == .milliseconds(100))
    #expect(gathering.pause(after: 512, isDrained: false, at: then) == .zero)
    #expect(gathering.pause(after: 0, isDrained: true, at: then) == .zero)
  }

  @Test func clocksAtTheirEndsDoNotTrap() {
    var gathering = Gathering()
    _ = gathering.pause(after: .max, isDrained: true, at: MonotonicTime(nanoseconds: .max))
    _ = gathering.pause(after: 1, isDrained: true, at: MonotonicTime(nanoseconds: .min))
    #expect(
      gathering.pause(after: 1, isDrained: true, at: MonotonicTime(nanoseconds: .max)) == .milliseconds(100))
  }
}
