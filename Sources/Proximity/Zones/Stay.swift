import Beacons

/// Where one beacon stands in one zone, and since when.
///
/// It has a fixed size and no optionals, because every sighting reads it.
struct Stay: Hashable, Sendable {
  /// Stands for "no time": later than every real time.
  static var never: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  var zone: ZoneIndex
  var isInside = false
  /// Whether near may fire.
  var isArmed = true
  /// Whether near re-arms: set by the sighting that shows it, cleared at once when the engine settles it.
  var isRearmDue = false
  /// Whether an enter or near is waiting, and whether that was ever reported.
  var isHeld = false
  var isHoldTold = false
  /// Whether the crowd's pace lets the next enter or near happen at `heldUntil`.
  var hasTurn = false
  /// When it entered.
  var since = WallTime(nanoseconds: 0)
  /// Since when a threshold has been met without a break; `never` if it is not met.
  var nearSince = Self.never
  var enterSince = Self.never
  var exitSince = Self.never
  /// The zone's silence counts from here: the last sighting, or when the zone recovered from blindness after it.
  var silentSince: MonotonicTime
  /// When silence ends the presence; `never` while a receiver hears the beacon.
  var lostDeadline = Self.never
  /// No enter or near before this time, because they came too often. The earliest time if they did not.
  var heldUntil = MonotonicTime(nanoseconds: .min)
  /// Which of the beacon's links count for the zone, a bit each. In a zone of rooms none does.
  var links: UInt64 = 0
  /// Where the beacon was last heard; the link is −1 once it was replaced by another.
  var lastLink: Int8 = -1
  var lastReceiver: ReceiverIndex

  init(zone: ZoneIndex, receiver: ReceiverIndex, time: MonotonicTime) {
    self.zone = zone
    lastReceiver = receiver
    silentSince = time
  }

  func isOf(_ link: Int) -> Bool { links & (1 << UInt64(link)) != 0 }

  /// Notes where the beacon stands against the thresholds from `time` on.
  @inline(__always) mutating func stand(_ standing: Standing, at time: MonotonicTime) {
    func start(_ since: MonotonicTime, isMet: Bool) -> MonotonicTime {
      isMet ? (since == Self.never ? time : since) : Self.never
    }
    nearSince = start(nearSince, isMet: standing.contains(.near))
    enterSince = start(enterSince, isMet: standing.contains(.entered))
    // Thresholds of different units may contradict each other; then the nearer one counts.
    let isAway = standing.contains(.away) && standing.isDisjoint(with: [.near, .entered])
    exitSince = start(exitSince, isMet: isAway)
    isRearmDue = !isArmed && standing.contains(.rearmed) && !standing.contains(.near)
  }

  /// The event that is due at `time`; the first if there are several. `isBlind`: no receiver of the zone works, so nobody
  /// leaves it.
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

    /// Whether it counts against the pace of transitions.
    var isComing: Bool { self == .enter || self == .near || self == .enterAndNear }
  }

  /// When `due` returns an event, if nothing is heard until then; or `never`.
  @inline(__always) func deadline(dwells: Dwells, isBlind: Bool) -> MonotonicTime {
    if isRearmDue { return silentSince }
    var coming = isInside ? Self.never : enterSince + dwells.enter
    if isArmed { coming = min(coming, nearSince + dwells.near) }
    // The wait is noted when the event would have happened.
    if isHeld { coming = max(coming, heldUntil) }
    return isInside && !isBlind ? min(coming, lostDeadline, exitSince + dwells.exit) : coming
  }

  /// Breaks every dwell, because the thresholds can no longer be checked.
  mutating func interrupt() {
    nearSince = Self.never
    enterSince = Self.never
    exitSince = Self.never
  }

  /// Enter or near happened.
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
    // The record has other links then.
    links = 0
    lastLink = -1
  }
}
