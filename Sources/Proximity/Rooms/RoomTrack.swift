import Beacons
import Core
import Glibc

/// The state of one beacon in the rooms, without its belief.
struct RoomTrack: Hashable, Sendable {
  /// The reported room; −1: none.
  var told: Int32 = -1
  /// The room in which it was last, or is; −1: in none yet.
  var latest: Int32 = -1
  /// When `told` last changed.
  var since = WallTime(nanoseconds: 0)
  /// The last window applied to the belief; nil: the belief is the prior.
  var window: Int64?
  /// Strength of the beacon relative to the maps, dB. It depends on its power and on how it is carried.
  var offset: Float = 0
  /// Number of windows that contributed to `offset`.
  var offsetWeight: Float = 0
  var lastHeard = MonotonicTime(nanoseconds: .min)
  /// The start of the silence.
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
    var latestRoom = latest < 0 ? nil : RoomIndex(rawValue: latest)
    // Not valid before the first reception.
    var heardBy = lastHeard.nanoseconds == .min ? nil : lastReceiver
    try coder("told", &room)
    try coder("latest", &latestRoom)
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
    latest = latestRoom?.rawValue ?? -1
    lastReceiver = heardBy ?? ReceiverIndex(rawValue: 0)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool {
    RoomOffset.bounds.contains(offset) && (0...1000).contains(offsetWeight)
      && window.map(RoomWindows.isPossible) ?? true && interval.isSound && outside.isSound
  }
}

/// The level of a beacon at receivers outside its room, while receivers in the room hear it. If the latter fall silent, this
/// distinguishes a beacon that left from receivers that failed: a beacon that left is stronger elsewhere.
///
/// Used for rooms without outlines. Without it, a beacon that the next room's receiver also hears well would move there as soon as
/// its own receiver fails.
struct OutsideLevel: Hashable, Sendable {
  /// The strongest level outside, smoothed, dBm; nil: never heard outside.
  private var usual: Float?
  /// The same, since the room's receivers fell silent.
  private var present: Float?

  /// A rise by this many dB means that the beacon left.
  private static let louder: Float = 6
  private static let share: Float = 0.15

  /// Processes one window.
  ///
  /// - Parameters:
  ///   - strongest: strongest level outside the room, dBm; nil: not heard there.
  ///   - isHome: whether a receiver in the room heard the beacon.
  ///   - isMute: whether the room's receivers report no beacon at all.
  mutating func note(_ strongest: Float?, isHome: Bool, isMute: Bool) -> Sense {
    guard !isHome, isMute, let usual, let strongest else {
      present = nil
      if isHome, let strongest {
        usual = usual.map { $0 + Self.share * (strongest - $0) } ?? strongest
      }
      return .usual
    }
    let level = present.map { $0 + Self.share * (strongest - $0) } ?? min(strongest, usual)
    present = level
    return level < usual + Self.louder ? .nothingNew : .elsewhere
  }

  /// What a window means.
  enum Sense {
    case usual
    /// The room's receivers failed; the others hear the beacon as before.
    case nothingNew
    /// The room's receivers report nothing, and the others hear the beacon more strongly than before.
    case elsewhere
  }
}

extension OutsideLevel: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("usual", &usual)
    try coder("present", &present)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool { [usual, present].allSatisfy { abs($0 ?? 0) <= 1000 } }
}

/// The strength of a beacon relative to the maps, at all receivers: it depends on its power, its battery and the pocket it is in.
/// It is learnt from the estimated position, so the beacon's power need not be known.
enum RoomOffset {
  /// Maximum number of windows over which the offset is averaged: about 22 s.
  private static let memory: Float = 75
  /// Initial weight of a zero offset in calibrated rooms, windows.
  static let calibrated: Float = 40
  /// An error of this many dB has half weight.
  private static let odd: Float = 8
  /// Limits, dB. Without outlines a receiver's expected level in its own room is 0 dBm, and a weak beacon has −100 dBm.
  static let bounds: ClosedRange<Float> = -127...60

  /// The mean error of the levels, dB. Large errors have less weight.
  static func residual(
    _ belief: UnsafeBufferPointer<Float>, _ hearings: ArraySlice<RoomHearing>, _ offset: Float,
    _ model: RoomModel,
    _ filter: RoomFilter, at nearby: NearbyRooms?
  ) -> Float {
    var (sum, weights) = (Float(0), Float(0))
    for hearing in hearings {
      let error = hearing.level - offset - model.expectedLevel(hearing.hearer, belief, filter, at: nearby)
      let weight = 1 / (1 + (error / odd) * (error / odd))
      sum += weight * error
      weights += weight
    }
    return weights > 0 ? sum / weights : 0
  }

  static func learn(_ residual: Float, _ state: inout RoomTrack) {
    state.offsetWeight = min(state.offsetWeight + 1, memory)
    state.offset += residual / (state.offsetWeight + 1)
    state.offset = min(max(state.offset, bounds.lowerBound), bounds.upperBound)
  }
}
