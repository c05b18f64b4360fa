import Beacons
import Core

/// How well the predictions for one phone agree with the reports of its real app.
///
/// Each near trigger is an *encounter*: the engine predicts whether the app notices, and the app may report that it did. An app
/// that never reports is not judged, so counting begins with its first report.
///
/// A function of its input. Times are the pipeline's.
public struct PhoneRecord: Sendable {
  /// How long after near, or after the predicted delivery, the app may still notice.
  public static let patience = TimeSpan.seconds(60)
  /// How long before near the app may notice: the gateway decides only after the dwell time.
  public static let lead = TimeSpan.seconds(30)
  /// If a near has no verdict after this time, it counts as predicted to be missed.
  public static let longestWait = TimeSpan.seconds(3600)
  /// The app noticed late if it took this long, as for `DELIVERED_LATE`.
  public static let lateness = TimeSpan.seconds(1)
  /// How far a report's own time may be from its arrival. Beyond that the phone's clock is wrong, or the report says nothing
  /// about the present.
  public static let clockLimit = TimeSpan.seconds(300)
  /// Encounters in memory. A report can change only these.
  public static let limit = 32
  /// The shortest time between two messages. `slowPace` holds if only `uncounted` changed, because any client can cause that at
  /// any rate.
  static let pace = TimeSpan.seconds(1)
  static let slowPace = TimeSpan.seconds(10)

  public struct Counts: Hashable, Sendable, StateFields {
    /// Nears that are concluded.
    public internal(set) var nears = 0
    /// Of these, those that the app was predicted to notice, in time or late.
    public internal(set) var predicted = 0
    /// Nears that the app noticed.
    public internal(set) var seen = 0
    /// Nears that the app was predicted to notice, but did not.
    public internal(set) var missed = 0
    /// The app noticed, although it was predicted to miss it.
    public internal(set) var unpredicted = 0
    /// The app noticed, although the beacon was not near.
    public internal(set) var falseAlarms = 0
    /// Of `seen`, those that took the app a second or more.
    public internal(set) var late = 0
    /// Reports that count nowhere: repeated, after the time for the near was over, or while the receivers were blind.
    public internal(set) var uncounted = 0

    public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder(tally: "nears", &nears)
      try coder(tally: "predicted", &predicted)
      try coder(tally: "seen", &seen)
      try coder(tally: "missed", &missed)
      try coder(tally: "unpredicted", &unpredicted)
      try coder(tally: "false_alarms", &falseAlarms)
      try coder(tally: "late", &late)
      try coder(tally: "uncounted", &uncounted)
      try coder.check(
        predicted == missed + seen - unpredicted && nears >= predicted + unpredicted && late <= seen
          && unpredicted <= seen)
    }

    fileprivate mutating func add(_ encounter: Encounter, _ sign: Int = 1) {
      guard encounter.near != nil else { return falseAlarms += sign }
      nears += sign
      if encounter.isPredicted { predicted += sign }
      switch encounter.result {
      case .seen: seen += sign
      case .unpredicted: (seen, unpredicted) = (seen + sign, unpredicted + sign)
      case .missed: missed += sign
      case .unnoticed, .falseAlarm, .pending: break
      }
      if let lateness = encounter.lateness, lateness >= PhoneRecord.lateness { late += sign }
    }
  }

  /// When the first report came; nil: none yet.
  public private(set) var since: WallTime?
  public private(set) var counts = Counts()
  /// Oldest first.
  public private(set) var encounters: [Encounter] = []
  /// The largest lateness so far; nil: the app has noticed nothing.
  public private(set) var worst: TimeSpan?
  /// When the record was last published, and when it is due next. nil: never yet; not before something changes.
  private var told: MonotonicTime?
  private var due: MonotonicTime?

  public init() {}

  /// Encounters without a result yet.
  public var pending: Int { encounters.count { !$0.isConcluded } }

  /// The share of the predicted ones that the app noticed; nil: none was predicted.
  public var share: Double? {
    counts.predicted > 0 ? Double(counts.predicted - counts.missed) / Double(counts.predicted) : nil
  }

  /// The median lateness of the encounters in memory; of an even number, the larger of the middle two.
  public var median: TimeSpan? {
    let all = encounters.compactMap(\.lateness).sorted()
    return all.isEmpty ? nil : all[all.count / 2]
  }

  /// The lateness of the latest near that the app noticed.
  public var latest: TimeSpan? { encounters.last { $0.lateness != nil }?.lateness }

  /// How late the latest report with a time arrived by the phone's clock: how far that clock is behind, plus the report's way to
  /// the gateway.
  public var offset: TimeSpan? { encounters.last { $0.offset != nil }?.offset }
}

/// Input.
extension PhoneRecord {
  /// The gateway decided near.
  public mutating func near(_ transition: String, in zone: String, at time: MonotonicTime) {
    var encounter = Encounter(transition: transition, zone: zone, near: time)
    let early = encounters.firstIndex {
      guard $0.near == nil, let seen = $0.seen else { return false }
      return seen >= time - Self.lead && seen <= time + Self.patience
    }
    if let early {
      let report = encounters.remove(at: early)
      if report.isConcluded { counts.add(report, -1) }
      (encounter.seen, encounter.offset) = (report.seen, report.offset)
    }
    append(encounter)
    if since != nil { change(at: time) }
  }

