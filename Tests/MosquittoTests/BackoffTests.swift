import Testing

@testable import Mosquitto

@Suite("Back-off")
struct BackoffTests {
  @Test func waitsDoubleUpToTheLimit() {
    let backoff = Backoff(first: .seconds(1), limit: .seconds(10))
    #expect(
      (1...6).map { backoff.delay(failures: $0, chance: 0) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
  }

  @Test func chanceShortensByUpToAHalf() {
    let backoff = Backoff(first: .seconds(1), limit: .seconds(10))
    #expect(backoff.delay(failures: 1, chance: 1) == .milliseconds(500))
    #expect(backoff.delay(failures: 9, chance: 0.5) == .milliseconds(7500))
  }

  @Test func oddInputStaysWithinTheLimit() {
    for (first, limit) in [
      (Duration.zero, Duration.seconds(1)), (.seconds(5), .seconds(1)), (.seconds(-1), .seconds(1)),
    ] {
      for failures in [Int.min, 0, 1, 1000, Int.max] {
        #expect(Backoff(first: first, limit: limit).delay(failures: failures, chance: 7) <= limit)
      }
    }
  }
}
