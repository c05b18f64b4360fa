public import Beacons

/// How long a beacon was heard in each room, counted while it is carried: the same windows that a calibration counts (see
/// `MarkedWalk`), without keeping what was heard.
public struct HeardTime: Sendable {
  /// By room.
  public private(set) var seconds: [Double]
  /// The latest in which something was heard; it may go on.
  private var window: Int64?
  private var room: Int?
  /// Those that come after the windows counted so far.
  private var marks: [(time: MonotonicTime, room: Int?)] = []

  /// - Parameter rooms: how many there are.
  public init(rooms: Int) { seconds = [Double](repeating: 0, count: rooms) }

  /// Notes where the beacon is from now on; nil: nobody says.
  public mutating func mark(_ room: Int?, at time: MonotonicTime) { marks.append((time, room)) }

  /// Notes that any receiver hears it.
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
