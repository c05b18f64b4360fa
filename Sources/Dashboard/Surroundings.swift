import Beacons
import Messages

/// What an overview tells besides what the pipeline knows.
package struct Surroundings: Sendable {
  package enum Source: String, Sendable { case live, recording }

  package var source: Source
  /// The time of what is shown.
  package var time: WallTime
  package var monotonicTime: MonotonicTime
  package var started: WallTime
  package var version: String
  package var health: HealthMessage
  /// nil: there is no broker.
  package var broker: (address: String, isConnected: Bool)?
  /// nil: nothing was read from a file.
  package var configurationFile: String?

  package init(
    source: Source, time: WallTime, monotonicTime: MonotonicTime, started: WallTime, version: String,
    health: HealthMessage, broker: (address: String, isConnected: Bool)?, configurationFile: String?
  ) {
    self.source = source
    self.time = time
    self.monotonicTime = monotonicTime
    self.started = started
    self.version = version
    self.health = health
    self.broker = broker
    self.configurationFile = configurationFile
  }

  /// The calendar's time of a moment.
  func wallTime(of moment: MonotonicTime) -> WallTime { time - (monotonicTime - moment) }
}
