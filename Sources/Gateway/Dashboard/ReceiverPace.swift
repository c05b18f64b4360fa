import Beacons

/// How often a receiver of a recording hears something.
struct ReceiverPace: Sendable {
  private static let span = TimeSpan.seconds(10)

  private(set) var latest: MonotonicTime?
  /// Of the current span and of the one before.
  private var counts = (before: 0, now: 0)
  private var start = MonotonicTime.zero

  mutating func note(_ time: MonotonicTime) {
    roll(to: time)
    counts.now += 1
    latest = time
  }

  private mutating func roll(to time: MonotonicTime) {
    guard time - start >= Self.span else { return }
    counts = (time - start < Self.span + Self.span ? counts.now : 0, 0)
    start = time
  }

  /// Advertisements a second, over the last ten seconds or so.
  func rate(at time: MonotonicTime) -> Double {
    var pace = self
    pace.roll(to: time)
    let whole = min((time - .zero).seconds, Self.span.seconds)
    let part = max((time - pace.start).seconds, 0)
    let before = max(whole - part, 0)
    guard whole > 0 else { return 0 }
    return (Double(pace.counts.now) + Double(pace.counts.before) * before / Self.span.seconds) / whole
  }
}
