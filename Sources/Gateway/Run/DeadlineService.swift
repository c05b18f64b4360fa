import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Lets deadlines happen for which no advertisement comes: a dwell that is reached, a beacon that is lost.
struct DeadlineService: Service {
  /// An advertisement that was heard before a deadline may still be gathering, or on its way through the kernel; it must come
  /// first.
  private static let lag = LiveRadio.longestGathering + .milliseconds(50)
  /// The longest sleep: a new deadline may be nearer than the one slept for.
  private static let patience = TimeSpan.milliseconds(100)

  /// No advertisement heard before it is still on its way.
  static var settledTime: MonotonicTime { LiveClock.now - lag }

  private let decisions: DecisionLoop

  init(_ decisions: DecisionLoop) { self.decisions = decisions }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let now = Self.settledTime
        let next = decisions.advance(to: now)
        let wait = min(next.map { $0 - now } ?? Self.patience, Self.patience)
        try? await Task.sleep(for: .nanoseconds(max(wait.nanoseconds, 1_000_000)))
      }
    }
  }
}
