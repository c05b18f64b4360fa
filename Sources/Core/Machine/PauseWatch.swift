/// Detects that the process did not run for a while: it was stopped, or the machine slept. Its owner calls `look` often, with
/// the time since boot, including sleep.
public struct PauseWatch: Sendable {
  /// How often to call `look` at least, while a pause could be mistaken for silence.
  public static let pace = TimeSpan.seconds(1)
  /// The interval while there is nothing to miss. Timers stop while the machine is suspended, so a longer interval would not
  /// notice that.
  public static let idlePace = TimeSpan.seconds(5)
  /// A pause must be at least this long. Even on a busy machine the interval is shorter.
  public static let least = TimeSpan.seconds(3)

  private var seen: MonotonicTime?

  public init() {}

  /// Records that the process is running. Long work before was not a pause.
  public mutating func mark(at time: MonotonicTime) { seen = time }

  /// Records that the process is running, and has nothing to miss before `end`. If it is stopped in the middle of work, the
  /// next `look` detects that.
  public mutating func mark(at time: MonotonicTime, safeUntil end: MonotonicTime) {
    if seen.map({ time - $0 < Self.least }) ?? true { seen = end }
  }

  /// When the pause began, if the process did not run until now.
  public mutating func look(at time: MonotonicTime) -> MonotonicTime? {
    defer { seen = max(seen ?? time, time) }
    return seen.flatMap { time - $0 >= Self.least ? $0 : nil }
  }
}
