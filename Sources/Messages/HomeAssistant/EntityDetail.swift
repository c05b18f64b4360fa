/// What becomes an entity. Each choice includes the previous one.
///
/// Entities outside the choice are not announced at all. Announcing them as disabled would not work: Home Assistant reads
/// that only when an entity is new, so a later choice would change nothing.
public enum EntityDetail: String, Hashable, Sendable, Comparable, CaseIterable {
  /// Who is where, whether everything works, and batteries.
  case minimal
  /// Also readings, distances and rates.
  case normal
  /// Also values that change at every advertisement or are for technicians: signal, last seen, receiver, acceleration,
  /// counters.
  case all

  public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .minimal: 0
    case .normal: 1
    case .all: 2
    }
  }
}
