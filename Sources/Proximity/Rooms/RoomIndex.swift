import Beacons

/// An index into the list of rooms.
public struct RoomIndex: Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Decoding checks the index against the coder's bounds.
extension ZoneIndex: StateCoded {
  public func write(to coder: inout StateCoder) {
    coder.mention(rawValue, .zone)
    coder.write(rawValue)
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(.zone, try coder.read(), below: coder.bounds.zones))
  }
}

extension RoomIndex: StateCoded {
  public func write(to coder: inout StateCoder) {
    coder.mention(rawValue, .room)
    coder.write(rawValue)
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(.room, try coder.read(), below: coder.bounds.rooms))
  }
}
