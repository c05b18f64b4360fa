import Beacons
import Core

/// The history of one beacon in the rooms: reported rooms, received levels and true rooms. Its size is bounded.
public struct RoomJourney: Sendable {
  /// A period in one room; nil: in no room, or unknown.
  public struct Stay: Hashable, Sendable {
    public var room: RoomIndex?
    public var from: MonotonicTime
    public var to: MonotonicTime
  }

  public struct Place: Hashable, Sendable {
    public var time: MonotonicTime
    public var point: Point
    /// The reported or the true room; nil: none.
    public var room: RoomIndex?
  }

  /// The levels received in one stretch of time.
  public struct Level: Hashable, Sendable {
    public fileprivate(set) var time: MonotonicTime
    fileprivate var sum: Int64
    fileprivate var count: Int64
    /// dBm.
    public var mean: Double { Double(sum) / Double(count) }
  }

  /// Reported rooms in order of time, without gaps. Beyond `limit` they are judged but not stored.
  public private(set) var told: [Stay] = []
  /// Empty: the true rooms are unknown.
  public private(set) var trueStays: [Stay] = []
  public private(set) var track = ThinnedSeries<Place>(every: RoomWindows.length, limit: placeLimit)
  public private(set) var trueTrack = ThinnedSeries<Place>(every: RoomWindows.length, limit: placeLimit)
  public private(set) var levels: [ReceiverIndex: ThinnedSeries<Level>] = [:]
  /// The first `eventLimit` transitions.
  public private(set) var transitions: [RoomTransition] = []
  public private(set) var transitionCount = 0
  /// Periods of a minute or more without reception, at most `pauseLimit`.
  public private(set) var pauses: [Stay] = []
  private var lastHeard: MonotonicTime?
  /// The time without reception while the true room was known. It is not judged.
  public private(set) var unheard = TimeSpan.zero
  /// Errors of the estimated positions.
  public private(set) var errors = PositionErrors()
  public private(set) var start: MonotonicTime?
  /// The last recorded moment.
  public private(set) var end = MonotonicTime.zero

  public let truth: RoomTruth?
  private var judge: RoomJudge
  private var follower = RoomJudge.Follower()

  public static let limit = 5_000
  public static let placeLimit = 2_000
  public static let levelLimit = 700
  public static let eventLimit = 500
  public static let pauseLimit = 200

  public init(rooms: Int, truth: RoomTruth? = nil) {
    judge = RoomJudge(rooms: rooms)
    self.truth = truth
  }

  /// The accuracy of the rooms; nil: the true rooms are unknown.
  public var assessment: RoomAssessment? { truth == nil ? nil : judge.assessment }

  public mutating func hear(_ level: Int8, by receiver: ReceiverIndex, at time: MonotonicTime) {
    levels[
      receiver,
      default: ThinnedSeries(every: RoomWindows.length, limit: Self.levelLimit) {
        Level(time: $0.time, sum: $0.sum + $1.sum, count: $0.count + $1.count)
      }
    ].add(Level(time: time, sum: Int64(level), count: 1), at: time)
  }

  public mutating func note(_ transition: RoomTransition) {
    transitionCount += 1
    if transitions.count < Self.eventLimit { transitions.append(transition) }
  }

  /// The next moment to record, up to `time`: the end of a window. A pause of more than a day is not judged, so it is skipped up to
  /// its last moment.
  public func nextMoment(upTo time: MonotonicTime) -> MonotonicTime? {
    let latest = RoomWindows.end(of: RoomWindows.window(of: time) - 1)
    guard start != nil else { return latest }
    let next = end + RoomWindows.length
    guard next <= latest else { return nil }
    return latest - next > .seconds(86_400) ? latest : next
  }

  /// Records the estimate at a moment.
  ///
  /// - Parameter estimate: nil: the beacon was never heard.
  public mutating func note(_ estimate: RoomEstimate?, at moment: MonotonicTime) {
    start = start ?? moment
    end = moment
    Self.extend(&told, with: estimate?.room, to: moment)
    if let estimate, estimate.isHeard, let point = estimate.position {
      track.add(Place(time: moment, point: point, room: estimate.room), at: moment)
    }
    notePause(estimate?.isHeard ?? false, at: moment)
    guard let truth else { return }
    let room = truth.room(at: moment)
    Self.extend(&trueStays, with: room, to: moment)
    guard let room, let estimate, estimate.isHeard else {
      if room != nil { unheard = unheard + RoomWindows.length }
      follower = RoomJudge.Follower()
      return
    }
    judge.follow(
      &follower, told: estimate.room.map { Int($0.rawValue) }, true: Int(room.rawValue), at: moment)
    guard let point = truth.point(at: moment) else { return }
    trueTrack.add(Place(time: moment, point: point, room: room), at: moment)
    if let told = estimate.position, let deviation = estimate.positionDeviation {
      errors.add(told, deviation: deviation, truth: point)
    }
  }

