import Beacons
import Core

/// The state of one beacon in one zone.
///
/// Every sighting reads it, so it has a fixed size and no optionals.
struct Stay: Hashable, Sendable {
  /// Represents "no time". It is later than every real time.
  static var never: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  var zone: ZoneIndex
  var isInside = false
  /// Whether near may fire.
  var isArmed = true
  /// Whether near must be re-armed. A sighting sets it; `settle` clears it at once.
  var isRearmDue = false
  /// Whether an enter or near is held back, and whether that was ever reported.
  var isHeld = false
  var isHoldTold = false
  /// Whether a turn in the crowd is reserved at `heldUntil`.
  var hasTurn = false
  /// When it entered.
  var since = WallTime(nanoseconds: 0)
  /// Since when each threshold has been met without a break; `never` if not met.
  var nearSince = Self.never
  var enterSince = Self.never
  var exitSince = Self.never
  /// Start of the silence in the zone: the last sighting, or a later recovery of the zone from blindness.
  var silentSince: MonotonicTime
  /// When the beacon leaves because of silence; `never` while a receiver hears it.
  var lostDeadline = Self.never
  /// Enter and near are held back until this time because they were too frequent; the earliest time if not.
  var heldUntil = MonotonicTime(nanoseconds: .min)
  /// The beacon's links that count for the zone, one bit each. Zones of rooms use none.
  var links: UInt64 = 0
  /// The link and receiver of the last sighting. The link is −1 once it was replaced.
  var lastLink: Int8 = -1
  var lastReceiver: ReceiverIndex

  init(zone: ZoneIndex, receiver: ReceiverIndex, time: MonotonicTime) {
    self.zone = zone
    lastReceiver = receiver
    silentSince = time
  }

  func isOf(_ link: Int) -> Bool { links & (1 << UInt64(link)) != 0 }

  /// Records the standing from `time` on.
  @inline(__always) mutating func stand(_ standing: Standing, at time: MonotonicTime) {
    func start(_ since: MonotonicTime, isMet: Bool) -> MonotonicTime {
      isMet ? (since == Self.never ? time : since) : Self.never
    }
    nearSince = start(nearSince, isMet: standing.contains(.near))
    enterSince = start(enterSince, isMet: standing.contains(.entered))
    // Thresholds in different units may contradict each other; the nearer one wins.
    let isAway = standing.contains(.away) && standing.isDisjoint(with: [.near, .entered])
    exitSince = start(exitSince, isMet: isAway)
    isRearmDue = !isArmed && standing.contains(.rearmed) && !standing.contains(.near)
  }

  /// The event due at `time`, the first of several.
  ///
  /// If `isBlind`, the zone is blind and the beacon cannot leave.
  func due(at time: MonotonicTime, dwells: Dwells, isBlind: Bool) -> Due {
    if isRearmDue { return .rearm }
    if !isBlind, isInside {
      if lostDeadline <= time { return .lost }
      if exitSince + dwells.exit <= time { return .exit }
    }
    let isNear = isArmed && nearSince + dwells.near <= time
    guard isNear || (!isInside && enterSince + dwells.enter <= time) else { return .nothing }
    if heldUntil > time { return .held }
    return isNear ? (isInside ? .near : .enterAndNear) : .enter
  }

  enum Due {
    case nothing, enter, near, enterAndNear, exit, lost, rearm, held

    /// Whether it is limited by `TransitionPace`.
    var isComing: Bool { self == .enter || self == .near || self == .enterAndNear }
  }

  /// When `due` will return an event without further sightings; or `never`.
  @inline(__always) func deadline(dwells: Dwells, isBlind: Bool) -> MonotonicTime {
    if isRearmDue { return silentSince }
    var coming = isInside ? Self.never : enterSince + dwells.enter
    if isArmed { coming = min(coming, nearSince + dwells.near) }
    // A new hold is recorded at the time of the event itself.
    if isHeld { coming = max(coming, heldUntil) }
    return isInside && !isBlind ? min(coming, lostDeadline, exitSince + dwells.exit) : coming
  }

  /// Ends all dwell times, because the thresholds can no longer be checked.
  mutating func interrupt() {
    nearSince = Self.never
    enterSince = Self.never
    exitSince = Self.never
  }

  /// Counts an enter or near against the pace.
  mutating func spend(at time: MonotonicTime) {
    let burst = TransitionPace.interval.times(TransitionPace.burst - 1)
    heldUntil = max(heldUntil, time - burst) + TransitionPace.interval
    isHeld = false
  }

  mutating func rearm() {
    isArmed = true
    isRearmDue = false
  }

  mutating func leave() {
    isInside = false
    rearm()
    lostDeadline = Self.never
    exitSince = Self.never
  }
}

extension Stay: StateElement {
  init() { self.init(zone: ZoneIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: 0), time: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("zone", &zone)
    try coder("is_inside", &isInside)
    try coder("is_armed", &isArmed)
    try coder("is_rearm_due", &isRearmDue)
    try coder("is_held", &isHeld)
    try coder("is_hold_told", &isHoldTold)
    try coder("has_turn", &hasTurn)
    try coder("since", &since)
    try coder("near_since", &nearSince)
    try coder("enter_since", &enterSince)
    try coder("exit_since", &exitSince)
    try coder("silent_since", &silentSince)
    try coder("lost_deadline", &lostDeadline)
    try coder("held_until", &heldUntil)
    var heardBy = Optional(lastReceiver)
    try coder("links", &links)
    try coder("last_link", &lastLink)
    try coder("last_receiver", &heardBy)
    if let heardBy { lastReceiver = heardBy }
    guard coder.isReading, coder.heirs != nil else { return }
    // The record's links are restored separately and may differ.
    links = 0
    lastLink = -1
  }
}
