/// How much of what is known becomes an entity. Each choice has what the one before it has.
///
/// A choice does not announce entities that are off: Home Assistant looks at that only once, when an entity is new, so that
/// another choice would change nothing.
public enum EntityDetail: Int, Hashable, Sendable, Comparable {
  /// Who is where, whether all is well, and batteries.
  case minimal
  /// And what beacons measure, and how far away they are.
  case normal
  /// And what changes with every advertisement, or is of use to technicians only.
  case all

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
