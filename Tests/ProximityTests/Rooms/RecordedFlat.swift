import Beacons
import Core
import FoundationEssentials
import Proximity

/// A robot's recording of a flat of five rooms (ble-rss-fingerprints-calib2021), if it is there: beside the project, not in it
/// (`BEACONKEEPER_SHARED`, by default `../shared`).
struct RecordedFlat {
  static let rooms = ["hall", "bath", "living", "kitchen", "bedroom"]
  /// x0, y0, x1, y1 in metres, and who hangs there.
  private static let corners: [(box: [Double], receivers: [Int])] = [
    ([0, 0, 3.88, 2.07], [2]), ([4.05, 0, 6.22, 1.93], [4]), ([2.7, 2.12, 6.27, 7.1], [0, 3]),
    ([6.37, 4.19, 9.07, 7.1], [5]), ([0, 2.18, 2.58, 7.1], [1]),
  ]
  static let receivers = (1...6).map { "anchor\($0)" }

  static var folder: String {
    let package = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let shared = ProcessInfo.processInfo.environment["BEACONKEEPER_SHARED"] ?? "/\(package)/../shared"
    return shared + "/data/rssi/flat"
  }

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/calibration.csv") }

  struct Row {
    var time: MonotonicTime
    var receiver: Int
    var level: Double
    var point: Point
    var room: Int
  }

  let plan: RoomPlan
  let rows: [Row]

  init() throws {
    func lines(_ name: String) throws -> [[Substring]] {
      try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8).split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",") }
    }
    let mounts = try lines("receivers.csv").map { line in line.dropFirst().compactMap { Double($0) } }
    plan = RoomPlan(
      rooms: Self.corners.map { corners, receivers in
        let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
        return RoomPlan.Room(
          outline: [Point(x: a, y: b), Point(x: c, y: b), Point(x: c, y: d), Point(x: a, y: d)],
          receivers: receivers.map { ReceiverIndex(rawValue: UInt16($0)) })
      },
      hearers: mounts.enumerated().map {
        RoomPlan.Hearer(
          receiver: ReceiverIndex(rawValue: UInt16($0)), position: Position(x: $1[0], y: $1[1], z: $1[2]))
      })
    let start = 1_627_997_000.0
    rows = try lines("calibration.csv").compactMap { line in
      guard let time = Double(line[0]), let level = Double(line[3]), let x = Double(line[4]),
        let y = Double(line[5]), let receiver = Self.receivers.firstIndex(of: String(line[1])),
        let room = Self.rooms.firstIndex(of: String(line[7]))
      else { return nil }
      return Row(
        time: .zero + .seconds(time - start), receiver: receiver, level: level, point: Point(x: x, y: y),
        room: room)
    }
  }

  static let names = RoomCalibrator.Names(rooms: rooms, receivers: receivers, floors: [nil])

  func sighting(_ row: Row) -> Sighting {
    Sighting(
      beacon: BeaconIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: UInt16(row.receiver)),
      rssi: Int8(row.level.rounded()), measuredPower: nil, time: row.time,
      wallTime: WallTime(nanoseconds: row.time.nanoseconds))
  }

  /// From marked points of some rows.
  func calibration(_ rows: [Row]) -> RoomCalibration? {
    let marks = rows.map {
      MarkedWalk.Mark(time: $0.time, room: RoomIndex(rawValue: Int32($0.room)), point: $0.point)
    }
    return RoomCalibrator(plan, names: Self.names).calibration(
      from: MarkedWalk(rows.map(sighting), marks: marks, plan: plan))
  }
}
