import Beacons
import Core

/// Whether a receiver that fell silent may have failed: it has given no sign of life since it heard something last, although it
/// usually does so whether it hears anything or not. When a board loses its power or its network, its last will comes only after 1.5
/// times its keepalive, and until then the silence of its beacons proves nothing.
///
/// ESPresense's boards send telemetry every 15 s. A Beaconkeeper sends an empty batch once its radios hear nothing more.
struct SignsOfLife: StateElement {
  /// So long a silence is usual.
  private static let patience = TimeSpan.milliseconds(2_500)
  /// By then a last will would have come.
  private static let limit = TimeSpan.seconds(60)
  /// After a sign of life, what it hears comes within this time: its network may only have been away.
  private static let grace = TimeSpan.seconds(3)
  /// Two signs that are at most so far apart are regular.
  private static let regular = TimeSpan.seconds(45)
  /// Longer gaps are those of an empty room.
  private static let longestGap = TimeSpan.seconds(20)

  private var lastHeard = MonotonicTime(nanoseconds: .min)
  private var lastSign = MonotonicTime(nanoseconds: .min)
  /// Whether a sign of life is to be expected.
  var areUsual = false
  /// Between messages with observations, smoothed.
  private var gap = TimeSpan.zero
  /// As it was told last.
  private(set) var isDoubted = false

  mutating func hear(at time: MonotonicTime) {
    if lastHeard.nanoseconds != .min, time > lastHeard {
      let last = min(time - lastHeard, Self.longestGap)
      gap = gap + TimeSpan(nanoseconds: (last - gap).nanoseconds / 16)
    }
    lastHeard = max(lastHeard, time)
  }

  /// It lives.
  mutating func prove(at time: MonotonicTime) { lastSign = max(lastSign, time) }

  /// It lives, and says so whether it hears anything or not.
  mutating func sign(at time: MonotonicTime) {
    if lastSign.nanoseconds != .min, time > lastSign, time - lastSign <= Self.regular { areUsual = true }
    prove(at: time)
  }

  /// Returns whether the answer differs from that of the last time.
  mutating func changes(at time: MonotonicTime) -> Bool {
    defer { isDoubted = mayHaveFailed(at: time) }
    return mayHaveFailed(at: time) != isDoubted
  }

  private func mayHaveFailed(at time: MonotonicTime) -> Bool {
    guard areUsual, lastHeard.nanoseconds != .min else { return false }
    if lastSign > lastHeard { return isDoubted && time - lastSign < Self.grace }
    let silence = time - lastHeard
    let usual = TimeSpan(nanoseconds: gap.nanoseconds / 2 * 5)
    return silence >= max(Self.patience, usual) && silence < Self.limit
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("last_heard", &lastHeard)
    try coder("last_sign", &lastSign)
    try coder("are_usual", &areUsual)
    try coder("gap", &gap)
    try coder("is_doubted", &isDoubted)
    try coder.check((TimeSpan.zero...Self.longestGap).contains(gap))
  }
}
