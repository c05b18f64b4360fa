import Beacons

/// What the log says of receivers elsewhere that went blind, or see again. If they are many, or come and go, it says only how often.
struct BlindNotices: Sendable {
  private var limit = RateLimit(burst: 20, interval: .seconds(10))
  private var untold = 0
  /// Those of which it said that they are blind.
  private var told: Set<String> = []

  /// The line about a change; nil if there is nothing to say now.
  mutating func notice(
    of change: ReceiverHealthChange, named name: String, at time: MonotonicTime
  ) -> String? {
    guard change.health.isBlind else { return told.remove(name).map { "\($0) is back" } }
    guard limit.take(at: time) else {
      untold += 1
      return nil
    }
    told.insert(name)
    return "\(name) is \(change.health.rawValue): \(change.reason)"
  }

  /// The line about what was left out; nil: nothing, or it is too early.
  mutating func rest(at time: MonotonicTime) -> String? {
    guard untold > 0, limit.take(at: time) else { return nil }
    defer { untold = 0 }
    return "receivers of scanners became blind \(untold) more times; health has the present state of each"
  }
}
