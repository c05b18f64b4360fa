import Beacons
import TestSupport
import Testing

@testable import Proximity

@Suite struct HearerSetTests {
  @Test(
    "It is a set, of a home's receivers and of a large site's", arguments: [6, 256, 300, 4096],
    0..<10 as Range<UInt64>)
  func same(hearers: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var sets = [HearerSet(), HearerSet()]
    var expected: [Set<Int>] = [[], []]
    func members(_ set: HearerSet) -> [Int] {
      var members: [Int] = []
      set.forEach { members.append($0) }
      return members
    }
    for _ in 0..<60 {
      let (side, hearer) = (
        Int.random(in: 0...1, using: &random), Int.random(in: 0..<hearers, using: &random)
      )
      if Int.random(in: 0..<4, using: &random) == 0 {
        sets[side].remove(hearer)
        expected[side].remove(hearer)
      } else {
        sets[side].insert(hearer)
        expected[side].insert(hearer)
      }
      #expect(sets[side].contains(hearer) == expected[side].contains(hearer))
      #expect(members(sets[0].union(sets[1])) == expected[0].union(expected[1]).sorted())
      #expect(members(sets[0].intersection(sets[1])) == expected[0].intersection(expected[1]).sorted())
      #expect(members(sets[0].subtracting(sets[1])) == expected[0].subtracting(expected[1]).sorted())
      #expect(sets[0].isSubset(of: sets[1]) == expected[0].isSubset(of: expected[1]))
      #expect(sets[0].intersection(sets[1]).isSubset(of: sets[1]))
      #expect((sets[0] == sets[1]) == (expected[0] == expected[1]))
    }
    var writer = StateCoder.body
    sets[0].write(to: &writer)
    var reader = StateCoder(body: writer.written())
    #expect(try HearerSet(reading: &reader) == sets[0])
  }

  @Test func `those beyond the bits are in order and no bits`() {
    for beyond: [UInt16] in [[300, 299], [300, 300], [255]] {
      var writer = StateCoder.body
      for _ in 0..<4 { writer.write(0 as UInt64) }
      writer.write(beyond)
      var reader = StateCoder(body: writer.written())
      #expect(throws: StateError.self) { try HearerSet(reading: &reader) }
    }
  }
}
