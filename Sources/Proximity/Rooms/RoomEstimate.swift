import Beacons

/// Where a beacon is, among rooms.
public struct RoomEstimate: Hashable, Sendable {
  /// A room, and how probable it is.
  public struct Candidate: Hashable, Sendable {
    public var room: RoomIndex
    /// 0 to 1.
    public var probability: Double

    public init(room: RoomIndex, probability: Double) {
      self.room = room
      self.probability = probability
    }
  }

  /// The room that was told; nil: in none.
  public var room: RoomIndex?
  /// Of `room`, 0 to 1; of being in no room if that is nil.
  public var probability: Double
  /// Since when it is in `room`, or in none.
  public var since: WallTime
  /// Whether the beacon is heard at present; if not, the probability means nothing.
  public var isHeard: Bool
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
