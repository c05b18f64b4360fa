import TestSupport
import Testing

@testable import Proximity

struct CumulativeSumTests {
  /// The first change that is found in what is heard, and after how many words.
  private func change(in rises: [Float]) -> (decibels: Float, words: Int)? {
    var sum = CumulativeSum()
    for (index, rise) in rises.enumerated() {
      if let decibels = sum.note(rise) { return (decibels, index + 1) }
    }
    return nil
  }

  @Test func aLastingRiseIsFoundWithItsSize() throws {
    let found = try #require(change(in: [Float](repeating: 18, count: 40)))
    #expect(found.decibels == 18)
    #expect(found.words == 15)
  }

  @Test func whatWasBeforeTheRiseDoesNotCount() throws {
    let found = try #require(
      change(in: [Float](repeating: -3, count: 1000) + [Float](repeating: 10, count: 60)))
    #expect(found.decibels == 10)
    #expect(found.words == 1000 + 21)
  }

  @Test func aFewDecibelsAreNoChange() { #expect(change(in: [Float](repeating: 5, count: 10_000)) == nil) }

  @Test func oneOddWordIsNoChange() { #expect(change(in: [200]) == nil) }

  @Test func noiseOfVisitsIsSeldomAChange() {
    var chance = SeededGenerator(seed: 5)
    var found = 0
    for _ in 0..<100 {
      var rises: [Float] = []
      for _ in 0..<30 {
        let visit = (0..<12).reduce(Float(-6)) { sum, _ in sum + .random(in: 0..<1, using: &chance) } * 4
        rises += [Float](repeating: visit, count: 10)
      }
      if change(in: rises) != nil { found += 1 }
    }
    #expect(found < 10, "of 100 times 30 visits")
  }
}
