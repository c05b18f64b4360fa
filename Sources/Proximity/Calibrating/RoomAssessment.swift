import Beacons
import Core
import Glibc

/// The accuracy of room estimates on a walk, by cross-validation: each part of the walk is judged with a calibration made from the
/// other parts.
public struct RoomAssessment: Hashable, Sendable {
  /// Share of the time with the right room, 0 to 1.
  public var right: Double
  /// The number of reported room changes, and of true ones.
  public var changes: Int
  public var trueChanges: Int
  /// Median delay from a true change to its report, seconds; nil: no change was reported.
  public var delay: Double?
  /// Median distance from the estimated to the marked position, metres; nil: no marked positions or no outlines.
  public var distance: Double?
  /// True changes that were not reported before the next one.
  public var missed: Int
  /// Seconds by true room, then by reported room. The last column counts the time with no reported room.
  public var confusion: [[Double]]

  init(rooms: Int) {
    right = 0
    changes = 0
    trueChanges = 0
    missed = 0
    confusion = (0..<rooms).map { _ in [Double](repeating: 0, count: rooms + 1) }
  }
}

extension RoomCalibrator {
  /// Assessments of the full calibration, of a part of it, and of none.
  public struct Comparison: Sendable {
    /// Without any calibration.
    public var uncalibrated: RoomAssessment
    /// Path loss only; nil without outlines.
    public var pathLoss: RoomAssessment?
    public var calibrated: RoomAssessment
    /// With the calibration in use, which was made without this walk; nil: there is none.
    public var present: RoomAssessment?
    /// With the full calibration, but made without one more of the covered rooms. That is the only way to judge what it does to
    /// rooms that the walk did not cover. nil: all rooms were covered.
    public var lessComplete: RoomAssessment?

    /// Smaller differences between shares of the time are noise.
    static let chance = 0.005

    /// Whether only positions can be judged, because there is a single room.
    public var judgesPositions: Bool { uncalibrated.trueChanges == 0 && uncalibrated.distance != nil }

    /// The variant with the smallest error of positions; nil: without calibration it is smallest.
    private var nearest: RoomCalibrator.Parts? {
      var (best, error) = (RoomCalibrator.Parts?.none, uncalibrated.distance ?? 0)
      if let distance = pathLoss?.distance, distance < error { (best, error) = (.pathLoss, distance) }
      if let distance = calibrated.distance, distance < error { best = .all }
      return best
    }

    /// The best variant. The full calibration wins unless a simpler one was right more often; nil: it is best without
    /// calibration.
    public var best: RoomCalibrator.Parts? {
      if judgesPositions { return nearest }
      var (best, right) = (RoomCalibrator.Parts?.some(.all), calibrated.right)
      if let pathLoss, pathLoss.right > right + Self.chance { (best, right) = (.pathLoss, pathLoss.right) }
      return uncalibrated.right > right + Self.chance || isTooIncomplete ? nil : best
    }

    /// Whether the rooms that were not covered would become worse than without a calibration.
    public var isTooIncomplete: Bool { lessComplete.map { $0.right < uncalibrated.right } ?? false }

    /// Whether the calibration in use is right more often than the best variant.
    public var isPresentBetter: Bool {
      guard let present else { return false }
      if judgesPositions { return (present.distance ?? .infinity) < (kept.distance ?? .infinity) }
      return present.right > kept.right + Self.chance
    }

    /// The assessment of `best`.
    public var kept: RoomAssessment {
      switch best {
      case .all: calibrated
      case .pathLoss: pathLoss ?? calibrated
      case nil: uncalibrated
      }
    }
  }

  private static let folds = 5
  /// The shortest walk that can be assessed, seconds.
  private static let least = 60.0
  /// A room with less signal counts as not covered, seconds.
  private static let leastOfRoom = 5.0

  /// Assesses a walk by cross-validation; nil: the walk is too short, or it has no change of room though there are several.
  public func assess(_ walk: MarkedWalk) -> Comparison? { assess(walk) { _ in } }

