import Beacons
import Core
import Testing

@testable import Proximity

/// Rooms that are just names, and the receiver of one says nothing any more. The others hear the beacon as before, some of them
/// well.
@Suite struct FailingReceiverTests {
  /// Four advertisements a second, at each receiver as loud as `levels` say, give or take `swing` dB.
  private func stay(_ scene: inout RoomScene, _ levels: [Int8?], seconds: Int, swing: Int8 = 0) {
    let swings: [Int8] = [0, 1, -1, 1, 0, -1, -1, 1, 0, 0]
    for step in 0..<(4 * seconds) {
      for (place, level) in levels.enumerated() {
        guard let level else { continue }
        scene.hear(level + swing * swings[(step * 3 + place * 7) % swings.count], at: place)
      }
      scene.advance(.milliseconds(250))
    }
  }

  /// 13 dB between the room's own receiver and the next are those of a corner.
  @Test(arguments: [(-62, 0), (-58, 0), (-62, 4), (-70, 4)] as [(Int8, Int8)], [true, false])
  func itMovesNobody(levels: (next: Int8, swing: Int8), isKnown: Bool) {
    let (next, swing) = levels
    var scene = RoomScene(RoomScene.plan(outlines: false))
    stay(&scene, [next, -55, -80], seconds: 60, swing: swing)
    #expect(scene.entered == [1])
    if isKnown { scene.setBlind(1, true) }
    stay(&scene, [next, nil, -80], seconds: 600, swing: swing)
    #expect(scene.entered == [1])
    if isKnown { scene.setBlind(1, false) }
    stay(&scene, [next, -55, -80], seconds: 60, swing: swing)
    #expect(scene.entered == [1])
  }

  @Test(arguments: [true, false]) func whoLeavesIsStillFound(isKnown: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: false))
    stay(&scene, [-62, -55, -80], seconds: 60, swing: 3)
    if isKnown { scene.setBlind(1, true) }
    stay(&scene, [-62, nil, -80], seconds: 60, swing: 3)
    stay(&scene, [-75, nil, -50], seconds: 20, swing: 3)
    #expect(scene.entered == [1, 2])
  }

  /// Right after the reload one receiver alone is heard. It fits the old room as well as any, with some power; and that power would
  /// confirm the old room for ever, because its own receiver is blind.
  @Test func `who left a blind room is found, also if a reload adds a room in that moment`() throws {
    let few = RoomScene.plan(outlines: false)
    var scene = RoomScene(
      RoomPlan(rooms: Array(few.rooms.prefix(2)), hearers: Array(few.hearers.prefix(2)), doors: []))
    stay(&scene, [-84, -52], seconds: 15)
    stay(&scene, [-96, -82], seconds: 2)
    scene.setBlind(1, true)
    stay(&scene, [-96, nil], seconds: 60)
    let state = try #require(scene.tracker.state(of: scene.beacon))
    scene.tracker = RoomTracker(few)
    scene.setBlind(1, true)
    scene.tracker.restore(state, of: scene.beacon, sightSince: scene.time)
    stay(&scene, [-35, nil, nil], seconds: 1)
    stay(&scene, [-35, nil, -84], seconds: 10)
    #expect(scene.room == 0)
  }

  /// Right after the reload the old room's receiver alone speaks, and the power with which that room fits would confirm it for ever.
  @Test(arguments: [[nil, nil, -84], [-52, nil, nil]] as [[Int8?]], [0, 1, 4])
  func `who is in a room that a reload adds is found, whoever speaks first`(first: [Int8?], seconds: Int)
    throws
  {
    let few = RoomScene.plan(outlines: false)
    var scene = RoomScene(
      RoomPlan(rooms: Array(few.rooms.suffix(2)), hearers: Array(few.hearers.suffix(2)), doors: []))
    scene.setBlind(1, true)
    stay(&scene, [nil, nil, -84], seconds: 15)
    let state = try #require(scene.tracker.state(of: scene.beacon))
    scene.tracker = RoomTracker(few)
    scene.setBlind(1, true)
    var moved = state
    moved.track.told += 1
    scene.tracker.restore(moved, of: scene.beacon, sightSince: scene.time)
    stay(&scene, first, seconds: seconds)
    stay(&scene, [-52, nil, -84], seconds: 10)
    #expect(scene.room == 0)
  }

  /// The slowest scanners speak every five seconds.
  @Test(arguments: [0, 2, 4], [-60, -75] as [Int8])
  func `who stays in its room when others change is not told elsewhere, whoever speaks first`(
    seconds: Int, level: Int8
  ) throws {
    let few = RoomScene.plan(outlines: false)
    var scene = RoomScene(few)
    stay(&scene, [nil, level, -84], seconds: 15)
    var state = try #require(scene.tracker.state(of: scene.beacon))
    #expect(state.room == RoomIndex(rawValue: 1))
    state.track.told = 0
    scene.tracker = RoomTracker(
      RoomPlan(rooms: Array(few.rooms.suffix(2)), hearers: Array(few.hearers.suffix(2)), doors: []))
    scene.tracker.restore(state, of: scene.beacon, sightSince: scene.time)
    scene.transitions.removeAll()
    stay(&scene, [nil, nil, -84], seconds: seconds)
    stay(&scene, [nil, level, -84], seconds: 30)
    #expect(scene.transitions.isEmpty && scene.room == 0)
  }

  /// The receiver hears another beacon, so it works: this one is not in its room any more.
  @Test func oneThatOnlyDoesNotHearThisBeaconDidNotFail() {
    var scene = RoomScene(RoomScene.plan(outlines: false))
    stay(&scene, [-62, -55, -80], seconds: 60)
    for _ in 0..<120 {
      scene.hear(-52, at: 0)
      scene.hear(-50, at: 1, beacon: BeaconIndex(rawValue: 1))
      scene.advance(.milliseconds(250))
    }
    #expect(scene.entered.last == 0 && scene.room == 0)
  }

  /// Nothing that the others hear speaks for a room in which nobody sees.
  @Test func nobodyEntersARoomThatIsBlind() {
    var scene = RoomScene(RoomScene.plan(outlines: false))
    stay(&scene, [-80, -55, -60], seconds: 30, swing: 3)
    scene.setBlind(0, true)
    stay(&scene, [nil, -78, -79], seconds: 300, swing: 4)
    #expect(scene.entered.first == 1 && !scene.entered.contains(0))
  }

  /// As an access point does that takes all boards but one with it.
  @Test(arguments: [true, false]) func whoIsHeardBestByTheBlindStaysThoughAnotherSees(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    stay(&scene, [-55, -70, -85], seconds: 30, swing: 3)
    for place in 0...1 { scene.setBlind(place, true) }
    scene.advance(.seconds(600))
    #expect(scene.entered == [0] && scene.room == 0)
    for place in 0...1 { scene.setBlind(place, false) }
    scene.advance(.seconds(600))
    #expect(scene.room == nil)
  }

  @Test func whoIsHeardBestByOneThatSeesLeavesBySilence() {
    var scene = RoomScene()
    stay(&scene, [-55, -70, -85], seconds: 30, swing: 3)
    for place in 1...2 { scene.setBlind(place, true) }
    scene.advance(.seconds(600))
    #expect(scene.room == nil)
  }
}
