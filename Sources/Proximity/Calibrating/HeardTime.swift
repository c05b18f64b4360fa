import Beacons
import Core

/// Counts how long a beacon was heard in each room while it is carried. It uses the same windows as a calibration (see
/// `MarkedWalk`) but stores no levels. Time counts from one advertisement to the next, so that a slow beacon takes no longer than
/// its interval requires.
public struct HeardTime: Sendable {
  /// By room.
  public private(set) var seconds: [Double]
  /// The newest window with a sighting; it may not be over yet.
  private var window: Int64?
  private var room: Int?
  /// The last window that was counted, if it was in a room.
  private var counted: (window: Int64, room: Int)?
  private var windows = 0.0
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
    guard let room, seconds.indices.contains(room) else {
      counted = nil
      return
    }
    seconds[room] += Self.seconds(to: window, after: counted?.room == room ? counted?.window : nil)
    counted = (window, room)
    windows += 1
  }

  /// The usual time between two windows in which the beacon was heard, seconds; nil: it was not heard.
  public var interval: Double? { windows > 0 ? seconds.reduce(0, +) / windows : nil }

  /// The slowest beacons advertise every ten seconds. In windows.
  private static let longest = Int64(10 / RoomWindows.length.seconds)

  /// How much time counts for a window.
  ///
  /// - Parameter last: the window before, if the beacon was in the same room; nil: it was not.
  static func seconds(to window: Int64, after last: Int64?) -> Double {
    let gap = last.map { window - $0 } ?? 1
    return Double(gap <= longest ? gap : 1) * RoomWindows.length.seconds
  }
}
