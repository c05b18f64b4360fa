import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Processes deadlines that no advertisement triggers: a dwell that is reached, a beacon that is lost.
struct DeadlineService: Service {
  /// An advertisement that was heard before a deadline may still be gathering, or on its way through the kernel; it must come
  /// first.
  private static let lag = LiveRadio.longestGathering + .milliseconds(50)
  /// The shortest time between two runs, even if many beacons come and go.
  private static let spacing = TimeSpan.milliseconds(100)

  /// No advertisement from before this time is still on its way.
  static var settledTime: MonotonicTime { settled(at: LiveClock.now) }
  static func settled(at time: MonotonicTime) -> MonotonicTime { time - lag }

  private let decisions: DecisionLoop

  init(_ decisions: DecisionLoop) { self.decisions = decisions }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let look = Self.settledTime
        let wait = decisions.advance(to: look) - look
        if wait > Self.spacing {
          await decisions.nearerDeadline.wait(for: .nanoseconds(wait.nanoseconds))
          let rest = Self.spacing - (Self.settledTime - look)
          if rest > .zero { try? await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
        } else {
          try? await Task.sleep(for: .nanoseconds(max(wait.nanoseconds, 1_000_000)))
        }
      }
    }
  }
}
