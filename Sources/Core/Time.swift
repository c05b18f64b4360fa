/// A point on a clock that never steps back. Decisions use it: order, dwell, loss.
///
/// Unit: nanoseconds since an arbitrary start (boot for a live radio, the first record for a recording).
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static var zero: MonotonicTime { MonotonicTime(nanoseconds: 0) }
  /// Later than every event that can happen.
  public static var distantFuture: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func + (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds.addingSaturating(span.nanoseconds))
  }
  public static func - (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds.subtractingSaturating(span.nanoseconds))
  }
  public static func - (a: Self, b: Self) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds.subtractingSaturating(b.nanoseconds))
  }
}

/// A point on the calendar. It is only reported and decides nothing.
///
/// Unit: nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct WallTime: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func + (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds.addingSaturating(span.nanoseconds))
  }
  public static func - (time: Self, span: TimeSpan) -> Self {
    Self(nanoseconds: time.nanoseconds.subtractingSaturating(span.nanoseconds))
  }
  public static func - (a: Self, b: Self) -> TimeSpan {
    TimeSpan(nanoseconds: a.nanoseconds.subtractingSaturating(b.nanoseconds))
  }
}

/// A length of time in nanoseconds; may be negative. Arithmetic saturates, because a hostile timestamp
/// must not trap.
public struct TimeSpan: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }
  public static func milliseconds(_ count: Int64) -> Self {
    Self(nanoseconds: count.multipliedSaturating(by: 1_000_000))
  }
  /// Rounds to the nearest nanosecond. NaN becomes zero; values out of range saturate.
  public static func seconds(_ count: Double) -> Self {
    let nanoseconds = (count * 1e9).rounded()
    if nanoseconds.isNaN { return .zero }
    if nanoseconds >= 9.2e18 { return Self(nanoseconds: .max) }
    if nanoseconds <= -9.2e18 { return Self(nanoseconds: .min) }
    return Self(nanoseconds: Int64(nanoseconds))
  }

  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func + (a: Self, b: Self) -> Self {
    Self(nanoseconds: a.nanoseconds.addingSaturating(b.nanoseconds))
  }
  public static func - (a: Self, b: Self) -> Self {
    Self(nanoseconds: a.nanoseconds.subtractingSaturating(b.nanoseconds))
  }
  public static func * (span: Self, factor: Double) -> Self { .seconds(span.seconds * factor) }
}

extension Int64 {
  @inlinable func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
  @inlinable func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
  @inlinable package func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self > 0) == (other > 0) ? .max : .min) : product
  }
}
