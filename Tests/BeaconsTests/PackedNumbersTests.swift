import Beacons
import Core
import TestSupport
import Testing

@Suite("Numbers of which most are equal") struct PackedNumbersTests {
  private func written(_ numbers: [Float]) -> [UInt8] {
    var words: [UInt32] = []
    PackedNumbers.pack(numbers, into: &words)
    var writer = StateCoder()
    writer.write(packed: words)
    return writer.finished()
  }

  private func read(_ octets: [UInt8], _ count: Int) throws -> [Float] {
    var reader = try StateCoder(reading: octets)
    let words = try reader.read(packed: count)
    try reader.finish()
    var numbers = [Float](repeating: 7, count: count)
    PackedNumbers.unpack(words, into: &numbers)
    return numbers
  }

  @Test("They are read as they were written", arguments: 0..<200 as Range<UInt64>)
  func same(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let few: [Float] = [0, -0, 1e-5, 0.25, .nan]
    var numbers: [Float] = []
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let number = few.randomElement(using: &random)!
      numbers += Array(repeating: number, count: Int.random(in: 1...9, using: &random))
    }
    #expect(try read(written(numbers), numbers.count).map(\.bitPattern) == numbers.map(\.bitPattern))
  }

  @Test("200 rooms of which three stand out take less than a tenth") func short() {
    var numbers = Array(repeating: 1e-5 as Float, count: 200)
    for room in [3, 90, 91] { numbers[room] = Float(room) }
    #expect(written(numbers).count < 80)
  }

  @Test("A count that is zero or too large is refused", arguments: [0, 5, -5, Int32.max, .min])
  func refused(length: Int32) throws {
    var writer = StateCoder()
    writer.write(length)
    for _ in 0..<8 { writer.write(1 as Float) }
    let octets = writer.finished()
    #expect(throws: StateError.self) { _ = try read(octets, 4) }
  }
}
