import Beacons
import Core
import TestSupport
import Testing

@testable import Proximity

@Suite("Beliefs of many tracks") struct RoomBeliefsTests {
  private static func beliefs(rooms: Int) -> RoomBeliefs {
    let plan = RoomPlan(
      rooms: (0..<rooms).map { RoomPlan.Room(receivers: [ReceiverIndex(rawValue: UInt16($0))]) },
      hearers: (0..<rooms).map { RoomPlan.Hearer(receiver: ReceiverIndex(rawValue: UInt16($0))) })
    return RoomBeliefs(RoomModel(plan, nil, rooms: [], receivers: [], floors: []))
  }

  /// Some rooms stand out, as those do whose receivers hear the beacon; sometimes all.
  private static func change(_ belief: UnsafeMutableBufferPointer<Float>, _ random: inout SeededGenerator) {
    let share = [0, 0.02, 0.2, 1].randomElement(using: &random)!
    let usual = Float.random(in: 0...1, using: &random)
    for place in belief.indices {
      belief[place] =
        Double.random(in: 0..<1, using: &random) < share ? Float.random(in: 0...1, using: &random) : usual
    }
  }

  @Test(
    "Packed or not, they are read as they were changed, and so they are after a snapshot",
    arguments: [3, 100],
    0..<40 as Range<UInt64>)
  func same(rooms: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var beliefs = Self.beliefs(rooms: rooms)
    var expected: [[Float]] = []
    for _ in 0..<200 {
      if expected.isEmpty || Int.random(in: 0..<8, using: &random) == 0 {
        beliefs.append()
        expected.append(beliefs.prior)
      }
      let track = Int.random(in: expected.indices, using: &random)
      if Int.random(in: 0..<6, using: &random) == 0 {
        beliefs.reset(track)
        expected[track] = beliefs.prior
      } else {
        beliefs.change(track) { belief in
          Self.change(belief, &random)
          expected[track] = Array(belief)
        }
      }
      #expect(beliefs.look(track) { Array($0) } == expected[track])
    }
    var writer = StateCoder()
    for track in expected.indices { beliefs.write(track, to: &writer) }
    var reader = try StateCoder(reading: writer.finished())
    var restored = Self.beliefs(rooms: rooms)
    for _ in expected { try restored.append(from: &reader) }
    try reader.finish()
    for (track, expected) in expected.enumerated() {
      #expect(beliefs.read(track) { Array($0) } == expected)
      #expect(restored.read(track) { Array($0) } == expected)
    }
  }
}
