import Beacons
import Core
import TestSupport
import Testing

@testable import Proximity

/// A row of rooms without outlines, a receiver in each, and one beacon that is carried along it.
private struct Row {
  var tracker: RoomTracker
  var transitions: [RoomTransition] = []
  private var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private let count: Int
  private var random = SeededGenerator(seed: 7)
  static let beacon = BeaconIndex(rawValue: 0)

  static func plan(_ count: Int) -> RoomPlan {
    let receivers = (0..<count).map { ReceiverIndex(rawValue: UInt16($0)) }
    return RoomPlan(
      rooms: receivers.map { .init(receivers: [$0]) }, hearers: receivers.map { .init(receiver: $0) })
  }

  init(_ count: Int) {
    self.count = count
    tracker = RoomTracker(Self.plan(count))
  }

  /// The receivers of the room and of the two on each side hear it, each next one 12 dB weaker.
  mutating func stay(in room: Int, seconds: Int) {
    for _ in 0..<(2 * seconds) {
      for receiver in max(0, room - 2)...min(count - 1, room + 2) {
        let noise = Int8.random(in: -4...4, using: &random)
        tracker.observe(
          Sighting(
            beacon: Self.beacon, receiver: ReceiverIndex(rawValue: UInt16(receiver)),
            rssi: Int8(-60 - 12 * abs(receiver - room)) + noise, measuredPower: nil, time: time,
            wallTime: WallTime(nanoseconds: time.nanoseconds)))
      }
      time = time + .milliseconds(500)
      tracker.advance(to: time, into: &transitions)
    }
  }

  /// From the room on, one after another.
  mutating func walk(from first: Int, rooms: Int) {
    for room in first..<(first + rooms) { stay(in: room, seconds: 15) }
  }

  var moves: [String] {
    transitions.map { "\($0.event) \($0.room.rawValue) \($0.time) \($0.evidence.map(\.receiver.rawValue))" }
  }
}

@Suite struct ManyRoomsTests {
  @Test func `nearby rooms decide as all rooms do`() throws {
    var (few, many) = (Row(63), Row(64))
    few.walk(from: 50, rooms: 10)
    many.walk(from: 50, rooms: 10)
    #expect(few.transitions.count >= 19)
    #expect(few.moves == many.moves)
    for (few, many) in zip(few.transitions, many.transitions) {
      #expect(abs((few.probability ?? 0) - (many.probability ?? 0)) < 0.01)
    }
    let (first, second) = try (
      #require(few.tracker.shares(of: Row.beacon)), #require(many.tracker.shares(of: Row.beacon))
    )
    for (first, second) in zip(first, second) { #expect(abs(first - second) < 0.01) }
    #expect(abs(second.reduce(0, +) - 1) < 1e-4)
  }

  @Test func `a site may have 4,096 rooms and receivers`() throws {
    var row = Row(4096)
    row.walk(from: 4080, rooms: 16)
    #expect(row.transitions.filter { $0.event == .enter }.map { Int($0.room.rawValue) } == Array(4080..<4096))
    let estimate = try #require(row.tracker.estimate(of: Row.beacon))
    #expect(estimate.room?.rawValue == 4095 && estimate.probability > 0.8)
    #expect(estimate.runnerUp != nil)
    let shares = try #require(row.tracker.shares(of: Row.beacon))
    #expect(shares.count == 4096 && abs(shares.reduce(0, +) - 1) < 1e-4)
  }

  @Test func `what a beacon keeps does not grow with the site`() throws {
    let sizes = try [300, 4096].map { count in
      var row = Row(count)
      let empty = row.octets.count
      row.walk(from: 280, rooms: 10)
      var restored = Row(count)
      var reader = try StateCoder(reading: row.octets)
      reader.bounds.receivers = count
      reader.bounds.beacons = 1
      try restored.tracker.restore(from: &reader)
      try reader.finish()
      #expect(restored.octets == row.octets)
      return row.octets.count - empty
    }
    #expect(sizes[0] == sizes[1])
    #expect(sizes[0] < 2000)
  }
}

extension Row {
  fileprivate var octets: [UInt8] {
    var writer = StateCoder()
    tracker.snapshot(into: &writer)
    return writer.finished()
  }
}
