import Beacons

/// What became of one beacon among rooms, moment by moment: what was told, what was heard, and what was true. Its size is
/// bounded, however long it lasts.
public struct RoomJourney: Sendable {
  /// A time in one room; nil: in none, or unknown.
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
    /// Told or true; nil: none.
    public var room: RoomIndex?
  }

  /// Levels that were heard in a stretch of time.
  public struct Level: Hashable, Sendable {
    public fileprivate(set) var time: MonotonicTime
    fileprivate var sum: Int64
    fileprivate var count: Int64
    /// dBm.
    public var mean: Double { Double(sum) / Double(count) }
  }

  /// In order of time, without gaps; further ones than `limit` are only judged.
  public private(set) var told: [Stay] = []
  /// Empty: nobody says.
  public private(set) var trueStays: [Stay] = []
  public private(set) var track = ThinnedSeries<Place>(every: RoomWindows.length, limit: placeLimit)
  public private(set) var trueTrack = ThinnedSeries<Place>(every: RoomWindows.length, limit: placeLimit)
  public private(set) var levels: [ReceiverIndex: ThinnedSeries<Level>] = [:]
  /// The first `eventLimit`.
  public private(set) var transitions: [RoomTransition] = []
  public private(set) var transitionCount = 0
  /// When the beacon was not heard for a minute or more; further ones than `pauseLimit` are left out.
  public private(set) var pauses: [Stay] = []
  private var lastHeard: MonotonicTime?
  /// How long the beacon was not heard while somebody says where it was: that is not judged.
  public private(set) var unheard = TimeSpan.zero
  /// How far positions are from the true ones.
  public private(set) var errors = PositionErrors()
  public private(set) var start: MonotonicTime?
  /// The last moment that was noted.
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

  /// How right the rooms were; nil: nobody knows.
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

  /// The moments up to a time that are still to be noted: the ends of windows. Of a pause of more than a day, which no judgement
  /// counts, there is none but the last.
  public func nextMoment(upTo time: MonotonicTime) -> MonotonicTime? {
    let latest = RoomWindows.end(of: RoomWindows.window(of: time) - 1)
    guard start != nil else { return latest }
    let next = end + RoomWindows.length
    guard next <= latest else { return nil }
    return latest - next > .seconds(86_400) ? latest : next
  }

  /// Takes in what is told at a moment.
  ///
  /// - Parameter estimate: nil: the beacon was not heard yet.
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
