/// The machine's clock was set.
public struct ClockStep: Hashable, Sendable {
  /// Wall time minus monotonic time, as it was.
  public let offset: TimeSpan
  /// By how much it was set forward; negative: back.
  public let step: TimeSpan
  /// Times that were read from the clock while nothing had set it yet, as on a Raspberry Pi that learns the time after it started: they
  /// are wrong by as much. nil: the clock had been right before, or nobody knows. Then earlier times stay as they are.
  public let wrong: ClosedRange<WallTime>?

  /// How late a sighting may come. The offset of its times is wrong by as much.
  private static let lateness = TimeSpan.seconds(60)

  /// - Parameter wrong: when the clock was read wrongly; nil: never.
  public init(_ step: TimeSpan, from offset: TimeSpan, wrong: ClosedRange<MonotonicTime>?) {
    (self.step, self.offset) = (step, offset)
    self.wrong = wrong.map { span in
      let first = WallTime(nanoseconds: span.lowerBound.nanoseconds) + offset
      return first...max(first, WallTime(nanoseconds: span.upperBound.nanoseconds) + offset)
    }
  }

  /// The right time.
  public func corrected(_ time: WallTime) -> WallTime { wrong?.contains(time) ?? false ? time + step : time }

  /// The offset after the step. Offsets of other clocks stay as they are.
  public func moved(_ other: TimeSpan) -> TimeSpan {
    let difference = other - offset
    return max(difference, .zero - difference) <= Self.lateness ? other + step : other
  }
}
