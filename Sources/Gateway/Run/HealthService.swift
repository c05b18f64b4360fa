import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Publishes `health` at an interval.
struct HealthService: Service {
  private let station: Station
  private let interval: TimeSpan

  init(_ station: Station, interval: TimeSpan) {
    self.station = station
    self.interval = interval
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var last = LiveClock.now
      // The first one soon, so that whoever subscribes early sees it.
      var pause = TimeSpan.seconds(2)
      while true {
        do { try await Task.sleep(for: .nanoseconds(pause.nanoseconds)) } catch { return }
        let now = LiveClock.now
        station.publishHealth(at: LiveClock.wallNow, sinceLast: now - last)
        last = now
        pause = interval
      }
    }
  }
}
