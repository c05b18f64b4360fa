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
  /// Probability of `room`, 0 to 1; if that is nil, of being in no room.
  public var probability: Double
  /// Since when it is in `room`, or in none.
  public var since: WallTime
  /// Whether the beacon is heard at present; if not, the probability means nothing.
  public var isHeard: Bool
  /// The room that it is in, or was in last; nil: none yet.
  public var latestRoom: RoomIndex?
  /// When a receiver of the rooms heard it last; nil: unknown.
  public var lastHeard: WallTime?
  /// The most probable of the other rooms; nil: there is none.
  public var runnerUp: Candidate?
  /// nil: the rooms have no outlines.
  public var position: Point?
  /// Standard deviation of `position` in metres, the mean over both axes.
  public var positionDeviation: Double?

  public init(
    room: RoomIndex?, probability: Double, since: WallTime, isHeard: Bool = true, runnerUp: Candidate? = nil,
    position: Point? = nil, positionDeviation: Double? = nil
  ) {
    self.room = room
    self.probability = probability
    self.since = since
    self.isHeard = isHeard
    self.runnerUp = runnerUp
    self.position = position
    self.positionDeviation = positionDeviation
  }
}
