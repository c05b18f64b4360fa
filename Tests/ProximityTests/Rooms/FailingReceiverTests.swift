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

  /// A beacon that lies in a room, and one of three receivers that is heard no more. Each place, and each receiver.
  @Test(arguments: [true, false]) func whoLiesStillStaysWhoeverFails(outlines: Bool) {
    var moved = 0
    for seed in 0..<12 as Range<UInt64> {
      let middle = RoomScene.middles[Int(seed % 3)]
      let place = Point(
        x: middle.x + Double(seed % 4) * 0.8 - 1.2, y: middle.y + Double(seed % 5) * 0.6 - 1.2)
      var scene = RoomScene(RoomScene.plan(outlines: outlines), seed: seed)
      scene.stay(at: place, seconds: 60)
      let room = scene.room
      for receiver in 0..<3 {
        var next = scene
        next.muted = [receiver]
        next.transitions.removeAll()
        next.stay(at: place, seconds: 60)
        if next.room != room || !next.transitions.isEmpty { moved += 1 }
      }
    }
    #expect(moved == 0)
  }

  /// The scanner at the beacon's new room listens for five seconds, then pauses for five, as it always did.
  @Test(arguments: [true, false]) func aUsualPauseHoldsNobody(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    for step in 0..<12 {
      scene.muted = step % 2 == 0 ? [] : [1]
      scene.stay(at: RoomScene.middles[0], seconds: 5, deviation: 2)
    }
    #expect(scene.entered == [0])
    scene.muted = []
    scene.stay(at: RoomScene.middles[0], seconds: 4, deviation: 2)
    scene.muted = [1]
    scene.stay(at: RoomScene.middles[2], seconds: 6, deviation: 2)
    #expect(scene.entered == [0, 2])
  }

  /// What the silent one heard last speaks for the old room for no longer than until the beacon is elsewhere.
  @Test(arguments: [true, false]) func whoWalksAwayFromASilentReceiverIsFound(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    scene.stay(at: RoomScene.middles[0], seconds: 60)
    scene.muted = [0]
    scene.stay(at: RoomScene.middles[0], seconds: 20)
    scene.walk(from: RoomScene.middles[0], to: RoomScene.middles[2])
    scene.stay(at: RoomScene.middles[2], seconds: 10)
    #expect(scene.room == 2)
    scene.muted = []
    scene.walk(from: RoomScene.middles[2], to: RoomScene.middles[0])
    scene.stay(at: RoomScene.middles[0], seconds: 10)
    #expect(scene.room == 0)
  }

  /// One beacon, and a receiver that it often leaves for longer: that receiver did not fail.
  @Test func aReceiverThatOftenHearsNothingIsNotTrustedForLong() {
    var pauses = ReceiverPauses(hearers: 2)
    for step in 0..<10 as Range<Int64> { pauses.note(1, of: 1, in: step) }
    pauses.note(60, of: 0, in: 70)
    #expect(pauses.keepsLevels(0, after: 33) && !pauses.keepsLevels(0, after: 34))
    #expect(!pauses.isDoubtful(0, after: 33))
    #expect(pauses.keepsLevels(1, after: 1000) && !pauses.keepsLevels(1, after: 1001))
    #expect(pauses.isDoubtful(1, after: 3) && !pauses.isDoubtful(1, after: 2))
    #expect(pauses.isDoubtful(1, after: 33) && !pauses.isDoubtful(1, after: 34))
    // Forgotten after ten minutes.
    pauses.note(1, of: 0, in: 2500)
    #expect(pauses.keepsLevels(0, after: 1000))
    // Or by a clock that has less.
    pauses.note(60, of: 0, in: 2600)
    #expect(!pauses.keepsLevels(0, after: 34))
    pauses.note(1, of: 0, in: 100)
    #expect(pauses.keepsLevels(0, after: 1000))
  }
}

/// The recorded flat, in which a receiver is heard no more for nine seconds, or pauses now and then.
@Suite(.enabled(if: RecordedFlat.isThere), .serialized) struct SilentReceiverInTheFlatTests {
  private let flat: RecordedFlat
  /// The rows by window.
  private let steps: [[RecordedFlat.Row]]

  init() throws {
    flat = try RecordedFlat()
    steps = flat.rows.chunked { RoomWindows.window(of: $0.time) }
  }

  private func tracker(outlines: Bool) -> RoomTracker {
    var plan = flat.plan
    if !outlines { for room in plan.rooms.indices { plan.rooms[room].outline = [] } }
    return RoomTracker(plan)
  }

  /// nil: in none.
  private func room(_ tracker: RoomTracker) -> Int? {
    tracker.room(of: BeaconIndex(rawValue: 0)).map { Int($0.rawValue) }
  }

  private func hear(
    _ step: [RecordedFlat.Row], _ tracker: inout RoomTracker, if isHeard: (RecordedFlat.Row) -> Bool
  ) {
    for row in step where isHeard(row) { tracker.observe(flat.sighting(row)) }
    var transitions: [RoomTransition] = []
    tracker.advance(to: RoomWindows.end(of: RoomWindows.window(of: step[0].time)), into: &transitions)
  }

  /// Who is told in a room that is neither true nor, within three seconds, told with that receiver. It was moving
  /// between two rooms then.
  @Test(arguments: [(false, 2), (true, 3)]) func itsSilenceMovesNobody(outlines: Bool, most: Int) {
    var tracker = tracker(outlines: outlines)
    var copies: [(start: Int, tracker: RoomTracker)] = []
    var told: [Int?] = []
    for (index, step) in steps.enumerated() {
      hear(step, &tracker) { _ in true }
      told.append(room(tracker))
      if index % 180 == 100, told[index] != nil { copies.append((index, tracker)) }
    }
    var moved = 0
    for copy in copies {
      for receiver in 0..<6 {
        var tracker = copy.tracker
        moved +=
          steps.indices.dropFirst(copy.start + 1).prefix(30).contains { index in
            hear(steps[index], &tracker) { $0.receiver != receiver }
            let room = room(tracker)
            let near = max(0, index - 10)...min(told.count - 1, index + 10)
            return room != steps[index][0].room && !told[near].contains(room)
          } ? 1 : 0
      }
    }
    #expect(copies.count > 15)
    #expect(moved <= most, "\(moved) of \(6 * copies.count)")
  }

  /// Five seconds on, five off, each at its own time. Before, 79 %, 39 changes and 80 %, 68 changes.
  @Test(arguments: [(false, 0.8, 36), (true, 0.81, 48)])
  func scannersThatPauseAreRightAsOften(outlines: Bool, least: Double, most: Int) {
    var tracker = tracker(outlines: outlines)
    var (right, changes, last) = (0, 0, Int?.none)
    for step in steps {
      hear(step, &tracker) { row in
        let phase = Double(row.receiver * 37 % 60) / 6
        return ((row.time - flat.rows[0].time).seconds + phase).truncatingRemainder(dividingBy: 10) < 5
      }
      let room = room(tracker)
      if room == step[0].room { right += 1 }
      if let room {
        if let last, room != last { changes += 1 }
        last = room
      }
    }
    #expect(Double(right) >= least * Double(steps.count), "\(Double(right) / Double(steps.count))")
    #expect(changes <= most)
  }
}

extension Array {
  /// Consecutive elements of the same key.
  fileprivate func chunked<Key: Equatable>(_ key: (Element) -> Key) -> [[Element]] {
    reduce(into: []) { chunks, element in
      if let last = chunks.last?.last, key(last) == key(element) {
        chunks[chunks.count - 1].append(element)
      } else {
        chunks.append([element])
      }
    }
  }
}
