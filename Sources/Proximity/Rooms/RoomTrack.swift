import Beacons

/// The state of one beacon in the rooms, without its belief.
struct RoomTrack: Hashable, Sendable {
  /// The reported room; −1: none.
  var told: Int32 = -1
  /// When `told` last changed.
  var since = WallTime(nanoseconds: 0)
  /// The last window applied to the belief; nil: the belief is the prior.
  var window: Int64?
  /// Strength of the beacon relative to the maps, dB. It depends on its power and on how it is carried.
  var offset: Float = 0
  /// Number of windows that contributed to `offset`.
  var offsetWeight: Float = 0
  var lastHeard = MonotonicTime(nanoseconds: .min)
  /// The silence counts from here.
  var silentSince = MonotonicTime(nanoseconds: .min)
  var interval = IntervalEstimator()
  var wallOffset = TimeSpan.zero
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Receivers that heard it in the current period and in the previous one.
  var hearers = HearerSet()
  var earlierHearers = HearerSet()
  var hearersSince = MonotonicTime(nanoseconds: .min)
  /// When it appeared, if it has no room yet or the maps changed since its room was reported.
  var turnedUp = MonotonicTime(nanoseconds: .min)
  var outside = OutsideLevel()
  /// Its room or its best receiver is blind, so silence is ignored.
  var isFrozen = false

  private static var period: TimeSpan { .seconds(10) }

  /// When the beacon counts as gone, if nothing is heard until then.
  var silenceDeadline: MonotonicTime {
    silentSince + (silentSince > lastHeard ? max(interval.lost, IntervalEstimator.unlearnt) : interval.lost)
  }

  var recentHearers: HearerSet { hearers.union(earlierHearers) }

  func wallTime(at time: MonotonicTime) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds) + wallOffset
  }

  /// Records which receivers heard it in a window. The order of arrival does not matter.
  mutating func note(_ heard: HearerSet, strongest: ReceiverIndex, until end: MonotonicTime) {
    if lastHeard.nanoseconds != .min, silentSince == lastHeard { interval.add(gap: end - lastHeard) }
    lastHeard = end
    // Its receivers may have recovered from blindness after this window.
    silentSince = max(silentSince, end)
    lastReceiver = strongest
    if hearersSince.nanoseconds == .min || end - hearersSince > Self.period {
      earlierHearers = hearers
      hearers = HearerSet()
      hearersSince = end
    }
    hearers = hearers.union(heard)
    isFrozen = false
    if window == nil, told < 0 { turnedUp = end }
  }
}

extension RoomTrack: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    var room = told < 0 ? nil : RoomIndex(rawValue: told)
    // Not valid before the first reception.
    var heardBy = lastHeard.nanoseconds == .min ? nil : lastReceiver
    try coder("told", &room)
    try coder("since", &since)
    try coder("window", &window)
    try coder("offset", &offset)
    try coder("offset_weight", &offsetWeight)
    try coder("last_heard", &lastHeard)
    try coder("silent_since", &silentSince)
    try coder("interval", &interval)
    try coder(offset: "wall_offset", &wallOffset)
    try coder("last_receiver", &heardBy)
    try coder("hearers", &hearers)
    try coder("earlier_hearers", &earlierHearers)
    try coder("hearers_since", &hearersSince)
    try coder("turned_up", &turnedUp)
    try coder("outside", &outside)
    try coder("is_frozen", &isFrozen)
    guard coder.isReading else { return }
    told = room?.rawValue ?? -1
    lastReceiver = heardBy ?? ReceiverIndex(rawValue: 0)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool {
    RoomOffset.bounds.contains(offset) && (0...1000).contains(offsetWeight)
      && window.map(RoomWindows.isPossible) ?? true && interval.isSound && outside.isSound
  }
}