  private mutating func notePause(_ isHeard: Bool, at moment: MonotonicTime) {
    let since = lastHeard ?? start ?? moment
    if isHeard {
      lastHeard = moment
    } else if pauses.last?.from == since {
      pauses[pauses.count - 1].to = moment
    } else if moment - since >= .seconds(60), pauses.count < Self.pauseLimit {
      pauses.append(Stay(room: nil, from: since, to: moment))
    }
  }

  private static func extend(_ stays: inout [Stay], with room: RoomIndex?, to moment: MonotonicTime) {
    if let last = stays.last {
      stays[stays.count - 1].to = moment
      if last.room == room || stays.count == limit { return }
    }
    stays.append(Stay(room: room, from: moment, to: moment))
  }
}

/// The true rooms and positions of a beacon, from marks.
public struct RoomTruth: Sendable {
  private let marks: [MarkedWalk.Mark]

  /// - Parameter marks: in order of time.
  public init(_ marks: [MarkedWalk.Mark]) { self.marks = marks }

  /// nil: unknown.
  public func room(at time: MonotonicTime) -> RoomIndex? { index(at: time).flatMap { marks[$0].room } }

  /// The position at `time`, interpolated between two points close in time, else the last point; nil: unknown.
  public func point(at time: MonotonicTime) -> Point? {
    index(at: time).flatMap { marks[$0].room == nil ? nil : MarkedWalk.point(at: time, marks, $0) }
  }

  /// The index of the last mark up to `time`.
  private func index(at time: MonotonicTime) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

/// Statistics of the distances between estimated and true positions.
public struct PositionErrors: Hashable, Sendable {
  public private(set) var count = 0
  /// The number of coordinates within one and two stated standard deviations of the true ones. Each position has two coordinates.
  private var withinOne = 0
  private var withinTwo = 0
  /// Number of positions by error in centimetres. The last entry includes all larger errors.
  private var counts: [Int32] = []

  private static let largest = 10_000

  public init() {}

  /// - Parameter deviation: stated standard deviation of each coordinate, metres.
  public mutating func add(_ estimate: Point, deviation: Double, truth: Point) {
    if counts.isEmpty { counts = [Int32](repeating: 0, count: Self.largest + 1) }
    let (x, y) = (abs(estimate.x - truth.x), abs(estimate.y - truth.y))
    let error = (x * x + y * y).squareRoot()
    guard error.isFinite else { return }
    count += 1
    counts[Int(min(error * 100, Double(Self.largest)).rounded())] &+= 1
    for offset in [x, y] {
      if offset <= deviation { withinOne += 1 }
      if offset <= 2 * deviation { withinTwo += 1 }
    }
  }

  /// The error in metres that the given share of the positions does not exceed, to a centimetre; nil: no positions.
  public func error(ofShare share: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = Int((share * Double(count)).rounded(.up))
    var sum = 0
    for (place, number) in counts.enumerated() {
      sum += Int(number)
      if sum >= max(wanted, 1) { return Double(place) / 100 }
    }
    return nil
  }

  /// 0 to 1; about 0.68 if the stated deviation is right. nil: no positions.
  public var shareWithinOneDeviation: Double? { count > 0 ? Double(withinOne) / Double(2 * count) : nil }
  /// 0 to 1; about 0.95 if the stated deviation is right. nil: no positions.
  public var shareWithinTwoDeviations: Double? { count > 0 ? Double(withinTwo) / Double(2 * count) : nil }
}

/// A time series of bounded size: one value for each stretch of time with data. All stretches have the same length. When there are
/// too many, pairs are merged.
public struct ThinnedSeries<Value: Sendable>: Sendable {
  public struct Entry: Sendable {
    fileprivate var stretch: Int64
    public fileprivate(set) var value: Value
  }

  public private(set) var entries: [Entry] = []
  /// The length of a stretch.
  public private(set) var length: TimeSpan
  private let limit: Int
  private let merge: @Sendable (Value, Value) -> Value

  /// - Parameters:
  ///   - length: initial length of a stretch; more than zero.
  ///   - limit: maximum number of entries.
  ///   - merge: combines two values, the earlier one first.
  public init(
    every length: TimeSpan, limit: Int,
    merge: @escaping @Sendable (Value, Value) -> Value = { first, _ in first }
  ) {
    self.length = length
    self.limit = max(limit, 2)
    self.merge = merge
  }

  /// Adds a value. A time before the newest stretch counts in that stretch.
  public mutating func add(_ value: Value, at time: MonotonicTime) {
    let stretch = time.nanoseconds / length.nanoseconds
    if let last = entries.last, last.stretch >= stretch {
      entries[entries.count - 1].value = merge(last.value, value)
    } else {
      entries.append(Entry(stretch: stretch, value: value))
    }
    while entries.count > limit { halve() }
  }

  private mutating func halve() {
    length = length + length
    var kept: [Entry] = []
    kept.reserveCapacity(limit + 1)
    for entry in entries {
      let stretch = entry.stretch / 2
      if let last = kept.last, last.stretch == stretch {
        kept[kept.count - 1].value = merge(last.value, entry.value)
      } else {
        kept.append(Entry(stretch: stretch, value: entry.value))
      }
    }
    entries = kept
  }
}
