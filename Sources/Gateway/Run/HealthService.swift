import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Publishes `health` at an interval.
struct HealthService: Service {
  let decisions: DecisionLoop
  let interval: TimeSpan

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var last = LiveClock.now
      // The first one comes soon, so that early subscribers see it.
      var pause = TimeSpan.seconds(2)
      while true {
        do { try await Task.sleep(for: .nanoseconds(pause.nanoseconds)) } catch { return }
        let now = LiveClock.now
        decisions.publishHealth(over: now - last)
        last = now
        pause = interval
      }
    }
  }
}
