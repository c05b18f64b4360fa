import Beacons
import Core
import Proximity
import TestSupport
import Testing

/// Whoever gets the rows of a retired beacon is like one that nobody had before.
@Suite struct RetirementTests {
  private let zone = ZoneIndex(rawValue: 0)

  @Test func beaconsInAZoneAreNotRetired() {
    var scene = Scene([.simple()])
    let beacon = BeaconIndex(rawValue: 0)
    scene.hear(Signal.at3m, from: 0, to: 5)
    let early = scene.engine.retire(beacon)
    #expect(!early)
    scene.wait(until: 100)
    let first = scene.engine.retire(beacon)
    let second = scene.engine.retire(beacon)
    #expect(first && !second)
    #expect(scene.engine.state(of: beacon) == nil && scene.engine.lastSighting(of: beacon) == nil)
    #expect(scene.engine.estimate(of: beacon) == nil)
    scene.hear(Signal.at1m, at: 101)
    #expect(scene.story == ["enter 0.0", "exit 34.0"], "nobody has this index")
  }

  /// The zones' rooms are blind for a while: a row that the first one left must not speak for the second.
  @Test(arguments: [[0], [1], [0, 1]] as [[Int32]])
  func aNewOwnerEntersAZoneOfRoomsOnce(zones: [Int32]) {
    let kitchen = RoomIndex(rawValue: 0)
    let (tag, receiver) = (BeaconIndex(rawValue: 0), ReceiverIndex(rawValue: 0))
    let rule = Rule(threshold: .signal(-127), dwell: .zero)
    let zone = Zone(
      receivers: nil, near: nil, enter: rule, exit: rule, lost: .auto, rooms: [kitchen])
    var engine = ZoneEngine(site: Site(zones: [zone, zone]))
    var transitions: [Transition] = []
    var time = MonotonicTime.zero
    func pass() { time = time + .seconds(10) }
    func sight(_ isBlind: Bool) {
      pass()
      engine.see(
        RoomSight(isWatched: true, blind: isBlind ? [kitchen] : []), at: time, into: &transitions)
    }
    func put(_ room: RoomIndex?) {
      pass()
      engine.observe(RoomDecision(room: room, receiver: receiver), of: tag, at: time, into: &transitions)
    }
    sight(false)
    engine.admit(tag, zones: [0, 1].map { ZoneIndex(rawValue: $0) })
    put(kitchen)
    put(nil)
    #expect(transitions.map(\.event) == [.enter, .enter, .exit, .exit])
    let isRetired = engine.retire(tag)
    #expect(isRetired)
    transitions = []
    engine.admit(tag, zones: zones.map { ZoneIndex(rawValue: $0) })
    put(kitchen)
    sight(true)
    sight(false)
    #expect(transitions.map(\.event) == zones.map { _ in .enter })
    #expect(transitions.map(\.zone.rawValue).sorted() == zones)
  }

  /// Two engines hear the same random story; in one of them beacons are retired and admitted anew while they are
  /// silent and in no zone. The other meets another beacon each time.
  @Test(arguments: 0..<30 as Range<UInt64>) func theNextOwnerIsDecidedAsANewcomer(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let zones = [
      Zone.simple(near: 2, enterDwell: 1, exitDwell: 1), .simple(enter: .distance(9), exit: .distance(12)),
    ]
    var reused = Scene(zones, beacons: 3)
    var fresh = Scene(zones, beacons: 400)
    // By index in `reused`: who that is in `fresh`.
    var names: [Int32] = [0, 1, 2]
    var next = 3 as Int32
    var time = 0.0
    var told: [Int32: Int32] = [0: 0, 1: 1, 2: 2]
    var retired = 0
    for _ in 0..<3000 {
      time += Double.random(in: 0...2, using: &dice)
      if Int.random(in: 0..<30, using: &dice) == 0 {
        time += 60
        reused.wait(until: time)
        fresh.wait(until: time)
        let index = Int32.random(in: 0..<3, using: &dice)
        if next < 400, reused.engine.retire(BeaconIndex(rawValue: index)) {
          reused.engine.admit(
            BeaconIndex(rawValue: index), zones: zones.indices.map { ZoneIndex(rawValue: Int32($0)) })
          names[Int(index)] = next
          told[next] = index
          next += 1
          retired += 1
        }
      }
      let index = Int32.random(in: 0..<3, using: &dice)
      let level = Int8.random(in: Int(time / 15) % 2 == 0 ? -66 ... -58 : -92 ... -78, using: &dice)
      let receiver = UInt16.random(in: 0..<2, using: &dice)
      reused.hear(level, at: time, receiver: receiver, beacon: index)
      fresh.hear(level, at: time, receiver: receiver, beacon: names[Int(index)])
    }
    #expect(retired > 1)
    #expect(reused.story == fresh.story)
    #expect(reused.transitions.map(\.evidence) == fresh.transitions.map(\.evidence))
    #expect(reused.transitions.map(\.beacon.rawValue) == fresh.transitions.map { told[$0.beacon.rawValue] })
  }
}
