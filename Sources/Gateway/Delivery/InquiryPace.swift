import Beacons

/// When a broker that could not be asked is asked again, so that a hostile or a dead one costs little. A function of the time that is
/// passed in.
struct InquiryPace: Sendable {
  enum Failure {
    /// The broker lets nobody in at this moment.
    case unreachable
    /// Whoever asked is no more.
    case died
    /// The broker is not of the kind that can be asked.
    case unable
  }

  /// So many failures in a row may be a broker's bad moment.
  private static let patience = 3
  private static let limit = TimeSpan.seconds(3600)

  private var until: MonotonicTime?
  private var inARow = 0

  /// How long nothing is to be asked.
  func pause(at time: MonotonicTime) -> TimeSpan? { until.flatMap { $0 > time ? $0 - time : nil } }

  mutating func succeeded() { self = InquiryPace() }

  /// Returns how long nothing is to be asked; nil: try again soon.
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
