/// An index into the list of rooms.
public struct RoomIndex: Hashable, Comparable, Sendable, Codable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
