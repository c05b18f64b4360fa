import Machine
import ServiceLifecycle

/// Tells the service manager that the gateway is ready, lives and ends. It lives while it decides: a gateway without a radio
/// or without a broker decides that nobody is heard, and needs no restart.
struct WatchdogService: Service {
  private let manager: ServiceManager
  private let decisions: DecisionLoop

  init(_ manager: ServiceManager, _ decisions: DecisionLoop) {
    self.manager = manager
    self.decisions = decisions
  }

  func run() async throws {
    manager.tell(.ready)
    await withGracefulShutdownHandler {
      await cancelWhenGracefulShutdown {
        while !Task.isCancelled {
          do { try await Task.sleep(for: manager.patience.map { $0 / 3 } ?? Self.statusInterval) } catch {
            return
          }
          guard decisions.isOnTime(at: LiveClock.now) else { continue }
          manager.tell(.alive, .status(decisions.summary))
        }
      }
    } onGracefulShutdown: {
      manager.tell(.stopping)
    }
  }

  private static let statusInterval = Duration.seconds(60)
}
