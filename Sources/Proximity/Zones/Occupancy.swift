import Beacons

/// Who is in a zone.
public struct Occupancy: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case occupied, empty
    /// Every receiver of the zone is blind: `members` are those that were there when sight was lost. Also while none
    /// of its receivers has been heard of yet.
    case unknown
  }

  public struct Member: Hashable, Sendable {
    public var beacon: BeaconIndex
    /// When it entered.
    public var since: WallTime
    /// Whether a near trigger fired in this approach and is not re-armed.
    public var isNear: Bool

    public init(beacon: BeaconIndex, since: WallTime, isNear: Bool) {
      self.beacon = beacon
      self.since = since
      self.isNear = isNear
    }
  }

  public var state: State
  /// By beacon, ascending.
  public var members: [Member]

  public init(state: State, members: [Member]) {
    self.state = state
    self.members = members
  }
}
