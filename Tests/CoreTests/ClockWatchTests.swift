import Core
import Testing

/// When a clock counts as set, and whether what was before was wrong.
@Suite struct ClockWatchTests {
  private func steps(
    _ readings: [(time: Double, wall: Double)], isUnset: (Double) -> Bool
  ) -> [ClockStep] {
    var watch = ClockWatch(from: .zero)
    return readings.compactMap { time, wall in
      watch.look(
        at: .zero + .seconds(time), WallTime(nanoseconds: Int64(wall * 1e9)), isUnset: isUnset(time))
    }
  }

  @Test func `a step is noticed, and a clock that runs a little fast is not`() {
    let found = steps(
      [(0, 100), (60, 160.9), (120, 221.8), (180, 7482), (240, 7542), (300, 4000)], isUnset: { _ in false })
    #expect(found.map { Int($0.step.seconds.rounded()) } == [7200, -3602])
    #expect(found.allSatisfy { $0.wrong == nil })
  }

  @Test func `what a clock said before it was first set was wrong, and later steps say nothing`() throws {
    let readings: [(time: Double, wall: Double)] = [
      (10, 110), (20, 120), (30, 1130), (40, 1140), (50, 5150),
    ]
    let found = steps(readings, isUnset: { $0 < 30 })
    #expect(found.count == 2)
    let wrong = try #require(found.first?.wrong)
    #expect(found.first?.step == .seconds(1000))
    #expect(wrong.lowerBound.nanoseconds == 100_000_000_000)
    #expect(wrong.upperBound.nanoseconds == 130_000_000_000)
    #expect(found.last?.wrong == nil)
  }

  @Test func `the ends of time are no trap`() {
    let found = steps([(0, -9e9), (1, 9e9), (2, -9e9)], isUnset: { _ in true })
    #expect(found.count == 2)
  }
}
