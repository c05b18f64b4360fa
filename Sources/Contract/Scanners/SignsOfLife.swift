import Beacons
import Core

/// Whether a receiver that fell silent may have failed: it has given no sign of life since it last heard
/// something, although it usually gives them whether it hears anything or not. When a board loses its power
/// or its network, its last will comes only after 1.5 times its keepalive, and until then the silence of its
/// beacons proves nothing.
///
/// ESPresense's boards send telemetry every 15 s. A Beaconkeeper sends an empty batch once its radios hear nothing more. Others give no such
/// sign, but one that reported many devices without a pause may have failed, too, if it reports none: see `SpeakingPace.isDense`.
struct SignsOfLife: StateElement {
  /// Silences up to this are usual.
  private static let patience = TimeSpan.milliseconds(2_500)
  /// By then a last will would have come, even that of a Beaconkeeper, whose keepalive is 60 s.
  private static let limit = TimeSpan.seconds(100)
  /// After a sign of life, observations follow within this time if only the network was away.
  private static let grace = TimeSpan.seconds(3)
  /// After a silence, the receiver reports everything that it hears within this time.
  private static let resumption = TimeSpan.seconds(10)
  /// Two signs of life count as regular if they are at most this far apart.
  private static let regular = TimeSpan.seconds(45)
  /// Longer gaps count as this long: they come from an empty room.
  private static let longestGap = TimeSpan.seconds(20)
  private static let never = MonotonicTime(nanoseconds: .min)

  /// The last observation; `never` also after the receiver reported that it hears nothing.
  private var lastHeard = Self.never
  private var lastSign = Self.never
  /// The first sign of life after an unusual silence: the receiver was there and heard nothing.
  private var answered = Self.never
  /// When observations began again after an unusual silence; or when a retained message said that the
  /// receiver is online, before anything came from it.
  private var resumed = Self.never
  /// Whether the receiver gives signs of life even if it hears nothing.
  var areUsual = false
  /// The smoothed time between messages with observations.
  private var gap = TimeSpan.zero
  /// The answer at the last call of `changes`.
  private(set) var isDoubted = false

  private var usualSilence: TimeSpan { max(Self.patience, TimeSpan(nanoseconds: gap.nanoseconds / 2 * 5)) }

  /// Whether time can change the answer.
  var mayChange: Bool { areUsual || isDoubted || lastHeard == Self.never && resumed != Self.never }

  mutating func hear(at time: MonotonicTime) {
    if lastHeard == Self.never {
      if resumed != Self.never { resumed = time }
    } else if time > lastHeard {
      if time - lastHeard >= usualSilence { resumed = time }
      let last = min(time - lastHeard, Self.longestGap)
      gap = gap + TimeSpan(nanoseconds: (last - gap).nanoseconds / 16)
    }
    lastHeard = max(lastHeard, time)
  }

  /// The receiver works, and reports that it hears nothing.
  mutating func hearNothing(at time: MonotonicTime) {
    prove(at: time)
    (lastHeard, resumed) = (Self.never, Self.never)
  }

  /// The receiver works.
  mutating func prove(at time: MonotonicTime) {
    lastSign = max(lastSign, time)
    if lastHeard != Self.never, answered <= lastHeard, time - lastHeard >= usualSilence { answered = time }
  }

  /// The receiver works, and sends this message whether it hears anything or not.
  mutating func sign(at time: MonotonicTime) {
    if lastSign != Self.never, time > lastSign, time - lastSign <= Self.regular { areUsual = true }
    prove(at: time)
  }

  /// A retained message says that the receiver is online. It may have failed since.
  mutating func presume(at time: MonotonicTime) {
    if lastHeard == Self.never, lastSign == Self.never, resumed == Self.never { resumed = time }
  }

  /// The receiver is known to be blind, so there is no doubt any more.
  mutating func becomeBlind() { isDoubted = false }

  /// Returns whether the answer has changed since the last call.
  ///
  /// - Parameters:
  ///   - connected: since when the broker has been connected, so that the receiver's messages reach us.
  ///   - isDense: a pause shows that something has failed.
  mutating func changes(at time: MonotonicTime, connected: MonotonicTime, isDense: Bool) -> Bool {
    let was = isDoubted
    isDoubted = mayHaveFailed(at: time, connected: connected, isExpected: areUsual || isDense)
    if !isDoubted, lastHeard == Self.never { resumed = Self.never }
    return isDoubted != was
  }

  /// Whether it has given no sign of life for so long that a last will would have come.
  func isGivenUp(at time: MonotonicTime, connected: MonotonicTime) -> Bool {
    lastHeard == Self.never
      ? lastSign == Self.never
      : answered <= lastHeard && time - max(lastHeard, connected) >= Self.limit
  }

  private func mayHaveFailed(at time: MonotonicTime, connected: MonotonicTime, isExpected: Bool) -> Bool {
    if lastHeard == Self.never {
      return resumed != Self.never && lastSign < resumed && time - resumed < Self.limit
    }
    if isDoubted, resumed != Self.never, resumed >= answered, time - resumed < Self.resumption { return true }
    guard isExpected else { return false }
    if answered > lastHeard { return isDoubted && time - answered < Self.grace }
    return time - lastHeard >= usualSilence && time - max(lastHeard, lastSign) >= Self.patience
      && time - max(lastHeard, connected) < Self.limit
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("last_heard", &lastHeard)
    try coder("last_sign", &lastSign)
    try coder("answered", &answered)
    try coder("resumed", &resumed)
    try coder("are_usual", &areUsual)
    try coder("gap", &gap)
    try coder("is_doubted", &isDoubted)
    try coder.check((TimeSpan.zero...Self.longestGap).contains(gap))
  }
}
