import GatewayConfiguration
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP. A bad file changes nothing and says why.
struct ReloadService: Service {
  private let path: String
  private let configuration: Configuration
  private let station: Station
  private let homeAssistant: HomeAssistantLink
  private let leftovers: LeftoverService
  private let listener: GatewayRun.Listener

  init(
    _ path: String, _ configuration: Configuration, _ station: Station, _ homeAssistant: HomeAssistantLink,
    _ leftovers: LeftoverService,
    _ listener: GatewayRun.Listener
  ) {
    self.path = path
    self.configuration = configuration
    self.station = station
    self.homeAssistant = homeAssistant
    self.leftovers = leftovers
    self.listener = listener
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var current = configuration
      for await _ in await UnixSignalsSequence(trapping: .sighup) {
        do throws(ConfigurationErrors) {
          let loaded = try Configuration.load(path: path)
          for warning in loaded.warnings { listener.onNotice("\(warning)") }
          let new = loaded.configuration
          station.replacePipeline { $0.reconfigured(new) }
          homeAssistant.reconfigure(new, gateway: configuration.gatewayName)
          leftovers.reconfigure(new, gateway: configuration.gatewayName)
          listener.onNotice("configuration read again")
          if new.broker != current.broker || new.gatewayName != current.gatewayName {
            listener.onNotice(
              "the broker and the gateway's name stay as they were until the gateway is restarted")
          }
          if new.wake != current.wake {
            listener.onNotice("what is broadcast (wake:) stays as it was until the gateway is restarted")
          }
          current = new
        } catch {
          listener.onNotice("\(error)\nthe configuration was not changed")
        }
      }
    }
  }
}
