import Beacons
import Proximity

/// For those who follow a beacon through the rooms of a recording.
extension Pipeline {
  /// When rooms next have something to decide.
  package var roomDeadline: MonotonicTime? { rooms?.nextDeadline }

  /// The receiver that hears the rooms otherwise than when they were calibrated, and by how many dB; nil: none is known.
  package var movedReceiver: (receiver: ReceiverIndex, decibels: Double)? { rooms?.movedReceiver }

  /// How many dB more than expected each receiver of the rooms hears; none before that is learnt.
  package var receiverGains: [ReceiverIndex: Double] { rooms?.receiverGains ?? [:] }

  /// nil: there are no rooms, or none of their receivers ever heard it.
  package func roomEstimate(of beacon: BeaconIndex) -> RoomEstimate? { rooms?.estimate(of: beacon) }
}

/// For those who look at the plan.
extension Pipeline {
  /// Who is in a room, in the order of their coming.
  package func members(of room: RoomIndex) -> [(beacon: BeaconIndex, since: WallTime)] {
    rooms?.members(of: room) ?? []
  }

  package func roomCloud(of beacon: BeaconIndex) -> RoomTracker.Cloud? { rooms?.cloud(of: beacon) }

  /// By room, in the order of the configuration.
  package func roomShares(of beacon: BeaconIndex) -> [Double]? { rooms?.shares(of: beacon) }
}
