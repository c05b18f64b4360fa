import Beacons
import Proximity

/// For those who follow a beacon through the rooms of a recording.
extension Pipeline {
  /// When rooms next have something to decide.
  package var roomDeadline: MonotonicTime? { rooms?.nextDeadline }

  /// nil: there are no rooms, or none of their receivers ever heard it.
  package func roomEstimate(of beacon: BeaconIndex) -> RoomEstimate? { rooms?.estimate(of: beacon) }
}
