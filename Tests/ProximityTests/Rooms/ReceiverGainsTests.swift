import Beacons
import Core
import Glibc
import TestSupport
import Testing

@testable import Proximity

/// Receivers whose boards hear more or less than the others', and nothing was measured.
@Suite struct ReceiverGainsTests {
  /// Three rooms in a row, a receiver in each. `excess` is by hearer and room.
  private func gains(_ words: Int, visits: Int = 12, excess: (Int, Int) -> Float?) -> ReceiverGains {
    var gains = ReceiverGains(RoomScene.plan(outlines: false), nil)
    for room in 0..<3 {
      for _ in 0..<visits { stay(in: room, &gains) }
    }
    for _ in 0..<words {
      for hearer in 0..<3 {
        for room in 0..<3 {
          if let excess = excess(hearer, room) { gains.note(excess, of: hearer, in: room) }
        }
      }
    }
    return gains
  }

  private func stay(in room: Int, _ gains: inout ReceiverGains) {
    gains.begin(0)
    for _ in 0..<30 { _ = gains.counts(0, in: room) }
  }

  /// 20 dB through a wall, 30 dB through two, and the middle room's receiver hears 9 dB more.
  private func level(_ hearer: Int, _ room: Int) -> Float {
    [0, -20, -30][abs(hearer - room)] + (hearer == 1 ? 9 : 0)
  }

  @Test func theDifferenceIsLearntWithoutWallsOrDistances() {
    let learnt = gains(100, excess: level).decibels
    // Two receivers speak for it, each with ¾ of its weight after twelve visits, and one doubts.
    #expect(abs(learnt[1] - learnt[0] - 9 * 2.25 / 2.5) < 0.01)
    #expect(learnt[0] == learnt[2])
  }

  @Test func alikeReceiversLearnNothing() {
    let learnt = gains(100) { level($0, $1) - ($0 == 1 ? 9 : 0) }.decibels
    #expect(learnt == [0, 0, 0])
  }

  @Test func aFewWordsDecideNothing() {
    #expect(gains(39, excess: level).decibels == [0, 0, 0])
  }

  /// Its place in the room may be odd.
  @Test func oneVisitSaysLittle() {
    let few = gains(100, visits: 1, excess: level).decibels
    #expect((1..<4).contains(few[1] - few[0]))
  }

  /// That one room's receiver hears more there says nothing: it is its room.
  @Test func aRoomWhereNobodyWasSaysNothing() {
    #expect(gains(100) { $1 == 1 ? self.level($0, $1) : nil }.decibels == [0, 0, 0])
  }

  @Test func whatAnEarlierRunLearntHoldsUntilEnoughIsHeardAnew() {
    let learnt = gains(100, excess: level).decibels
    var next = gains(0, excess: level)
    next.adopt(learnt.map { $0 })
    #expect(next.decibels == learnt)
    for _ in 0..<64 { next.note(learnt[0], of: 0, in: 0) }
    #expect(zip(next.decibels, learnt).allSatisfy { abs($0 - $1) < 1 })
  }

  @Test func nonsenseFromAStateIsBounded() {
    var gains = gains(0, excess: level)
    gains.adopt([.infinity, 1000, 0])
    #expect(gains.decibels == [0, 6, 0])
  }

  @Test func aBeaconThatLiesStillCountsForAMinute() {
    var gains = gains(0, excess: level)
    func counted() -> Int { (0..<1000).count { _ in gains.counts(3, in: 0) } }
    #expect(counted() == 0)
    for _ in 0..<2 {
      gains.begin(3)
      #expect(counted() == 180)
    }
  }

  /// The middle receiver hears 12 dB more than the others.
  @Test(arguments: [true, false]) func aLoudReceiverIsFoundOut(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    scene.gains[1] = 12
    for room in (0..<10).flatMap({ _ in [0, 1, 2, 1] }) {
      for step in 0..<40 {
        let middle = RoomScene.middles[room]
        scene.hear(at: Point(x: middle.x + Double(step % 5 - 2) * 0.6, y: 1 + Double(step % 3)))
        scene.advance(.milliseconds(500))
      }
    }
    let gains = scene.tracker.receiverGains
    #expect((gains[RoomScene.receiver(1)] ?? 0) - (gains[RoomScene.receiver(0)] ?? 0) > 6)
    // What a receiver heard is told as it was heard.
    for evidence in scene.transitions.last?.evidence ?? [] where evidence.receiver == RoomScene.receiver(1) {
      #expect(evidence.rssi > -70)
    }
  }
}

/// One of six receivers hears much more or less than the others, in three rooms with outlines.
@Suite struct FittedGainsTests {
  private static let mounts = [(1, 1), (3, 3), (5, 3), (7, 1), (9, 1), (11, 3)].map { Point(x: $0, y: $1) }

