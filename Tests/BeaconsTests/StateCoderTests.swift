import Beacons
import Testing

/// Nothing in a snapshot is believed.
struct StateCoderTests {
  @Test(arguments: [0, 6, 7, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
  func anIndexIsBelowItsBound(index: UInt64) throws {
    var writer = StateCoder()
    writer.write(index)
    var reader = try StateCoder(reading: writer.finished())
    if index < 7 {
      #expect(try reader.index(below: 7) as UInt64 == index)
    } else {
      #expect(throws: StateError.self) { _ = try reader.index(below: 7) as UInt64 }
    }
  }

  @Test func anIndexIsNotNegative() throws {
    var writer = StateCoder()
    writer.write(-1 as Int32)
    var reader = try StateCoder(reading: writer.finished())
    #expect(throws: StateError.self) { _ = try reader.index(below: 7) as Int32 }
  }
}
