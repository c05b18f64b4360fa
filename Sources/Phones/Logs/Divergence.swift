/// Where a phone did something else than its profile says.
public struct Divergence: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// It ranged when it should have been asleep.
    case ranged
    /// It was silent when it should have ranged.
    case silent
    /// The phone had another background time left than predicted.
    case remaining
    case expiration
    case near
    case region
    /// The process slept, ran or ended when it should not have.
    case state
  }

  /// The most rows of a kind; further ones are left out.
  static let limit = 1000

  public var kind: Kind
  /// On the timeline, in milliseconds.
  public var time: Milliseconds
  /// When the last one of this row was; `time` if there is only one.
  public var until: Milliseconds
  /// How many divergences this row stands for.
  public var count = 1
  public var predicted: String
  public var seen: String
  /// The rule that decided the prediction; nil: no rule limits it.
  public var reason: Reason?
  /// The names of the constants that the prediction depends on.
  public var constants: [String]

  init(
    _ kind: Kind, at time: Milliseconds, predicted: String, seen: String, reason: Reason? = nil,
    constants: [String]? = nil
  ) {
    (self.kind, self.time, until) = (kind, time, time)
    (self.predicted, self.seen, self.reason) = (predicted, seen, reason)
    self.constants = constants ?? reason?.constants ?? []
  }

  /// Sorts divergences by time, and joins those of the same kind and rule that follow each other.
  static func joined(_ all: [Divergence]) -> [Divergence] {
    var rows: [Divergence] = []
    var counts: [Kind: Int] = [:]
    for next in all.enumerated().sorted(by: { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }) {
      let next = next.element
      let last = rows.indices.suffix(2).last { rows[$0].kind == next.kind }
      if let last, next.kind == .ranged || next.kind == .remaining,
        rows[last].reason == next.reason, next.time - rows[last].until <= 60_000
      {
        rows[last].until = next.time
        rows[last].count += 1
      } else if counts[next.kind, default: 0] < limit {
        counts[next.kind, default: 0] += 1
        rows.append(next)
      }
    }
    return rows
  }
}
