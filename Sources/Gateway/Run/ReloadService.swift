import Beacons
import Logging
import Settings
import SettingsFile
import Machine
import ServiceLifecycle
import UnixSignals

/// Applies another configuration: the file after SIGHUP, or what the page has saved. An invalid file changes nothing and is
/// reported.
struct ReloadService: Service {
  let reloads: ReloadRequests
  let configuration: Configuration
  let features: [any Feature]
  let notifier: ServiceNotifier?
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var current = configuration
      await reloads.forEach { saved in
        notifier?.tell(.reloading)
        defer { notifier?.tell(.ready) }
        do throws(ConfigurationErrors) {
          let loaded = try await read(saved)
          for warning in loaded.warnings { logger.warning("\(warning)") }
          var new = loaded.configuration
          let late = differences(new)
          // The gateway keeps its name until it is restarted.
          new.gatewayName = configuration.gatewayName
          if new.zones.isEmpty, new.beacons.isEmpty, !(current.zones.isEmpty && current.beacons.isEmpty) {
            logger.warning(
              "the file has no beacons and no zones, perhaps because it is being written; keeping the old configuration"
            )
            return
          }
          for feature in features { feature.configure(new) }
          reloads.revision.set(loaded.revision)
          logger.notice("configuration reloaded")
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

  private func read(_ saved: Configuration.Loaded?) async throws(ConfigurationErrors) -> Configuration.Loaded
  {
    if let saved { return saved }
    return try await Thread.run { [path = reloads.path] in
      Result { () throws(ConfigurationErrors) in try Configuration.load(path: path) }
    }.get()
  }

  /// Changes that need a restart.
  private func differences(_ new: Configuration) -> [String] {
    [
      ("the gateway's name", new.gatewayName != configuration.gatewayName),
      ("state_directory", new.stateDirectory != configuration.stateDirectory),
      ("broker", new.broker != configuration.broker), ("radio", new.radio != configuration.radio),
      ("receivers: adapter", adapters(new) != adapters(configuration)),
      ("telemetry: health", new.telemetry.health != configuration.telemetry.health),
      ("http", new.http != configuration.http),
      ("metrics", new.metrics != configuration.metrics), ("wake", new.wake != configuration.wake),
    ].filter(\.1).map(\.0)
  }

  /// The receivers that are identified by their adapter's address.
  private func adapters(_ configuration: Configuration) -> [DeviceAddress: String] {
    let pairs = configuration.receivers.compactMap { receiver in receiver.adapter.map { ($0, receiver.name) }
    }
    return Dictionary(pairs) { $1 }
  }
}
