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

extension RoomSight: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(isWatched)
    writer.write(blind)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    isWatched = try reader.read()
    blind = try reader.read()
  }
}
