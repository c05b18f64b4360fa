import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Processes deadlines without an advertisement: the end of a dwell time, a lost beacon.
struct DeadlineService: Service {
  /// An advertisement from before a deadline may still wait in a batch or in the kernel, and must be processed first.
  private static let lag = LiveRadio.longestGathering + .milliseconds(50)
  /// The shortest time between two runs, however many beacons come and go.
  private static let spacing = TimeSpan.milliseconds(100)

  /// All advertisements from before this time have been processed.
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
