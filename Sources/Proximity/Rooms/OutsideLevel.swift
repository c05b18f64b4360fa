import Beacons

/// How loud a beacon is for the receivers outside its room, while those in it hear it. If they fall silent, this tells a beacon
/// that left from a receiver that failed: who left is louder elsewhere.
///
/// For rooms that are just names. Nobody knows what their receivers hear in each corner, so a beacon that the next room's
/// receiver hears well would drift there as soon as its own says nothing.
struct OutsideLevel: Hashable, Sendable {
  /// The strongest level outside, smoothed, dBm; nil: none was heard yet.
  private var usual: Float?
  /// The same since nobody in the room says anything.
  private var present: Float?

  /// So many dB louder than usual, and the beacon is elsewhere.
  private static let louder: Float = 6
  private static let share: Float = 0.15

  /// Takes in a window.
  ///
  /// - Parameters:
  ///   - strongest: outside the room, dBm; nil: nobody heard it there.
  ///   - isHome: a receiver in the room heard it.
  ///   - isMute: those in the room say nothing at all.
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
    /// The room's receivers failed, and the others hear the beacon as before.
    case nothingNew
    /// The room's receivers say nothing, and others hear it louder than while they did.
    case elsewhere
  }
}

extension OutsideLevel: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("usual", &usual)
    try coder("present", &present)
    try coder.check(isSound)
  }

  /// Whether it can be: all that was read has a range.
  var isSound: Bool { [usual, present].allSatisfy { abs($0 ?? 0) <= 1000 } }
}
