import Beacons
import Core
import Glibc
import Proximity
import TestSupport

/// A walk through a house of four rooms, 8 m by 8 m, with a receiver in each, made from the path-loss model and noise.
struct SyntheticWalk {
  static let power = -54.0
  static let exponent = 2.2
  static let wall = 6.0
  static let rooms = ["a", "b", "c", "d"]

  /// Rooms of 4 m by 4 m; walls between them.
  static let plan = RoomPlan(
    rooms: (0..<4).map { room in
      let (x, y) = (4.0 * Double(room % 2), 4.0 * Double(room / 2))
      return RoomPlan.Room(
        outline: [
          Point(x: x, y: y), Point(x: x + 4, y: y), Point(x: x + 4, y: y + 4), Point(x: x, y: y + 4),
        ], receivers: [receiver(room)])
    }, hearers: (0..<4).map { RoomPlan.Hearer(receiver: receiver($0), position: position($0)) })

  /// The same rooms without geometry.
  static let names = RoomPlan(
    rooms: (0..<4).map { RoomPlan.Room(receivers: [receiver($0)]) },
    hearers: (0..<4).map { RoomPlan.Hearer(receiver: receiver($0)) })

  static let calibratorNames = RoomCalibrator.Names(
    rooms: rooms, receivers: rooms.map { "r-" + $0 }, floors: [nil])

  static func receiver(_ room: Int) -> ReceiverIndex { ReceiverIndex(rawValue: UInt16(room)) }
  static func position(_ room: Int) -> Position {
    Position(x: 4 * Double(room % 2) + 1, y: 4 * Double(room / 2) + 1.5, z: 2)
  }

  var sightings: [Sighting] = []
  var marks: [MarkedWalk.Mark] = []

  /// Two turns through a room of each, 300 ms a step.
  ///
  /// - Parameters:
  ///   - muted: receivers that hear nothing.
  ///   - placed: whether marks tell points, too.
  init(
    seconds: Double = 160, noise: Double = 3, muted: Set<Int> = [], placed: Bool = false, seed: UInt64 = 1
  ) {
    var chance = SeededGenerator(seed: seed)
    // Round about: a, b, d, c.
    let order = [0, 1, 3, 2]
    let stay = seconds / 8
    for step in 0..<Int(seconds / 0.3) {
      let time = Double(step) * 0.3 + 0.05
      let room = order[Int(time / stay) % 4]
      let angle = time * 0.7
      let point = Point(
        x: 4 * Double(room % 2) + 2 + 1.4 * cos(angle), y: 4 * Double(room / 2) + 2 + 1.4 * sin(angle * 1.3))
      let now = MonotonicTime.zero + .seconds(time)
      if placed || marks.last?.room?.rawValue != Int32(room) {
        marks.append(.init(time: now, room: RoomIndex(rawValue: Int32(room)), point: placed ? point : nil))
      }
      for hearer in 0..<4 where !muted.contains(hearer) {
        let level = Self.level(hearer, point, room) + noise * Self.normal(&chance)
        sightings.append(
          Sighting(
            beacon: BeaconIndex(rawValue: 0), receiver: Self.receiver(hearer),
            rssi: Int8(max(-110, min(-20, level.rounded()))), measuredPower: nil, time: now,
            wallTime: WallTime(nanoseconds: now.nanoseconds)))
      }
    }
  }

  /// A wall for each side of the house that lies between two rooms.
  private static func level(_ hearer: Int, _ point: Point, _ room: Int) -> Double {
    let place = position(hearer)
    let height = place.z - Position.beaconHeight
    let (dx, dy) = (point.x - place.x, point.y - place.y)
    let distance = max(0.3, (dx * dx + dy * dy + height * height).squareRoot())
    let walls = (hearer % 2 != room % 2 ? 1 : 0) + (hearer / 2 != room / 2 ? 1 : 0)
    return power - 10 * exponent * log10(distance) - wall * Double(walls)
  }

  /// By Box and Muller.
  private static func normal(_ chance: inout SeededGenerator) -> Double {
    let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &chance))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &chance))
  }

  func marked(_ plan: RoomPlan = plan) -> MarkedWalk { MarkedWalk(sightings, marks: marks, plan: plan) }
}
