import Core
import TestSupport
import Testing

@testable import Beacons

@Suite struct PlaceTableTests {
  /// All keys collide in some bits, so that many are put off by others.
  private struct Key: PlaceKey {
    var number: UInt64
    func hash(_ seed: HashSeed) -> UInt64 { number & 15 | number << 40 }
  }

  @Test(arguments: 0..<5 as Range<UInt64>) func removingAKeyKeepsTheOthersReachable(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var table = PlaceTable<Key>()
    var numbers: [UInt64] = []
    for step in 0..<150 as Range<UInt64> {
      if numbers.count > 20, Bool.random(using: &dice) {
        let place = Int.random(in: numbers.indices, using: &dice)
        table.remove(at: place)
        #expect(table.place(of: Key(number: numbers[place])) == nil)
        numbers[place] = step << 3 | UInt64.random(in: 0..<8, using: &dice)
        table.put(Key(number: numbers[place]), at: place)
      } else {
        numbers.append(step << 3 | UInt64.random(in: 0..<8, using: &dice))
        table.append(Key(number: numbers[numbers.count - 1]))
      }
      for (place, number) in numbers.enumerated() {
        #expect(table.place(of: Key(number: number)) == place)
      }
    }
  }
}
