import Beacons
import Core
import Proximity
import TestSupport
import Testing

/// Beacons that are heard every two seconds.
struct SlowBeaconTests {
  private let beacon = BeaconIndex(rawValue: 0)

  /// - Parameter levels: by receiver, dBm; nil: it does not hear the beacon.
  private func hear(
    _ levels: [Int8?], _ second: Int, _ tracker: inout RoomTracker, _ transitions: inout [RoomTransition]
  ) {
    let time = MonotonicTime(nanoseconds: 1_000_000_000_000) + .seconds(Double(second))
    tracker.advance(to: time, into: &transitions)
    for (place, level) in levels.enumerated() {
      guard let level else { continue }
      tracker.observe(
        Sighting(
          beacon: beacon, receiver: RoomScene.receiver(place), rssi: level, measuredPower: nil, time: time,
          wallTime: WallTime(nanoseconds: time.nanoseconds)))
    }
    tracker.advance(to: time + .seconds(1), into: &transitions)
  }

  @Test func `a level of an earlier window counts less than a new one`() throws {
    /// How probable its room is after a last window in which the room's receiver heard the beacon, or did not.
    func probability(isHeardLast: Bool) throws -> Double {
      var tracker = RoomTracker(RoomScene.plan(outlines: false))
      var transitions: [RoomTransition] = []
      for second in stride(from: 0, to: 20, by: 2) { hear([-60, -64, -70], second, &tracker, &transitions) }
      hear([isHeardLast ? -60 : nil, -64, -70], 20, &tracker, &transitions)
      let estimate = try #require(tracker.estimate(of: beacon))
      #expect(estimate.room == RoomIndex(rawValue: 0))
      return estimate.probability
    }
    #expect(try probability(isHeardLast: true) > probability(isHeardLast: false) + 0.001)
  }

  @Test(arguments: [true, false])
  func `another room is told only if one window leaves little doubt`(outlines: Bool) {
    var tracker = RoomTracker(RoomScene.plan(outlines: outlines))
    var transitions: [RoomTransition] = []
    var chance = SeededGenerator(seed: 5)
    for second in stride(from: 0, to: 800, by: 2) {
      // About in the doorway of the first two rooms.
      let levels = [-62, -62, -75].map { $0 + Int8.random(in: -6...6, using: &chance) }
      hear(levels, second, &tracker, &transitions)
    }
    let changes = transitions.filter { $0.event == .enter }.dropFirst().compactMap(\.probability)
    #expect(changes.count > 5)
    #expect(changes.allSatisfy { $0 >= 0.65 })
  }
}
