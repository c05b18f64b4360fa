import RangingPolicy
import Testing

@testable import WakePlanner

/// The planner against every rotation that there is, on a grid of 5 s.
@Suite struct ShortestPlanTests {
  /// Window, longest entry latency and longest exit latency, in steps of 5 s.
  private static let cases = [
    (7, 0, 6), (8, 1, 6), (4, 1, 6), (4, 0, 3), (3, 0, 4), (2, 0, 4), (3, 1, 3), (4, 1, 3), (5, 2, 4),
    (6, 1, 5),
    (5, 0, 5), (1, 0, 1), (3, 2, 0), (6, 3, 1), (2, 0, 0), (1, 1, 0),
  ]

  @Test(arguments: cases)
  func noRotationIsShorter(window: Int, entry: Int, exit: Int) {
    let step: Milliseconds = 5000
    func time(_ steps: Int) -> Milliseconds { Milliseconds(steps) * step }
    let conditions = WakeConditions(
      window: time(window), entryLatency: 0...time(entry), exitLatency: 0...time(exit), tolerance: 0,
      regions: 3, slots: 3, grid: step)
    let found = RotationSearch(conditions: conditions).best()
    let every = EveryRotation(window: window, longestEntry: entry, longestExit: exit)
    for period in 1...10 {
      for (index, least) in every.leastAirTime(period: period).enumerated() {
        guard let least else { continue }
        guard let found else {
          Issue.record("\(index + 1) regions do in \(period) steps, \(least) on air, and none was found")
          continue
        }
        let regions = index + 1
        // Air time as shares: a/P against a'/P'.
        let mine = Milliseconds(found.regions) * found.duration * Milliseconds(period)
        let other = time(least) * found.period / step
        let isShorter =
          regions < found.regions
          || (regions == found.regions
            && (other < mine || (other == mine && time(period) < found.period)))
        #expect(!isShorter, "\(regions) regions, \(least) of \(period) steps on air, beat \(found)")
      }
    }
    if let found, found.period <= time(10) {
      let least = every.leastAirTime(period: Int(found.period / step))[found.regions - 1]
      #expect(least == Int(Milliseconds(found.regions) * found.duration / step), "\(found)")
    }
  }
}