  /// - Parameters:
  ///   - places: where the beacon is, for five seconds each.
  ///   - seconds: how long it is followed.
  private func gains(_ gain: Double, of receiver: Int, places: [Point], seconds: Int) -> [Float] {
    var plan = RoomScene.plan()
    plan.hearers = Self.mounts.indices.map {
      .init(
        receiver: RoomScene.receiver($0), position: Position(x: Self.mounts[$0].x, y: Self.mounts[$0].y, z: 2)
      )
    }
    var gains = FittedGains(plan, RoomModel(plan, nil, rooms: [], receivers: [], floors: []))
    var chance = SeededGenerator(seed: 7)
    for window in 0..<(seconds * 10 / 3) {
      let place = places[window * 3 / 50 % places.count]
      let hearings = Self.mounts.enumerated().map { hearer, mount in
        let distance = (pow(place.x - mount.x, 2) + pow(place.y - mount.y, 2) + 0.64).squareRoot()
        let walls = abs(Int(place.x / 4) - Int(mount.x / 4))
        let noise = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -3...3, using: &chance) }
        let level = -55 - 20 * log10(distance) - 5 * Double(walls) + noise + (hearer == receiver ? gain : 0)
        var hearing = RoomHearing(hearer: hearer)
        hearing.add(Int8(level.rounded()))
        return hearing
      }
      gains.note(hearings, of: 0, in: Int64(window), usual: [Float](repeating: 0, count: Self.mounts.count))
    }
    return gains.decibels
  }

  private static let stops = (0..<24).map {
    Point(x: 0.5 + Double($0 * 7 % 24) * 0.48, y: 0.5 + Double($0 % 4))
  }

  @Test func mostAreFoundWithinTwoMinutesAndNoOtherIsBlamed() {
    var count = 0
    for receiver in Self.mounts.indices {
      for gain in [-12.0, 12] {
        var found = gains(gain, of: receiver, places: Self.stops, seconds: 120)
        if abs(Double(found.remove(at: receiver)) - gain) < 5 { count += 1 }
        #expect(found.allSatisfy { abs($0) < 6 }, "\(receiver) \(gain): \(found)")
      }
    }
    #expect(count >= 9, "\(count) of 12")
  }

  @Test func alikeReceiversStayAlike() {
    let found = gains(0, of: 0, places: Self.stops, seconds: 300)
    #expect(found.allSatisfy { abs($0) < 2 }, "\(found)")
  }

  /// Where it lies may be odd.
  @Test func aBeaconThatLiesStillTeachesNothing() {
    #expect(gains(12, of: 1, places: [Self.stops[5]], seconds: 600).allSatisfy { $0 == 0 })
  }
}

/// The recorded flat, as receivers hear it that differ by up to 12 dB.
@Suite(.enabled(if: RecordedFlat.isThere), .serialized) struct UnevenFlatTests {
  /// Without learning 58 % and 44 changes.
  @Test func namesAreRightAgainThatWereNot() throws {
    let flat = try RecordedFlat()
    var plan = flat.plan
    for room in plan.rooms.indices { plan.rooms[room].outline = [] }
    let offsets = [-5.0, -3, 6, 4, -6, 2]
    let marks = flat.rows.map { MarkedWalk.Mark(time: $0.time, room: RoomIndex(rawValue: Int32($0.room))) }
    let heard = flat.rows.map { row in
      var row = row
      row.level += offsets[row.receiver]
      return flat.sighting(row)
    }
    var judge = RoomJudge(rooms: plan.rooms.count)
    judge.judge(MarkedWalk(heard, marks: marks, plan: plan).moments, by: RoomTracker(plan))
    #expect(judge.assessment.right >= 0.7)
    #expect(judge.assessment.changes <= 42)
  }

  /// 73 % without the fit. The mean of two receivers of six.
  @Test func oneReceiverFarOffIsFoundOut() throws {
    let flat = try RecordedFlat()
    let marks = flat.rows.map { MarkedWalk.Mark(time: $0.time, room: RoomIndex(rawValue: Int32($0.room))) }
    var right: [Double] = []
    for (receiver, gain) in [(1, -12.0), (4, 12)] {
      let heard = flat.rows.map { row in
        var row = row
        if row.receiver == receiver { row.level = max(row.level + gain, -110) }
        return flat.sighting(row)
      }
      var judge = RoomJudge(rooms: flat.plan.rooms.count)
      judge.judge(MarkedWalk(heard, marks: marks, plan: flat.plan).moments, by: RoomTracker(flat.plan))
      right.append(judge.assessment.right)
    }
    #expect(right.reduce(0, +) / 2 >= 0.75, "\(right)")
  }
}
