import Beacons

/// Which rooms can tell who is in them.
public struct RoomSight: Hashable, Sendable {
  /// Whether any receiver of theirs has reported.
  public var isWatched: Bool
  public var blind: Set<RoomIndex>

  public init(isWatched: Bool = false, blind: Set<RoomIndex> = []) {
    self.isWatched = isWatched
    self.blind = blind
  }

  func sees(_ room: RoomIndex) -> Bool { isWatched && !blind.contains(room) }
}

extension RoomSight: StateElement {
  public init() { self.init(isWatched: false) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_watched", &isWatched)
    try coder("blind", &blind)
  }
}
