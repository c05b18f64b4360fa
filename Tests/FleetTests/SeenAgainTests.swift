@testable import Fleet
import TestSupport
import Testing

/// What a queue gives out again after a takeover.
@Suite struct SeenAgainTests {
  /// Of messages with these hashes: which are taken for new.
  private func new(_ messages: [UInt64], seen: [UInt64]) -> [Int] {
    var again = SeenAgain<Int>(seen)
    var new: [Int] = []
    for (number, hash) in messages.enumerated() { new += again.take(hash, number)?.new ?? [] }
    return new
  }

  @Test func `what the state has seen is passed over`() {
    #expect(new([1, 2, 3, 4, 5], seen: [1, 2, 3]) == [3, 4])
    #expect(new([2, 3, 4], seen: [1, 2, 3]) == [2])
    #expect(new([4, 5], seen: [1, 2, 3]) == [0, 1])
    #expect(new([4, 5], seen: []) == [0, 1])
  }

  @Test func `a message that says the same as an earlier one is new all the same`() {
    #expect(new([1, 9, 8], seen: [1, 2, 3]) == [0, 1, 2])
    #expect(new([1, 2, 9], seen: [1, 2, 1, 2, 3]) == [0, 1, 2])
    #expect(new([3, 1, 3, 7], seen: [3, 1, 3]) == [3])
    #expect(new([3, 7], seen: [3, 1, 3]) == [1])
  }

  /// Messages that often say the same, as those of gateways that come and go, between ticks, which never do.
  @Test(arguments: 0..<400 as Range<UInt64>) func nothingIsLostAndNothingComesTwice(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    let queue = (0..<60 as Range<UInt64>).map { number in
      Int.random(in: 0..<3, using: &dice) == 0 ? 1000 + number : UInt64.random(in: 0..<4, using: &dice)
    }
    let position = Int.random(in: 10..<40, using: &dice)
    let open = Int.random(in: 0..<position, using: &dice)
    let start = Int.random(in: open...position, using: &dice)
    // What comes after a tick that is new cannot be taken for anything else.
    let messages = Array(queue[start..<position]) + [5000] + queue[position...]
    let expected = Array((position - start)..<messages.count)
    #expect(new(messages, seen: Array(queue[open..<position])) == expected)
  }
}
