import Beacons
import Proximity

/// Notices about delayed transitions, each once.
struct HoldNotices: Sendable {
  /// How many beacons get a notice. After that, `transitions_held` in health counts them.
  private static let limit = 20

  private var beaconsTold = 0
  private var hasToldCrowd = false

  mutating func words(on hold: HeldTransition, of beacon: String, in zone: String) -> String? {
    switch hold.reason {
    case .flickers:
      guard beaconsTold < Self.limit else { return nil }
      beaconsTold += 1
      return "\(beacon) enters and leaves \(zone) too often: enter and near are now limited to one in "
        + "\(Int(TransitionPace.interval.seconds)) s at most; a longer dwell or a farther exit prevents this "
        + "(transitions_held in health counts)"
    case .crowd:
      guard !hasToldCrowd else { return nil }
      hasToldCrowd = true
      return
        "members of regions come and go more than \(AdmissionLimits.usualTransitionRate) times a second: enter and near "
        + "wait for their turn; somebody may be inventing them (transitions_held in health counts)"
    }
  }
}

extension HoldNotices: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("beacons_told", &beaconsTold, in: 0...Self.limit)
    try coder("has_told_crowd", &hasToldCrowd)
  }
}