  /// The engine has predicted the outcome of a near.
  ///
  /// - Parameter delivered: when the app was predicted to notice; nil: never.
  public mutating func predict(
    _ outcome: Reason, of transition: String, delivered: MonotonicTime?, at time: MonotonicTime
  ) {
    guard let index = encounters.lastIndex(where: { $0.transition == transition && !$0.isConcluded }) else {
      return
    }
    encounters[index].outcome = outcome
    encounters[index].delivered = delivered
    if encounters[index].seen != nil { conclude(index) }
    if since != nil { change(at: time) }
  }

  /// The app reported that it noticed. The report counts for the latest near before it, or else for the first one soon after it.
  ///
  /// - Parameters:
  ///   - time: when the app noticed.
  ///   - offset: how long the report took by the phone's clock; nil: it had no time.
  ///   - isNear: whether the beacon is near by the gateway's rules.
  ///   - isBlind: whether the gateway cannot tell.
  public mutating func report(
    seen time: MonotonicTime, offset: TimeSpan?, at arrival: MonotonicTime, wallTime: WallTime,
    isNear: Bool, isBlind: Bool
  ) {
    let index = encounter(at: time)
    if since == nil {
      since = wallTime
      // What happened before the app began to report says nothing about it.
      encounters = index.map { [encounters[$0]] } ?? []
      if !encounters.isEmpty { encounters[0].isConcluded = false }
      return report(
        seen: time, offset: offset, at: arrival, wallTime: wallTime, isNear: isNear, isBlind: isBlind)
    }
    if let index, encounters[index].seen == nil {
      if encounters[index].isConcluded { counts.add(encounters[index], -1) }
      encounters[index].isConcluded = false
      (encounters[index].seen, encounters[index].offset) = (time, offset)
      if encounters[index].outcome != nil { conclude(index) }
    } else if index != nil || isNear || isBlind || encounters.contains(where: { $0.hasAlarm(near: time) }) {
      counts.uncounted += 1
      return change(at: arrival, pace: Self.slowPace)
    } else {
      append(Encounter(seen: time, offset: offset))
    }
    change(at: arrival)
  }

  /// The clock was set.
  public mutating func correct(_ step: ClockStep) { since = since.map { step.corrected($0) } }

  /// The next time at which `step` has something to do; nil: not before further input.
  public var nextDeadline: MonotonicTime? {
    let next = encounters.lazy.compactMap(\.deadline).min()
    guard let due else { return next }
    return min(next ?? due, due)
  }

  /// Concludes what is due at `nextDeadline`. Returns whether to publish the record now.
  public mutating func step(at time: MonotonicTime) -> Bool {
    for index in encounters.indices where encounters[index].deadline ?? .distantFuture <= time {
      conclude(index)
      if since != nil { change(at: time) }
    }
    guard let due, due <= time else { return false }
    (told, self.due) = (time, nil)
    return true
  }

  /// For the last message of a run: returns whether anything is unpublished.
  public mutating func takeUntold(at time: MonotonicTime) -> Bool {
    guard due != nil else { return false }
    (told, due) = (time, nil)
    return true
  }

  /// Keeps only what another run or configuration can continue: waiting nears get no verdict there, and its clock may differ.
  public mutating func forgetPresent() {
    encounters.removeAll { !$0.isConcluded }
    (told, due) = (nil, nil)
  }

  /// The encounter that a report of this time is about; nil: none.
  private func encounter(at time: MonotonicTime) -> Int? {
    let nears = encounters.indices.filter { encounters[$0].near != nil }
    if let last = nears.last(where: { encounters[$0].near ?? .distantFuture <= time }),
      time <= encounters[last].end
    {
      return last
    }
    return nears.first {
      let near = encounters[$0].near ?? .distantFuture
      return near > time && near <= time + Self.lead
    }
  }

  private mutating func append(_ encounter: Encounter) {
    if encounters.count == Self.limit {
      if !encounters[0].isConcluded { conclude(0) }
      encounters.removeFirst()
    }
    encounters.append(encounter)
  }

  private mutating func conclude(_ index: Int) {
    encounters[index].isConcluded = true
    guard since != nil else { return }
    counts.add(encounters[index])
    if let lateness = encounters[index].lateness { worst = max(worst ?? lateness, lateness) }
  }

  private mutating func change(at time: MonotonicTime, pace: TimeSpan = pace) {
    let next = told.map { max(time, $0 + pace) } ?? time
    due = min(due ?? next, next)
  }
}

extension PhoneRecord: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("since", &since)
    try coder("counts", &counts)
    try coder("encounters", &encounters, atMost: Self.limit)
    try coder("worst", &worst)
    try coder("told", &told)
    try coder("due", &due)
  }
}
