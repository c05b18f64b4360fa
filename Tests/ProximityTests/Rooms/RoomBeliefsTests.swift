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

  /// Some rooms stand out, as those do whose receivers hear the beacon.
  private static func change(_ belief: UnsafeMutableBufferPointer<Float>, _ random: inout SeededGenerator) {
    for place in belief.indices where Bool.random(using: &random) {
      belief[place] = Float.random(in: 0.01...1, using: &random)
    }
  }

  private static func near(_ rooms: some Sequence<Int32>, of all: Int) -> NearbyRooms {
    var nearby = NearbyRooms()
    nearby.update(heard: [], near: rooms, of: all)
    return nearby
  }

  @Test(
    "All rooms or the nearby ones, they are read as they were changed, and so they are after a snapshot",
    arguments: [3, 100, 4096],
    0..<20 as Range<UInt64>)
  func same(rooms: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var beliefs = Self.beliefs(rooms: rooms)
    var known: [Set<Int32>] = []
    var expected: [[Float]] = []
    func nearby(_ track: Int) -> NearbyRooms? { rooms < 64 ? nil : Self.near(known[track], of: rooms) }
    for _ in 0..<200 {
      if expected.isEmpty || Int.random(in: 0..<8, using: &random) == 0 {
        beliefs.append()
        known.append([])
        expected.append(rooms < 64 ? beliefs.prior : [1])
      }
      let track = Int.random(in: expected.indices, using: &random)
      if Int.random(in: 0..<6, using: &random) == 0 {
        beliefs.reset(track)
        known[track] = []
        expected[track] = rooms < 64 ? beliefs.prior : [1]
      } else {
        for _ in 0..<3 { known[track].insert(Int32.random(in: 0..<Int32(rooms), using: &random)) }
        beliefs.change(track, nearby(track)) { belief in
          Self.change(belief, &random)
          expected[track] = Array(belief)
        }
      }
      #expect(beliefs.look(track, nearby(track)) { Array($0) } == expected[track])
    }
    var writer = StateCoder()
    for track in expected.indices { beliefs.write(track, to: &writer) }
    let octets = writer.finished()
    if rooms > 64 { #expect(octets.count < 30 * (1 + known.reduce(expected.count) { $0 + $1.count })) }
    var reader = try StateCoder(reading: octets)
    var restored = Self.beliefs(rooms: rooms)
    for _ in expected { try restored.append(from: &reader) }
    try reader.finish()
    for track in expected.indices {
      #expect(restored.look(track, nearby(track)) { Array($0) } == expected[track])
    }
  }

  @Test(arguments: [3, 100], [Float.nan, .infinity])
  func `what is no probability is no state`(rooms: Int, wrong: Float) throws {
    var beliefs = Self.beliefs(rooms: rooms)
    beliefs.append()
    beliefs.change(0, rooms < 64 ? nil : Self.near([1], of: rooms)) { $0[0] = wrong }
    var writer = StateCoder()
    beliefs.write(0, to: &writer)
    var reader = try StateCoder(reading: writer.finished())
    var restored = Self.beliefs(rooms: rooms)
    #expect(throws: StateError.self) { try restored.append(from: &reader) }
  }

  @Test func `a room that becomes one of its own takes its part of the others`() {
    var beliefs = Self.beliefs(rooms: 100)
    beliefs.append()
    beliefs.change(0, Self.near([4], of: 100)) {
      $0[0] = 0.505; $0[1] = 0.495
    }
    #expect(beliefs.probabilityOfOthers(0) == 0.005)
    let spread = beliefs.look(0, Self.near([4, 7], of: 100)) { Array($0) }
    #expect(zip(spread, [0.505, 0.005, 0.49]).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
