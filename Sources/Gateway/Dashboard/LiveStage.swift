import Configuration
import Contract
import Core
import FoundationEssentials
import Mosquitto
import Pipeline
import Radio
import Synchronization
import Web

/// A source for the dashboard: a running gateway, or a recording.
package protocol Stage: Sendable {
  /// Calls `body` while the pipeline is locked. Keep it short, because decisions wait meanwhile.
  func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result
  var details: GatewayDetails { get }
  /// For Prometheus.
  func metrics() -> String
  /// What is wrong with the gateway; nil: nothing.
  func complaint() -> String?
  /// Devices in range, configured or not, as JSON; nil: not available.
  func strangers(areRevealed: Bool) -> [UInt8]?
  /// A pattern for the stranger with this id; nil: it is gone, or cannot be configured.
  func suggestion(for id: String) -> BeaconSuggestion?
  /// nil: there is no file to change.
  var editor: ConfigurationEditor? { get }
  /// For one enrolment; nil: nothing pairs.
  func pairing() -> (any DevicePairing)?
  /// nil: there is no diary.
  var diary: Diary? { get }
  /// nil: it is not a recording.
  var player: ReplayStage? { get }
}

extension Stage {
  package func complaint() -> String? { nil }
  package func strangers(areRevealed: Bool) -> [UInt8]? { nil }
  package func suggestion(for id: String) -> BeaconSuggestion? { nil }
  package var editor: ConfigurationEditor? { nil }
  package func pairing() -> (any DevicePairing)? { nil }
  package var diary: Diary? { nil }
  package var player: ReplayStage? { nil }
}

/// The running gateway as a `Stage`.
struct LiveStage: Stage {
  private let decisions: DecisionLoop
  private let source: GatewayDetails.Source
  private let started = LiveClock.now
  private let broker: String
  private let revision: RunningRevision
  let editor: ConfigurationEditor?

  init(
    _ decisions: DecisionLoop, isDemonstration: Bool = false, broker: String, editor: ConfigurationEditor?,
    revision: RunningRevision
  ) {
    self.decisions = decisions
    let latest = decisions.delivery.diary?.latest(RecentDecisions.limit) ?? []
    decisions.delivery.recent.withLock { $0 = RecentDecisions(latest) }
    decisions.delivery.diary?.whenForgotten { [delivery = decisions.delivery] names in
      delivery.recent.withLock { $0?.forget(names) }
    }
    source = isDemonstration ? .demo : .live
    self.broker = broker
    self.revision = revision
    self.editor = editor
  }

  func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result {
    decisions.look { pipeline in
      let recent = decisions.delivery.recent.withLock { $0 } ?? RecentDecisions()
      return body(pipeline, recent, Moment(LiveClock.now, LiveClock.wallNow))
    }
  }

  var details: GatewayDetails {
    GatewayDetails(
      source: source, started: LiveClock.wallNow - (LiveClock.now - started), version: version,
      health: decisions.currentHealth,
      broker: (broker, decisions.delivery.client.isConnected), configurationFile: editor?.writer.path,
      revision: revision.current)
  }

  var diary: Diary? { decisions.delivery.diary }

  func metrics() -> String { decisions.metrics() }

  func complaint() -> String? {
    let health = decisions.currentHealth
    if !health.receivers.isEmpty, health.receivers.allSatisfy(\.isBlind) { return "no receiver can hear" }
    if !decisions.delivery.client.isConnected { return "not connected to the broker" }
    return nil
  }

  func strangers(areRevealed: Bool) -> [UInt8]? {
    decisions.strangers.devices(decisions.look(\.configuration), areRevealed: areRevealed)
  }

  func suggestion(for id: String) -> BeaconSuggestion? { decisions.strangers.suggestion(id: id) }

  func pairing() -> (any DevicePairing)? { LivePairing(environment: ProcessInfo.processInfo.environment) }
}
