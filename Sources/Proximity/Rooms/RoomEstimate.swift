import Beacons
import Core

/// The estimated room and position of a beacon.
public struct RoomEstimate: Hashable, Sendable {
  /// A room, and how probable it is.
  public struct Candidate: Hashable, Sendable {
    public var room: RoomIndex
    /// 0 to 1.
    public var probability: Double
  }

  /// The reported room; nil: in no room.
  public var room: RoomIndex?
  /// Probability of `room`, 0 to 1; if `room` is nil, of being in no room.
  public var probability: Double
  /// Since when the beacon is in `room`, or in no room.
  public var since: WallTime
  /// Whether the beacon is heard at present; if not, the probability means nothing.
  public var isHeard = true
  /// The room that the beacon is in, or was in last; nil: none yet.
  public var latestRoom: RoomIndex?
  /// When a receiver of the rooms heard it last; nil: unknown.
  public var lastHeard: WallTime?
  /// The most probable of the other rooms; nil: there is none.
  public var runnerUp: Candidate?
  /// nil: the rooms have no outlines.
  public var position: Point?
  /// Standard deviation of `position` in metres, the mean over both axes.
  public var positionDeviation: Double?
}
