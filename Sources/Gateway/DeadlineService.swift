import Beacons
import Radio
import ServiceLifecycle

/// Lets deadlines happen for which no advertisement comes: a dwell that is reached, a beacon that is lost.
struct DeadlineService: Service {
  /// An advertisement that was heard before a deadline may still be on its way through the kernel; it must
  /// come first.
  private static let lag = TimeSpan.milliseconds(50)
  /// The longest sleep: a new deadline may be nearer than the one slept for.
  private static let patience = TimeSpan.milliseconds(100)

  private let station: Station

  init(_ station: Station) { self.station = station }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let now = LiveClock.now - Self.lag
        let next = station.advance(to: now)
        let wait = min(next.map { $0 - now } ?? Self.patience, Self.patience)
        try? await Task.sleep(for: .nanoseconds(max(wait.nanoseconds, 1_000_000)))
      }
    }
  }
}

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
