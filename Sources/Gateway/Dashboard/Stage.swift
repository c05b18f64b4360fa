import Beacons
import HTTP
import JSON
import Dashboard
import Messages
import Pipeline
import Settings

/// What the dashboard shows: a running gateway, or a recording.
package protocol Stage: Sendable {
  /// Calls `body` while the pipeline stands still. Keep it short, because decisions wait meanwhile.
  func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result
  var details: GatewayDetails { get }
  /// For Prometheus.
  func metrics() -> String
  /// Why it does not work as it should; nil: it does.
  func complaint() -> String?
  /// What is in the air, known or not, as JSON; nil: nobody can say.
  func strangers(areRevealed: Bool) -> [UInt8]?
  /// What recognises a stranger of this id; nil: it is gone, or nothing does.
  func suggestion(for id: String) -> BeaconSuggestion?
  /// nil: there is no file to be changed.
  var editor: ConfigurationEditor? { get }
  /// nil: it is no recording.
  var player: (any Player)? { get }
}

/// A recording that plays.
package protocol Player: Sendable {
  /// Where it is, as JSON.
  func position() -> [UInt8]
  /// Goes to another time, pauses, or changes the speed. Returns a refusal if the request makes no sense.
  func control(_ request: JSONTree) -> Response?
}
