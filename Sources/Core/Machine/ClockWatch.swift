/// Detects that the machine's clock was set. Its owner calls `look` often.
public struct ClockWatch: Sendable {
  /// A step must be at least this long. A clock that is slowed down or sped up does not step.
  private static let least = TimeSpan.seconds(2)
  private static let pace = TimeSpan.seconds(1)

  private let start: MonotonicTime
  private var offset: TimeSpan?
  /// Whether the clock is known not to have been set yet. Once it was, that is not asked again.
  private var isUnset = true
  private var asked: MonotonicTime?

  /// - Parameter start: when its owner began to read the clock.
  public init(from start: MonotonicTime) { self.start = start }

  /// - Parameter isUnset: whether the clock is known not to have been set since the machine started.
  public mutating func look(
    at time: MonotonicTime, _ wallTime: WallTime, isUnset isNowUnset: @autoclosure () -> Bool
  ) -> ClockStep? {
    let next = wallTime - WallTime(nanoseconds: time.nanoseconds)
    defer {
      offset = next
      if isUnset, asked.map({ time - $0 >= Self.pace }) ?? true { (isUnset, asked) = (isNowUnset(), time) }
    }
    guard let offset else { return nil }
    let step = next - offset
    guard max(step, .zero - step) >= Self.least else { return nil }
    return ClockStep(step, from: offset, wrong: isUnset ? start...max(start, time) : nil)
  }
}
