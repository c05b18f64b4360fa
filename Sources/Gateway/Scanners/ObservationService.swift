import Beacons
import Machine
import ServiceLifecycle

/// Publishes what this gateway's radios hear, for other gateways, at the interval of the configuration.
struct ObservationService: Service {
  /// How often it is looked whether a reload turned it on.
  private static let pause = TimeSpan.seconds(2)

  private let decisions: DecisionLoop

  init(_ decisions: DecisionLoop) { self.decisions = decisions }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let interval = decisions.publishObservations() ?? Self.pause
        do { try await Task.sleep(for: .nanoseconds(interval.nanoseconds)) } catch { return }
      }
    }
  }
}
