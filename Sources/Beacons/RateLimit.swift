/// So many at once, and one each `interval` after that (generic cell rate algorithm, ITU-T I.371). It asks no clock.
public struct RateLimit: Hashable, Sendable {
  public let burst: Int
  public let interval: TimeSpan
  /// When the burst would be possible again in full.
  private var rested = MonotonicTime(nanoseconds: .min)

  public init(burst: Int, perSecond: Double) {
    self.init(burst: burst, interval: .seconds(1 / max(perSecond, 0.001)))
  }

  public init(burst: Int, interval: TimeSpan) {
    self.burst = max(1, burst)
    self.interval = max(TimeSpan(nanoseconds: 1), interval)
  }

  /// Goes on from where an earlier one was.
  public mutating func adopt(_ earlier: RateLimit) { rested = earlier.rested }

  /// Whether one more may be now; if so it counts.
  public mutating func take(at time: MonotonicTime) -> Bool {
    guard next <= time else { return false }
    spend(at: time)
    return true
  }

  /// Gives away the next turn: when it is, which is now or later. nil: not within `horizon`, and nothing is given away.
  public mutating func reserve(at time: MonotonicTime, within horizon: TimeSpan) -> MonotonicTime? {
    let turn = max(next, time)
    guard turn - time <= horizon else { return nil }
    spend(at: time)
    return turn
  }

  /// The earliest time at which one more may be.
  private var next: MonotonicTime { rested - interval.times(burst - 1) }

  private mutating func spend(at time: MonotonicTime) { rested = max(rested, time) + interval }
}

extension TimeSpan {
  /// Saturates, as all of its arithmetic.
  public func times(_ count: Int) -> TimeSpan {
    TimeSpan(nanoseconds: nanoseconds.multipliedSaturating(by: Int64(count)))
  }
}
