import Beacons
import Core

/// Counts how long a beacon was heard in each room while it is carried. It uses the same windows as a calibration (see
/// `MarkedWalk`) but stores no levels.
public struct HeardTime: Sendable {
  /// By room.
  public private(set) var seconds: [Double]
  /// The newest window with a sighting; it may not be over yet.
  private var window: Int64?
  private var room: Int?
  /// Marks later than the windows counted so far.
  private var marks: [(time: MonotonicTime, room: Int?)] = []

  /// - Parameter rooms: the number of rooms.
  public init(rooms: Int) { seconds = [Double](repeating: 0, count: rooms) }

  /// Records the beacon's room from `time` on; nil: unknown.
  public mutating func mark(_ room: Int?, at time: MonotonicTime) { marks.append((time, room)) }

  /// Records that a receiver heard the beacon.
  public mutating func hear(at time: MonotonicTime) {
    let now = RoomWindows.window(of: time)
    if let window, now > window { count(window) }
    window = max(window ?? now, now)
  }

  private mutating func count(_ window: Int64) {
    let end = RoomWindows.end(of: window)
    while let mark = marks.first, mark.time < end {
      room = mark.room
      marks.removeFirst()
    }
    if let room, seconds.indices.contains(room) { seconds[room] += RoomWindows.length.seconds }
  }
}