  /// Assesses a walk by cross-validation and reports progress; nil: the walk is too short, or it has no change of room though
  /// there are several.
  ///
  /// - Parameters:
  ///   - present: the calibration in use; nil: none.
  ///   - kept: rooms of which the calibration in use is kept.
  ///   - progress: called with the completed part, 0 to 1. An error that it throws ends the assessment.
  public func assess<Stop: Error>(
    _ walk: MarkedWalk, against present: RoomCalibration? = nil, keeping kept: Set<Int> = [],
    progress: (Double) throws(Stop) -> Void
  ) throws(Stop) -> Comparison? {
    guard walk.seconds >= Self.least else { return nil }
    let count = walk.moments.count
    let seconds = walk.seconds(rooms: plan.rooms.count)
    let covered = seconds.indices.filter { seconds[$0] >= Self.leastOfRoom }
    let isComplete = kept.union(covered).count >= plan.rooms.count
    let judge = RoomJudge(rooms: plan.rooms.count)
    var (nothing, pathLoss, all, old, less) = (judge, judge, judge, judge, judge)
    for fold in 0..<Self.folds {
      let range = (fold * count / Self.folds)..<((fold + 1) * count / Self.folds)
      let rest = Array(walk.moments[..<range.lowerBound] + walk.moments[range.upperBound...])
      let held = Array(walk.moments[range])
      nothing.judge(held, by: tracker(nil))
      if plan.hasGeometry {
        pathLoss.judge(held, by: tracker(calibration(from: MarkedWalk(moments: rest), .pathLoss)))
      }
      all.judge(held, by: tracker(calibration(from: MarkedWalk(moments: rest), .all)))
      if let present { old.judge(held, by: tracker(present)) }
      if !isComplete, !covered.isEmpty {
        let room = Int16(covered[fold % covered.count])
        let other = MarkedWalk(moments: rest.filter { $0.room != room })
        less.judge(held, by: tracker(calibration(from: other, .all)))
      }
      try progress(Double(fold + 1) / Double(Self.folds))
    }
    // With a single room, marked positions can be judged.
    let isOneRoom = plan.rooms.count == 1 && nothing.assessment.distance != nil
    guard nothing.assessment.trueChanges > 0 || isOneRoom else { return nil }
    return Comparison(
      uncalibrated: nothing.assessment, pathLoss: plan.hasGeometry ? pathLoss.assessment : nil,
      calibrated: all.assessment, present: present.map { _ in old.assessment },
      lessComplete: isComplete ? nil : less.assessment)
  }

  private func tracker(_ calibration: RoomCalibration?) -> RoomTracker {
    RoomTracker(
      plan,
      RoomModel(
        plan, calibration, rooms: names.rooms, receivers: names.receivers, floors: names.floors,
        paths: paths))
  }
}

/// Compares reported rooms with true ones, moment by moment.
public struct RoomJudge: Sendable {
  private var result: RoomAssessment
  private var delays: [Double] = []
  private var distances: [Double] = []
  private var seconds = 0.0

  public init(rooms: Int) { result = RoomAssessment(rooms: rooms) }

  public var assessment: RoomAssessment {
    var result = result
    let hits = result.confusion.indices.reduce(0) { $0 + result.confusion[$1][$1] }
    result.right = seconds > 0 ? hits / seconds : 0
    result.missed = result.trueChanges - delays.count
    result.delay = delays.isEmpty ? nil : delays.sorted()[delays.count / 2]
    result.distance = distances.isEmpty ? nil : distances.sorted()[distances.count / 2]
    return result
  }

