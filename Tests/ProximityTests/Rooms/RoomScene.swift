import Beacons
import Core
import Glibc
import Proximity
import TestSupport

/// Three rooms in a row, 4 m × 4 m each, with a receiver in the middle of each, and a beacon that is carried about in them.
struct RoomScene {
  static let middles = [Point(x: 2, y: 2), Point(x: 6, y: 2), Point(x: 10, y: 2)]

  static func plan(outlines: Bool = true, doors: [RoomPlan.Door] = []) -> RoomPlan {
    RoomPlan(
      rooms: middles.indices.map { room in
        let x = 4 * Double(room)
        let outline = [Point(x: x, y: 0), Point(x: x + 4, y: 0), Point(x: x + 4, y: 4), Point(x: x, y: 4)]
        return .init(outline: outlines ? outline : [], receivers: [receiver(room)])
      },
      hearers: middles.indices.map {
        .init(receiver: receiver($0), position: Position(x: middles[$0].x, y: middles[$0].y, z: 2))
      }, doors: doors)
  }

  static func receiver(_ place: Int) -> ReceiverIndex { ReceiverIndex(rawValue: UInt16(place)) }

  var tracker: RoomTracker
  private var sight = ReceiverSight()
  var transitions: [RoomTransition] = []
  private(set) var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private var chance: SeededGenerator
  /// Receivers from which nothing comes.
  var muted: Set<Int> = []
  /// What was heard so far.
  private(set) var sightings: [Sighting] = []
  let beacon = BeaconIndex(rawValue: 0)
  /// dBm at 1 m.
  var power = -55.0
  /// By receiver: dB by which it hears more than the others.
  var gains = [0.0, 0, 0]

  init(_ plan: RoomPlan = RoomScene.plan(), lateness: TimeSpan = .zero, seed: UInt64 = 1) {
    tracker = RoomTracker(plan, lateness: lateness)
    chance = SeededGenerator(seed: seed)
  }

  /// dB with the given standard deviation.
  private mutating func noise(_ deviation: Double) -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &chance) } * deviation
  }

  /// Half a second at a place: each receiver hears two advertisements, by a path loss with exponent 2 and 5 dB a wall.
  mutating func hear(at point: Point, deviation: Double = 4) {
    for _ in 0..<2 {
      for (place, middle) in Self.middles.enumerated() {
        let noise = noise(deviation)
        if muted.contains(place) { continue }
        let distance = (pow(point.x - middle.x, 2) + pow(point.y - middle.y, 2) + 0.64).squareRoot()
        let walls = abs(Int(point.x / 4) - Int(middle.x / 4))
        let level = power + gains[place] - 20 * log10(distance) - 5 * Double(walls) + noise
        hear(Int8(max(-110, level.rounded())), at: place)
      }
      advance(.milliseconds(250))
    }
  }

  mutating func hear(_ level: Int8?, at place: Int, beacon: BeaconIndex? = nil) {
    let sighting = Sighting(
      beacon: beacon ?? self.beacon, receiver: Self.receiver(place), rssi: level, measuredPower: nil,
      time: time,
      wallTime: WallTime(nanoseconds: 1_795_211_400_000_000_000) + (time - MonotonicTime.zero))
    sightings.append(sighting)
    tracker.observe(sighting)
  }

  mutating func advance(_ span: TimeSpan) {
    time = time + span
    tracker.advance(to: time, into: &transitions)
  }

  mutating func stay(at point: Point, seconds: Double, deviation: Double = 4) {
    for _ in 0..<Int(seconds * 2) { hear(at: point, deviation: deviation) }
  }

  /// At 1 m/s.
  mutating func walk(from start: Point, to end: Point) {
    let steps = max(1, Int(2 * hypot(end.x - start.x, end.y - start.y)))
    for step in 0..<steps {
      let part = Double(step) / Double(steps)
      hear(at: Point(x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y)))
    }
  }

  mutating func setBlind(_ place: Int, _ isBlind: Bool) {
    sight[Self.receiver(place)] = isBlind ? .blind : .sees
    tracker.see(sight, at: time)
  }

  var room: Int? { tracker.room(of: beacon).map { Int($0.rawValue) } }
  /// The rooms that were entered, in order.
  var entered: [Int] { transitions.filter { $0.event == .enter }.map { Int($0.room.rawValue) } }
}
