/// What becomes an entity. Each choice includes the previous one.
///
/// Entities outside the choice are not announced at all. Announcing them as disabled would not work: Home Assistant reads
/// that only when an entity is new, so a later choice would change nothing.
public enum EntityDetail: Int, Hashable, Sendable, Comparable {
  /// Who is where, whether everything works, and batteries.
  case minimal
  /// Also what beacons measure, and their distance.
  case normal
  /// Also what changes at every advertisement, or is useful only to technicians.
  case all

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
