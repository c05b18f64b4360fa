import Core
import Testing

@Suite struct RateLimitTests {
  @Test func aBurstAtOnceAndThenOneAnInterval() {
    var limit = RateLimit(burst: 3, interval: .seconds(10))
    let start = MonotonicTime.zero
    func taken(_ times: Double...) -> [Bool] { times.map { limit.take(at: start + .seconds($0)) } }
    #expect(taken(0, 0, 0, 0, 0) == [true, true, true, false, false])
    #expect(taken(9.9, 10, 10) == [false, true, false])
    // Rested, it has its burst again, and no more.
    #expect(taken(100, 100, 100, 100) == [true, true, true, false])
  }

  @Test func turnsAreGivenAwayInOrderAndOnlyWithinTheHorizon() {
    var limit = RateLimit(burst: 1, interval: .seconds(1))
    let start = MonotonicTime.zero
    let turns = (0..<5).map { _ in limit.reserve(at: start, within: .seconds(2)) }
    #expect(turns == [start, start + .seconds(1), start + .seconds(2), nil, nil])
    let later = limit.reserve(at: start + .seconds(1), within: .seconds(2))
    #expect(later == start + .seconds(3))
  }

  @Test func extremesNeitherTrapNorLock() {
    for limit in [
      RateLimit(burst: .max, perSecond: 1e12), RateLimit(burst: 0, perSecond: 0),
      RateLimit(burst: -1, interval: .zero),
    ] {
      var limit = limit
      for time in [Int64.min, -1, 0, 1, .max] {
        _ = limit.take(at: MonotonicTime(nanoseconds: time))
        _ = limit.reserve(at: MonotonicTime(nanoseconds: time), within: TimeSpan(nanoseconds: .max))
      }
    }
    var open = RateLimit(burst: .max, perSecond: 1e12)
    let taken = (0..<100_000).count { _ in open.take(at: .zero) }
    #expect(taken == 100_000)
  }
}
