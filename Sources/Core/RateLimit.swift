/// Allows a burst, then one per `interval` (generic cell rate algorithm, ITU-T I.371). It reads no clock.
public struct RateLimit: Hashable, Sendable {
  public let burst: Int
  public let interval: TimeSpan
  /// When the full burst is available again.
  package var rested = MonotonicTime(nanoseconds: .min)

  public init(burst: Int, perSecond: Double) {
    self.init(burst: burst, interval: .seconds(1 / max(perSecond, 0.001)))
  }

  public init(burst: Int, interval: TimeSpan) {
    self.burst = max(1, burst)
    self.interval = max(TimeSpan(nanoseconds: 1), interval)
  }

  /// Continues from an earlier state.
  public mutating func adopt(_ earlier: RateLimit) { rested = earlier.rested }

  /// Whether one more is allowed now; if so, it counts.
  public mutating func take(at time: MonotonicTime) -> Bool {
    guard next <= time else { return false }
    spend(at: time)
    return true
  }

  /// Reserves the next turn and returns its time, which is now or later. nil: there is none within `horizon`, and nothing
  /// is reserved.
  public mutating func reserve(at time: MonotonicTime, within horizon: TimeSpan) -> MonotonicTime? {
    let turn = max(next, time)
    guard turn - time <= horizon else { return nil }
    spend(at: time)
    return turn
  }

  /// The earliest time for one more.
  private var next: MonotonicTime { rested - interval.times(burst - 1) }

  private mutating func spend(at time: MonotonicTime) { rested = max(rested, time) + interval }
}

extension TimeSpan {
  /// Saturates, as all arithmetic of `TimeSpan`.
  public func times(_ count: Int) -> TimeSpan {
    TimeSpan(nanoseconds: nanoseconds.multipliedSaturating(by: Int64(count)))
  }
}
