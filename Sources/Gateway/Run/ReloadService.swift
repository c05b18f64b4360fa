import Logging
import Settings
import SettingsFile
import Machine
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP. A bad file changes nothing and says why.
struct ReloadService: Service {
  private let reloads: ReloadRequests
  private let configuration: Configuration
  private let decisions: DecisionLoop
  private let homeAssistant: HomeAssistantLink
  private let leftovers: LeftoverService
  private let scanners: ScannerLink
  private let notifier: ServiceNotifier?
  private let logger: Logger

  init(
    _ reloads: ReloadRequests, _ configuration: Configuration, _ decisions: DecisionLoop,
    _ homeAssistant: HomeAssistantLink,
    _ leftovers: LeftoverService, _ scanners: ScannerLink,
    _ notifier: ServiceNotifier?,
    _ logger: Logger
  ) {
    self.reloads = reloads
    self.configuration = configuration
    self.decisions = decisions
    self.homeAssistant = homeAssistant
    self.leftovers = leftovers
    self.scanners = scanners
    self.notifier = notifier
    self.logger = logger
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var current = configuration
      for await _ in reloads.signals {
        notifier?.tell(.reloading)
        defer { notifier?.tell(.ready) }
        do throws(ConfigurationErrors) {
          let loaded = try Configuration.load(path: reloads.path)
          for warning in loaded.warnings { logger.warning("\(warning)") }
          let new = loaded.configuration
          if new.zones.isEmpty, new.beacons.isEmpty, !(current.zones.isEmpty && current.beacons.isEmpty) {
            logger.warning(
              "the file has no beacons and no zones, perhaps because it is being written; keeping the old configuration"
            )
            continue
          }
          decisions.reconfigure(new)
          decisions.delivery.retryRefused(isUrgent: true)
          homeAssistant.reconfigure(new, gateway: configuration.gatewayName)
          leftovers.reconfigure(new, gateway: configuration.gatewayName)
          scanners.reconfigure(new)
          logger.notice("configuration reloaded")
          let late = differences(new)
          if !late.isEmpty {
            logger.warning("\(late.joined(separator: ", ")): unchanged until the gateway is restarted")
          }
          current = new
        } catch {
          logger.error("\(error)\nkeeping the old configuration")
        }
      }
    }
  }

  /// Changes that take a restart.
  private func differences(_ new: Configuration) -> [String] {
    [
      ("the gateway's name", new.gatewayName != configuration.gatewayName),
      ("state_directory", new.stateDirectory != configuration.stateDirectory),
      ("broker", new.broker != configuration.broker), ("radio", new.radio != configuration.radio),
      ("telemetry: health", new.telemetry.health != configuration.telemetry.health),
      ("http", new.http != configuration.http),
      ("metrics", new.metrics != configuration.metrics), ("wake", new.wake != configuration.wake),
    ].filter(\.1).map(\.0)
  }
}
