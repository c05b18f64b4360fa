import Core
import ServiceLifecycle
import Synchronization

/// Reports to systemd and the health check that the gateway is ready, alive and stopping. It is alive while it processes
/// deadlines: a gateway without a radio or without a broker still does, and needs no restart.
struct WatchdogService: Feature {
  let notifier: ServiceNotifier?
  let file: AliveFile?
  let heartbeat: Heartbeat
  /// Whether it ends only to begin anew.
  let isRestarting: @Sendable () -> Bool

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
      // systemd would wait for the end of the process.
      if !isRestarting() { notifier?.tell(.stopping) }
    }
    if !isRestarting() { file?.remove() }
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

/// The state of the decision loop for the watchdog. It is read without a lock, because the watchdog must notice a loop that
/// hangs.
final class Heartbeat: Sendable {
  /// How late deadlines may be processed before the loop counts as stuck, because the machine may be busy.
  private static let tolerance = TimeSpan.seconds(30)

  private let nextLook = Atomic(Int64.max)
  private let beacons: Atomic<Int>
  private let waiting: Atomic<Int>

  init(beacons: Int, waiting: Int) {
    self.beacons = Atomic(beacons)
    self.waiting = Atomic(waiting)
  }

  /// The loop has processed its deadlines, and the delivery answers.
  func beat(nextLook: MonotonicTime, beacons: Int, waiting: Int) {
    self.nextLook.store(nextLook.nanoseconds, ordering: .relaxed)
    self.beacons.store(beacons, ordering: .relaxed)
    self.waiting.store(waiting, ordering: .relaxed)
  }

  /// Whether deadlines are processed in time.
  func isOnTime(at time: MonotonicTime) -> Bool {
    let next = MonotonicTime(nanoseconds: nextLook.load(ordering: .relaxed))
    return next == .distantFuture || time < next + Self.tolerance
  }

  /// The state, in a few words.
  var summary: String {
    let beacons = beacons.load(ordering: .relaxed)
    let waiting = waiting.load(ordering: .relaxed)
    let broker = waiting == 0 ? "the broker has everything" : "\(waiting) messages wait for the broker"
    return "\(beacons) \(beacons == 1 ? "beacon" : "beacons") known; \(broker)"
  }
}
