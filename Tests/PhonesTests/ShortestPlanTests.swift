import Testing

@testable import Phones

/// The planner against every rotation that there is, on a grid of 5 s.
@Suite struct ShortestPlanTests {
  private static let step: Milliseconds = 5000
  private static let longestPeriod = 9

  /// Window, longest entry latency and longest exit latency, in steps.
  private static let cases = [
    (7, 0, 6), (4, 1, 6), (4, 0, 3), (3, 0, 4), (2, 0, 4), (3, 1, 3), (4, 1, 3), (5, 2, 4),
    (5, 0, 5), (1, 0, 1), (3, 2, 0), (6, 3, 1), (2, 0, 0), (1, 1, 0),
    // The exit is as good as the enter, and a window hardly longer than both.
    (2, 1, 1), (3, 1, 1), (4, 2, 2), (5, 2, 2), (5, 3, 3), (6, 2, 3), (4, 2, 0), (5, 2, 1),
  ]

  private static func conditions(
    _ window: Int, _ entry: Int, _ exit: Int, regions: Int = 3, slots: Int = 3, wait: Int? = nil
  ) -> WakeConditions {
    func time(_ steps: Int) -> Milliseconds { Milliseconds(steps) * step }
    return WakeConditions(
      window: time(window), entryLatency: 0...time(entry), exitLatency: 0...time(exit), tolerance: 0,
      firstWake: wait.map(time) ?? .max, regions: regions, slots: slots, grid: step)
  }

  /// Fewer regions first, then fewer broadcasts, then less air time, each per period.
  @Test(arguments: cases)
  func noRotationWakesLessOften(window: Int, entry: Int, exit: Int) {
    // The planner's answer has nothing to do with the period of the other.
    var plans: [[Int]: Rotation?] = [:]
    for period in 2...Self.longestPeriod {
      let every = EveryRotation(
        window: window, longestEntry: entry, longestExit: exit, period: period)
      for (index, rotations) in every.gapFree().enumerated() {
        for other in rotations {
          let question = [index + 1, other.slots, other.wait]
          if plans[question] == nil {
            let asked = Self.conditions(
              window, entry, exit, regions: index + 1, slots: other.slots, wait: other.wait)
            plans[question] = .some(RotationSearch(conditions: asked).best())
          }
          guard let found = plans[question] ?? nil else {
            Issue.record("\(index + 1) regions do in \(period) steps, \(other), and none was found")
            continue
          }
          let steps = found.period / Self.step
          let wakes = (
            Milliseconds(found.regions * period), Milliseconds(other.broadcasts) * steps
          )
          let air = (
            found.airTime / Self.step * Milliseconds(period), Milliseconds(other.airTime) * steps
          )
          let isBeaten =
            found.regions == index + 1 && (wakes.0 > wakes.1 || (wakes.0 == wakes.1 && air.0 > air.1))
          #expect(!isBeaten, "\(other) in \(period) steps beats \(found)")
        }
      }
    }
  }

  /// What the planner says has no gap has none.
  @Test(arguments: cases)
  func theFoundPlanIsOneOfAllGapFreeOnes(window: Int, entry: Int, exit: Int) {
    var rotations: [Int: [Set<EveryRotation.Found>]] = [:]
    for slots in 1...2 {
      for wait in [entry, entry + 1, entry + 3, 20] {
        let asked = Self.conditions(window, entry, exit, regions: 2, slots: slots, wait: wait)
        guard let found = RotationSearch(conditions: asked).best() else { continue }
        let period = Int(found.period / Self.step)
        guard period <= Self.longestPeriod else { continue }
        if rotations[period] == nil {
          let every = EveryRotation(
            window: window, longestEntry: entry, longestExit: exit, period: period)
          rotations[period] = every.gapFree()
        }
        let isThere = rotations[period]![found.regions - 1].contains {
          $0.broadcasts == found.regions && $0.slots <= slots && $0.wait <= wait
            && Milliseconds($0.airTime) * Self.step == found.airTime
        }
        #expect(isThere, "\(slots) slots, wait \(wait): \(found)")
      }
    }
  }
}
