public import Beacons

/// Notices that the process did not run for a while: it was stopped, or the machine slept. Whoever owns one looks often, with the
/// time since boot, sleep included.
public struct PauseWatch: Sendable {
  /// How often to look at least, while a pause could be taken for an absence.
  public static let pace = TimeSpan.seconds(1)
  /// The same while there is nothing to miss. Timers stand still while the machine is suspended, and who does not look misses that.
  public static let idlePace = TimeSpan.seconds(5)
  /// A busy machine keeps nobody from looking for this long.
  public static let least = TimeSpan.seconds(3)

  private var seen: MonotonicTime?

  public init() {}

  /// It runs, or has nothing to miss until then.
  public mutating func mark(at time: MonotonicTime) { seen = time }

  /// Since when it did not run, if it did not until now.
  public mutating func look(at time: MonotonicTime) -> MonotonicTime? {
    defer { seen = max(seen ?? time, time) }
    return seen.flatMap { time - $0 >= Self.least ? $0 : nil }
  }
}
