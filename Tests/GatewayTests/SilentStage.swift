import Configuration
import Contract
import Core
import Pipeline
import Web

@testable import Gateway

/// A stage for tests of the API, on which nothing is received.
struct SilentStage: Stage {
  let pipeline: Pipeline
  var editor: ConfigurationEditor?
  var radio: (any DevicePairing)?

  func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result {
    body(pipeline, RecentDecisions(), Moment(.zero, WallTime(nanoseconds: 0)))
  }
  var details: GatewayDetails {
    GatewayDetails(
      source: .live, started: WallTime(nanoseconds: 0), version: "1",
      health: HealthMessage(
        time: WallTime(nanoseconds: 0), version: "1", receivers: [], advertisements: 0, sightings: 0,
        transitions: 0, beacons: 0), broker: nil, configurationFile: editor?.writer.path, revision: nil)
  }
  func metrics() -> String { "" }
  func pairing() -> (any DevicePairing)? { radio }
}
