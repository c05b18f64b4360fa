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

  /// It runs. Long work before was no pause.
  public mutating func mark(at time: MonotonicTime) { seen = time }

  /// It runs, and has nothing to miss before `end`. If it was stopped in the midst of something, the next look finds that.
  public mutating func mark(at time: MonotonicTime, safeUntil end: MonotonicTime) {
    if seen.map({ time - $0 < Self.least }) ?? true { seen = end }
  }

  /// Since when it did not run, if it did not until now.
  public mutating func look(at time: MonotonicTime) -> MonotonicTime? {
    defer { seen = max(seen ?? time, time) }
    return seen.flatMap { time - $0 >= Self.least ? $0 : nil }
  }
}
