import Core

/// Derives monotonic time from a recording's wall times.
///
/// It starts at zero with the first record and advances with the wall time. Records that are out of order by up to a second
/// (two radios merged into one file) do not move it. A larger step back means that the clock was set; from there on it
/// advances again. A step forward looks the same as silence, so it counts as time.
public struct RecordingClock: Sendable {
  /// How far a record may lie behind the latest one and still be on the same clock.
  public static let disorder = TimeSpan.seconds(1)

  /// No recording lasts 146 years. The limit keeps times away from the values that mean "never".
  private static let end = MonotonicTime(nanoseconds: .max / 2)

  /// Records that are earlier than one before them: by up to a second, and by more.
  public private(set) var late: (few: UInt64, steps: UInt64) = (0, 0)

  private var latest: WallTime?
  private var now = MonotonicTime.zero

  public init() {}

  /// The monotonic time of a record; never earlier than the result of an earlier call.
  public mutating func time(at wallTime: WallTime) -> MonotonicTime {
    guard let latest else {
      self.latest = wallTime
      return now
    }
    let step = wallTime - latest
    if step > .zero {
      now = min(now + step, Self.end)
      self.latest = wallTime
    } else if step < .zero - Self.disorder {
      self.latest = wallTime
      late.steps += 1
    } else if step < .zero {
      late.few += 1
    }
    return now
  }
}
