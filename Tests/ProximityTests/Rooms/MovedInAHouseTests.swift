import Beacons
import Core
import Glibc
import TestSupport
import Testing

@testable import Proximity

/// Four rooms and a receiver in a corner of each, calibrated everywhere, and three beacons that are carried about. One receiver
/// passes on each advertisement, the others one every two seconds.
@Suite struct MovedInAHouseTests {
  private static let mounts = [
    Point(x: 0.5, y: 0.5), Point(x: 7.5, y: 0.5), Point(x: 0.5, y: 7.5), Point(x: 7.5, y: 7.5),
  ]
  private static let rooms = ["a", "b", "c", "d"]
  private static let receivers = mounts.indices.map { "r\($0)" }

  private static func level(_ receiver: Int, _ point: Point) -> Double {
    let mount = mounts[receiver]
    let distance = (pow(point.x - mount.x, 2) + pow(point.y - mount.y, 2) + 0.5).squareRoot()
    let walls = (point.x < 4) == (mount.x < 4) ? 0.0 : 4
    return -50 - 20 * log10(distance) - walls - ((point.y < 4) == (mount.y < 4) ? 0 : 4)
  }

  private static func room(_ point: Point) -> Int { (point.x < 4 ? 0 : 1) + (point.y < 4 ? 0 : 2) }

  /// - Parameters:
  ///   - known: how many receivers were there when the rooms were calibrated.
  ///   - louder: by how many dB all were heard better then.
  private static func tracker(outlines: Bool, known: Int = 4, louder: Double = 0) -> RoomTracker {
    let plan = RoomPlan(
      rooms: mounts.indices.map { room in
        let (x, y) = (Double(room % 2) * 4, Double(room / 2) * 4)
        let outline = [
          Point(x: x, y: y), Point(x: x + 4, y: y), Point(x: x + 4, y: y + 4), Point(x: x, y: y + 4),
        ]
        return .init(outline: outlines ? outline : [], receivers: [RoomScene.receiver(room)])
      },
      hearers: mounts.indices.map {
        .init(receiver: RoomScene.receiver($0), position: Position(x: mounts[$0].x, y: mounts[$0].y, z: 1))
      })
    let points = (0..<256).map { Point(x: 0.25 + Double($0 % 16) / 2, y: 0.25 + Double($0 / 16) / 2) }
    var calibration = RoomCalibration(
      receivers: receivers.map { .init(name: $0, power: -50, exponent: 2) }, wallLoss: 4)
    for (receiver, name) in receivers.prefix(known).enumerated() {
      calibration.samples += points.map {
        .init(receiver: name, x: $0.x, y: $0.y, level: level(receiver, $0) + louder, spread: 4, weight: 2)
      }
      for room in rooms.indices {
        var counts = [Double](repeating: 0, count: 100)
        for point in points where Self.room(point) == room { counts[100 + Int(level(receiver, point))] += 1 }
        calibration.histograms.append(
          .init(receiver: name, room: rooms[room], lowest: -100, counts: counts))
      }
    }
    return RoomTracker(plan, calibration: calibration, rooms: rooms, receivers: receivers, floors: [nil])
  }

  /// Who was ever told to be moved in twelve minutes, and for what share of the last five the rooms were right. From the fifth minute
  /// on one receiver hears otherwise.
  private static func walk(
    outlines: Bool, known: Int = 4, seed: UInt64 = 1, _ change: (Int, Double) -> Double = { $1 }
  ) -> (told: Set<Int>, right: Double) {
    var tracker = Self.tracker(outlines: outlines, known: known)
    var chance = SeededGenerator(seed: seed)
    var (told, found) = ([RoomTransition](), Set<Int>())
    var (right, all) = (0, 0)
    var points = (0..<3).map { _ in Point(x: 2, y: 2) }
    for step in 0..<2500 {
      let time = MonotonicTime.zero + .seconds(1000 + Double(step) * 0.3)
      tracker.advance(to: time, into: &told)
      for beacon in points.indices {
        // Every 15 s in another place.
        if (step + 17 * beacon) % 50 == 0 {
          points[beacon] = Point(
            x: .random(in: 0.5...7.5, using: &chance), y: .random(in: 0.5...7.5, using: &chance))
        }
        for receiver in mounts.indices where receiver == 0 || (step + receiver) % 7 == 0 {
          let noise = (0..<12).reduce(-6.0) { sum, _ in sum + .random(in: 0..<1, using: &chance) } * 4
          let sound = level(receiver, points[beacon])
          let heard = (step < 1000 ? sound : change(receiver, sound)) + noise
          guard heard > -100 else { continue }
          tracker.observe(
            Sighting(
              beacon: BeaconIndex(rawValue: Int32(beacon)), receiver: RoomScene.receiver(receiver),
              rssi: Int8(heard.rounded()), measuredPower: nil, time: time,
              wallTime: WallTime(nanoseconds: time.nanoseconds)))
        }
      }
      if let moved = tracker.movedReceiver { found.insert(Int(moved.receiver.rawValue)) }
      guard step >= 1500 else { continue }
      for (beacon, point) in points.enumerated() {
        all += 1
        let room = tracker.room(of: BeaconIndex(rawValue: Int32(beacon)))
        if room?.rawValue == Int32(self.room(point)) { right += 1 }
      }
    }
    return (found, Double(right) / Double(all))
  }

