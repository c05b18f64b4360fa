import Beacons
import Machine
import ServiceLifecycle

/// Publishes what this gateway's radios hear, for other gateways, at the interval of the configuration.
struct ObservationService: Service {
  private let decisions: DecisionLoop

  init(_ decisions: DecisionLoop) { self.decisions = decisions }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // nil: nothing is published, until a reload turns it on.
        let interval = decisions.publishObservations()
        await decisions.reloads.wait(for: interval.map { .nanoseconds($0.nanoseconds) })
      }
    }
  }
}
