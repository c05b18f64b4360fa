import Beacons
import Core

/// A walk through the rooms with a beacon, with marks that say where it was.
public struct MarkedWalk: Sendable {
  /// Where the beacon was from a time on.
  public struct Mark: Hashable, Sendable {
    public var time: MonotonicTime
    /// nil: unknown until the next mark.
    public var room: RoomIndex?
    /// The exact position at that time; nil: anywhere in the room.
    public var point: Point?

    public init(time: MonotonicTime, room: RoomIndex?, point: Point? = nil) {
      self.time = time
      self.room = room
      self.point = point
    }
  }

  /// What was heard in one window, and where the beacon was.
  struct Moment: Sendable {
    var window: Int64
    /// `hearer` is an index into the plan's `hearers`; `level` is in dBm.
    var hearings: [(hearer: Int, level: Float)]
    var room: Int16
    var point: Point?
    /// The window before in which the beacon was heard; nil: it was not in this room then.
    var last: Int64?
  }

  private(set) var moments: [Moment] = []

  /// Maximum number of moments: half a day.
  public static let limit = 150_000

  /// - Parameters:
  ///   - sightings: of one beacon, in order of time.
  ///   - marks: in order of time.
  public init(_ sightings: [Sighting], marks: [Mark], plan: RoomPlan) {
    let hearers = Dictionary(
      plan.hearers.enumerated().map { ($1.receiver, $0) }, uniquingKeysWith: { first, _ in first })
    var mark = -1
    var sums: [Int: (sum: Float, count: Float)] = [:]
    var window: Int64?
    var last: (window: Int64, room: Int16)?
    func finish(_ window: Int64, _ moments: inout [Moment], _ mark: inout Int) {
      let end = RoomWindows.end(of: window)
      while mark + 1 < marks.count, marks[mark + 1].time < end { mark += 1 }
      guard mark >= 0, let room = marks[mark].room, !sums.isEmpty, moments.count < Self.limit else {
        last = nil
        return
      }
      let hearings = sums.sorted { $0.key < $1.key }.map {
        (hearer: $0.key, level: $0.value.sum / $0.value.count)
      }
      moments.append(
        Moment(
          window: window, hearings: hearings, room: Int16(room.rawValue),
          point: Self.point(at: end, marks, mark),
          last: last?.room == Int16(room.rawValue) ? last?.window : nil))
      last = (window, Int16(room.rawValue))
    }
    for sighting in sightings {
      guard let hearer = hearers[sighting.receiver], let level = sighting.rssi else { continue }
      let now = RoomWindows.window(of: sighting.time)
      if let last = window, now > last {
        finish(last, &moments, &mark)
        sums.removeAll()
      }
      window = max(window ?? now, now)
      sums[hearer, default: (0, 0)].sum += Float(level)
      sums[hearer, default: (0, 0)].count += 1
    }
    if let window { finish(window, &moments, &mark) }
  }

  init(moments: [Moment]) { self.moments = moments }

  /// Between marks closer in time than this, the beacon is assumed to move in a straight line.
  private static var way: TimeSpan { .seconds(30) }

  /// The position at `time`, interpolated linearly between two marked points.
  static func point(at time: MonotonicTime, _ marks: [Mark], _ index: Int) -> Point? {
    guard let from = marks[index].point else { return nil }
    guard index + 1 < marks.count, let to = marks[index + 1].point else { return from }
    let span = marks[index + 1].time - marks[index].time
    guard span > .zero, span < way else { return from }
    let part = min(max((time - marks[index].time).seconds / span.seconds, 0), 1)
    return Point(x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y))
  }

  /// How long the beacon was in each room, seconds.
  public func seconds(rooms: Int) -> [Double] {
    moments.reduce(into: [Double](repeating: 0, count: rooms)) { seconds, moment in
      if Int(moment.room) < rooms {
        seconds[Int(moment.room)] += HeardTime.seconds(to: moment.window, after: moment.last)
      }
    }
  }

  /// The usual time between two moments, seconds; nil: there are none.
  public var interval: Double? {
    guard !moments.isEmpty else { return nil }
    let seconds = moments.reduce(0) { $0 + HeardTime.seconds(to: $1.window, after: $1.last) }
    return seconds / Double(moments.count)
  }

  var seconds: Double { Double(moments.count) * RoomWindows.length.seconds }
}
