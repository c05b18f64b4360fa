import Beacons
import Dashboard
import FoundationEssentials
import Machine
import Messages
import Mosquitto
import Pipeline
import Settings
import SettingsFile
import Synchronization

/// The running gateway as a `Stage`.
struct LiveStage: Stage {
  private let decisions: DecisionLoop
  private let started = LiveClock.wallNow
  private let broker: String
  private let configurationFile: String?
  private let revision: RunningRevision
  let editor: ConfigurationEditor?

  /// - Parameter reload: loads a configuration; nil: reads the file again.
  init(
    _ decisions: DecisionLoop, broker: String, configurationFile: String?, revision: RunningRevision,
    reload: @escaping @Sendable (Configuration.Loaded?) -> Void
  ) {
    self.decisions = decisions
    decisions.delivery.recent.withLock { $0 = RecentDecisions() }
    self.broker = broker
    self.configurationFile = configurationFile
    self.revision = revision
    editor = configurationFile.map {
      ConfigurationEditor(path: $0, environment: ProcessInfo.processInfo.environment, reload: reload)
    }
  }

  func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result {
    decisions.state.withLock { state in
      let recent = decisions.delivery.recent.withLock { $0 } ?? RecentDecisions()
      return body(state.pipeline, recent, Moment(LiveClock.now, LiveClock.wallNow))
    }
  }

  var details: GatewayDetails {
    GatewayDetails(
      source: .live, started: started, version: version, health: decisions.currentHealth,
      broker: (broker, decisions.delivery.client.isConnected), configurationFile: configurationFile,
      revision: revision.current)
  }

  func metrics() -> String { decisions.metrics() }

  func complaint() -> String? {
    let health = decisions.currentHealth
    if !health.receivers.isEmpty, health.receivers.allSatisfy(\.isBlind) { return "no receiver can hear" }
    if !decisions.delivery.client.isConnected { return "not connected to the broker" }
    return nil
  }

  func strangers(areRevealed: Bool) -> [UInt8]? {
    let configuration = decisions.state.withLock { $0.pipeline.configuration }
    return decisions.strangers.devices(configuration, areRevealed: areRevealed)
  }

  func suggestion(for id: String) -> BeaconSuggestion? { decisions.strangers.suggestion(id: id) }

  var player: (any Player)? { nil }
}