  /// Without outlines and with: nobody was moved, and the third receiver hears 18 dB less. Several tests look at them.
  private static let sound = [false, true].map { walk(outlines: $0) }
  private static let deafer = [false, true].map { outlines in
    walk(outlines: outlines) { moved(2, -18, $0, $1) }
  }

  private static func moved(_ receiver: Int, _ change: Double, _ by: Int, _ level: Double) -> Double {
    by == receiver ? level + change : level
  }

  private static func walk(outlines: Bool, _ receiver: Int, _ change: Double) -> (
    told: Set<Int>, right: Double
  ) {
    if (receiver, change) == (2, -18) { return deafer[outlines ? 1 : 0] }
    return walk(outlines: outlines) { moved(receiver, change, $0, $1) }
  }

  @Test(arguments: [0, 2], [-18.0, 15]) func oneThatHearsOtherwiseIsReportedHoweverOftenItSpeaks(
    receiver: Int, change: Double
  ) {
    for outlines in [false, true] {
      #expect(Self.walk(outlines: outlines, receiver, change).told == [receiver], "\(outlines)")
    }
  }

  @Test(arguments: [-18.0, -12, 12]) func roomsAreAsRightAsBeforeWithOneThatHearsMoreOrLess(change: Double) {
    for outlines in [false, true] {
      let sound = Self.sound[outlines ? 1 : 0].right
      let changed = Self.walk(outlines: outlines, 2, change).right
      #expect(changed > sound - 0.03, "\(outlines): \(sound), \(changed)")
    }
  }

  @Test(arguments: [1, 2] as [UInt64]) func unmovedOnesAreNotReported(seed: UInt64) {
    for outlines in [false, true] {
      let walk = seed == 1 ? Self.sound[outlines ? 1 : 0] : Self.walk(outlines: outlines, seed: seed)
      #expect(walk.told == [], "\(outlines)")
    }
  }

  @Test func oneThatWasAddedSinceDisturbsNobody() {
    #expect(Self.walk(outlines: false, known: 3).told == [])
    #expect(Self.walk(outlines: false, known: 3) { Self.moved(2, -18, $0, $1) }.told == [2])
  }

  /// A beacon that goes from corner to corner, and the third receiver hears 20 dB less.
  private func hear(_ seconds: Range<Int>, _ tracker: inout RoomTracker) {
    var told: [RoomTransition] = []
    for second in seconds {
      for receiver in Self.mounts.indices {
        let level = Self.level(receiver, Self.mounts[second / 20 % 4]) - (receiver == 2 ? 20 : 0)
        let time = MonotonicTime.zero + .seconds(1000 + Double(second))
        tracker.advance(to: time, into: &told)
        tracker.observe(
          Sighting(
            beacon: BeaconIndex(rawValue: 0), receiver: RoomScene.receiver(receiver),
            rssi: Int8(level.rounded()), measuredPower: nil, time: time,
            wallTime: WallTime(nanoseconds: time.nanoseconds)))
      }
    }
  }

  @Test func aReloadKeepsWhoWasMovedUnlessItWasCalibratedAgain() {
    var tracker = Self.tracker(outlines: true)
    hear(0..<400, &tracker)
    #expect(tracker.movedReceiver?.receiver == RoomScene.receiver(2))
    var next = Self.tracker(outlines: true)
    next.adopt(driftOf: tracker)
    #expect(next.movedReceiver?.receiver == RoomScene.receiver(2))
    #expect(next.receiverGains == tracker.receiverGains)
    var other = Self.tracker(outlines: true, louder: 1)
    other.adopt(driftOf: tracker)
    #expect(other.movedReceiver == nil)
    #expect(other.receiverGains.isEmpty)
  }

  @Test func aSnapshotKeepsWhatIsKnown() throws {
    var tracker = Self.tracker(outlines: true)
    hear(0..<200, &tracker)
    var writer = StateCoder()
    tracker.snapshot(into: &writer)
    var restored = Self.tracker(outlines: true)
    var reader = try StateCoder(reading: writer.finished())
    (reader.bounds.receivers, reader.bounds.beacons) = (Self.mounts.count, 1)
    try restored.restore(from: &reader)
    #expect(restored.receiverGains == tracker.receiverGains && !tracker.receiverGains.isEmpty)
    hear(200..<400, &tracker)
    hear(200..<400, &restored)
    #expect(tracker.movedReceiver?.receiver == RoomScene.receiver(2))
    #expect(restored.movedReceiver?.decibels == tracker.movedReceiver?.decibels)
  }
}
