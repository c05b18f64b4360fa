import Beacons
import HTTP
import JSON
import Dashboard
import Messages
import Pipeline
import Settings

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
  /// nil: it is not a recording.
  var player: (any Player)? { get }
}

/// A recording that plays.
package protocol Player: Sendable {
  /// Its time and speed, as JSON.
  func position() -> [UInt8]
  /// Goes to another time, pauses, or changes the speed. Returns a refusal if the request makes no sense.
  func control(_ request: JSONTree) -> Response?
}
