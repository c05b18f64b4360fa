import Machine
import ServiceLifecycle

/// Reports to systemd and the health check that the gateway is ready, alive and stopping. It is alive while it processes
/// deadlines: a gateway without a radio or without a broker still does, and needs no restart.
struct WatchdogService: Feature {
  let notifier: ServiceNotifier?
  let file: AliveFile?
  let heartbeat: Heartbeat

  func run() async throws {
    notifier?.tell(.ready)
    await withGracefulShutdownHandler {
      await cancelWhenGracefulShutdown {
        while !Task.isCancelled {
          if heartbeat.isOnTime(at: LiveClock.now) { tell(heartbeat.summary) }
          do { try await Task.sleep(for: interval) } catch { return }
        }
      }
    } onGracefulShutdown: {
      notifier?.tell(.stopping)
    }
    file?.remove()
  }

  private func tell(_ summary: String) {
    notifier?.tell(.alive, .status(summary))
    file?.write(summary, at: LiveClock.now)
  }

  private var interval: Duration {
    let patience = notifier?.patience.map { $0 / 3 } ?? Self.statusInterval
    return file == nil ? patience : min(patience, AliveFile.interval)
  }

  private static let statusInterval = Duration.seconds(60)
}
