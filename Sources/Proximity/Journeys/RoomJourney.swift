import Beacons

/// The history of one beacon in the rooms: reported rooms, received levels and true rooms. Its size is bounded.
public struct RoomJourney: Sendable {
  /// A period in one room; nil: in no room, or unknown.
  public struct Stay: Hashable, Sendable {
    public var room: RoomIndex?
    public var from: MonotonicTime
    public var to: MonotonicTime

    public init(room: RoomIndex?, from: MonotonicTime, to: MonotonicTime) {
      self.room = room
      self.from = from
      self.to = to
    }
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
