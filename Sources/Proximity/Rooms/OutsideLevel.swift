import Beacons

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
