import Beacons

/// When to ask again after a broker could not be asked. A hostile or dead broker must cost little. A function of the time
/// passed in.
struct InquiryPace: Sendable {
  enum Failure {
    /// The broker accepts no connection at the moment.
    case unreachable
    /// The asking process ended.
    case died
    /// This kind of broker cannot be asked.
    case unable
  }

  /// After this many failures in a row, the problem is not a temporary one of the broker.
  private static let patience = 3
  private static let limit = TimeSpan.seconds(3600)

  private var until: MonotonicTime?
  private var inARow = 0

  /// How long to wait before asking; nil: ask now.
  func pause(at time: MonotonicTime) -> TimeSpan? { until.flatMap { $0 > time ? $0 - time : nil } }

  mutating func succeeded() { self = InquiryPace() }

  /// Returns how long to wait; nil: try again soon.
  mutating func failed(_ failure: Failure, at time: MonotonicTime) -> TimeSpan? {
    inARow += 1
    let doublings =
      switch failure {
      case .unreachable: inARow - Self.patience
      case .died: inARow - 1
      case .unable: 6
      }
    guard doublings >= 0 else { return nil }
    let pause = min(TimeSpan.seconds(Double(60 << min(doublings, 6))), Self.limit)
    until = time + pause
    return pause
  }
}
