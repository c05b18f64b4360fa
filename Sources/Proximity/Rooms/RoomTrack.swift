import Beacons

/// What is known of one beacon among the rooms, beside its belief.
struct RoomTrack: Hashable, Sendable {
  /// The room that was told; −1: none.
  var told: Int32 = -1
  /// Since when.
  var since = WallTime(nanoseconds: 0)
  /// When the belief was last moved: the number of a window; nil: it is the prior.
  var window: Int64?
  /// How much stronger receivers hear this beacon than the maps say, dB: its power, the hand that holds it.
  var offset: Float = 0
  /// How many windows speak for `offset`.
  var offsetWeight: Float = 0
  var lastHeard = MonotonicTime(nanoseconds: .min)
  /// The silence counts from here.
  var silentSince = MonotonicTime(nanoseconds: .min)
  var interval = IntervalEstimator()
  var wallOffset = TimeSpan.zero
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Those that heard it lately: in this period, and in the one before.
  var hearers = HearerSet()
  var earlierHearers = HearerSet()
  var hearersSince = MonotonicTime(nanoseconds: .min)
  /// When it was first heard, if it is in no room yet or the rooms changed since it was told in one.
  var turnedUp = MonotonicTime(nanoseconds: .min)
  var outside = OutsideLevel()
  /// Nobody who could hear it sees: silence means nothing.
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

  /// Notes who heard it in a window, the strongest of them first; not when they arrive, so that their order decides nothing.
  mutating func note(_ heard: HearerSet, strongest: ReceiverIndex, until end: MonotonicTime) {
    if lastHeard.nanoseconds != .min, silentSince == lastHeard { interval.add(gap: end - lastHeard) }
    lastHeard = end
    // Its receivers may have become blind, and see again, before this window was judged.
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
    // Until it was heard it means nothing.
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

  /// Whether it can be: all that was read has a range.
  var isSound: Bool {
    RoomOffset.bounds.contains(offset) && (0...1000).contains(offsetWeight)
      && window.map(RoomWindows.isPossible) ?? true && interval.isSound && outside.isSound
  }
}
