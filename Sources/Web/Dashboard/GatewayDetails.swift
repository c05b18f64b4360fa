import Contract
import Core

/// What an overview shows besides the pipeline's state.
package struct GatewayDetails: Sendable {
  package enum Source: String, Sendable { case live, demo, recording }

  package var source: Source
  package var started: WallTime
  package var version: String
  package var health: HealthMessage
  /// nil: there is no broker.
  package var broker: (address: String, isConnected: Bool)?
  /// nil: nothing was read from a file.
  package var configurationFile: String?
  /// The revision of that file that is in use.
  package var revision: String?

  package init(
    source: Source, started: WallTime, version: String, health: HealthMessage,
    broker: (address: String, isConnected: Bool)?, configurationFile: String?,
    revision: String?
  ) {
    self.source = source
    self.started = started
    self.version = version
    self.health = health
    self.broker = broker
    self.configurationFile = configurationFile
    self.revision = revision
  }
}

/// One time on both clocks.
package struct Moment: Sendable {
  package let time: MonotonicTime
  package let wallTime: WallTime

  package init(_ time: MonotonicTime, _ wallTime: WallTime) {
    self.time = time
    self.wallTime = wallTime
  }

  /// The wall clock at another moment.
  func wallTime(of other: MonotonicTime) -> WallTime { wallTime - (time - other) }
}
