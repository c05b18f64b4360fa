import Beacons

/// Who is in a zone.
public struct Occupancy: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case occupied, empty
    /// Every receiver of the zone is blind, or none has reported yet. `members` are those that were inside when the
    /// last receiver went blind.
    case unknown
  }

  public struct Member: Hashable, Sendable {
    public var beacon: BeaconIndex
    /// When it entered.
    public var since: WallTime
    /// Whether near fired in this approach and is not re-armed yet.
    public var isNear: Bool
  }

  public var state: State
  /// By beacon, ascending.
  public var members: [Member]
}