  mutating func judge(_ moments: [MarkedWalk.Moment], by tracker: RoomTracker) {
    var tracker = tracker
    let beacon = BeaconIndex(rawValue: 0)
    var follower = Follower()
    var none: [RoomTransition] = []
    for moment in moments {
      let end = RoomWindows.end(of: moment.window)
      let middle = MonotonicTime(nanoseconds: end.nanoseconds - RoomWindows.length.nanoseconds / 2)
      for hearing in moment.hearings {
        tracker.observe(
          Sighting(
            beacon: beacon, receiver: tracker.plan.hearers[hearing.hearer].receiver,
            rssi: Int8(clamping: Int(hearing.level.rounded())), measuredPower: nil, time: middle,
            wallTime: WallTime(nanoseconds: middle.nanoseconds)))
      }
      tracker.advance(to: end, into: &none)
      none.removeAll()
      if let point = moment.point, let place = tracker.estimate(of: beacon)?.position {
        distances.append(hypot(point.x - place.x, point.y - place.y))
      }
      follow(
        &follower, told: tracker.room(of: beacon).map { Int($0.rawValue) }, true: Int(moment.room), at: end)
    }
  }

  /// What the judge stores about one beacon.
  public struct Follower: Sendable {
    /// The last reported room, even if none is reported now.
    fileprivate var told: Int?
    fileprivate var truth: Int?
    fileprivate var time: MonotonicTime?
    fileprivate var changed: MonotonicTime?

    public init() {}
  }

  /// Longer pauses are not judged.
  private static var pause: TimeSpan { .seconds(5) }

  /// Counts the time since the last call for the rooms reported and true at `time`.
  public mutating func follow(_ follower: inout Follower, told: Int?, true truth: Int, at time: MonotonicTime)
  {
    defer {
      follower.told = told ?? follower.told
      follower.truth = truth
      follower.time = time
    }
    guard result.confusion.indices.contains(truth) else { return }
    guard let last = follower.time, time - last <= Self.pause else {
      follower.changed = nil
      return
    }
    let span = (time - last).seconds
    seconds += span
    result.confusion[truth][told ?? result.confusion.count] += span
    if let before = follower.told, let told, before != told { result.changes += 1 }
    if truth != follower.truth {
      result.trueChanges += 1
      follower.changed = time
    }
    if told == truth, let changed = follower.changed {
      delays.append((time - changed).seconds)
      follower.changed = nil
    }
  }
}

/// The most frequent mistakes.
extension RoomAssessment {
  /// A room, the wrong room reported for it, and the share of time with this mistake.
  public struct Mistake: Hashable, Sendable {
    public var room: RoomIndex
    public var told: RoomIndex
    /// Share of the time in `room`, 0 to 1.
    public var share: Double
  }

  /// The share of the time in a room with the right room reported; nil: no beacon was there.
  public func right(_ room: RoomIndex) -> Double? {
    let seconds = confusion[Int(room.rawValue)]
    let sum = seconds.reduce(0, +)
    return sum > 0 ? seconds[Int(room.rawValue)] / sum : nil
  }

  /// The most frequent mistake; nil: there is none.
  public var mostMistaken: Mistake? {
    var worst: Mistake?
    for (room, seconds) in confusion.enumerated() {
      let sum = seconds.reduce(0, +)
      for told in confusion.indices where told != room && seconds[told] > 0 {
        let share = seconds[told] / sum
        if share > worst?.share ?? 0 {
          worst = Mistake(room: index(room), told: index(told), share: share)
        }
      }
    }
    return worst
  }

  /// The room where another receiver would help most. Of the two rooms confused for the longest time, it is the one with the
  /// smaller share of right reports. nil: no rooms were confused.
  public var neediest: (room: RoomIndex, other: RoomIndex, seconds: Double)? {
    var worst: (room: RoomIndex, other: RoomIndex, seconds: Double)?
    for first in confusion.indices {
      for second in confusion.indices where second > first {
        let seconds = confusion[first][second] + confusion[second][first]
        guard seconds > worst?.seconds ?? 0 else { continue }
        let isFirst = (right(index(first)) ?? 1) <= (right(index(second)) ?? 1)
        worst = (index(isFirst ? first : second), index(isFirst ? second : first), seconds)
      }
    }
    return worst
  }

  private func index(_ room: Int) -> RoomIndex { RoomIndex(rawValue: Int32(clamping: room)) }
}
