import Beacons
import Logging
import Machine
import Messages
import Mosquitto
import Outbox
import ServiceLifecycle
import Settings
import Synchronization

/// Publishes the observations of this gateway's radios for other gateways, at the configured interval.
final class ObservationService: Feature {
  private let decisions: DecisionLoop
  private let options: Options
  /// nil: nothing is kept on disk.
  private let directory: StateDirectory?
  private let logger: Logger
  /// Rings after a reload.
  private let reloads = Alarm()
  private let state = Mutex(State())

  private struct State {
    /// nil while observations do not wait.
    var line: ObservationLine?
    /// Observations that earlier lines lost.
    var lost: UInt64 = 0
  }

  init(_ decisions: DecisionLoop, _ options: Options, _ directory: StateDirectory?, _ logger: Logger) {
    self.decisions = decisions
    self.options = options
    self.directory = directory
    self.logger = logger
  }

  func configure(_ new: Configuration) { reloads.ring() }

  func report(into health: inout HealthMessage) {
    let state = state.withLock { $0 }
    health.waitingObservations = state.line?.figures
    health.lostObservations? += state.lost
  }

  func run() async throws {
    var line: ObservationLine?
    while true {
      // Without settings nothing is published, until a reload turns it on.
      let (batches, settings) = decisions.takeObservations()
      if let limit = settings?.buffer {
        let open = try line ?? open(limit: limit)
        line = open
        open.take(batches, limit: limit)
        await open.tend()
      } else {
        if let ended = line {
          await ended.close()
          line = nil
          state.withLock { state in
            state.line = nil
            state.lost += ended.figures.lost
          }
        }
        if !batches.isEmpty { decisions.delivery.sendNow(batches.map(\.message)) }
      }
      if Task.isCancelled || Task.isShuttingDownGracefully { break }
      let interval = settings.map { Duration.nanoseconds($0.interval.nanoseconds) }
      await cancelWhenGracefulShutdown { await self.reloads.wait(for: interval) }
    }
    await line?.close()
  }

  private func open(limit: Int) throws -> ObservationLine {
    let line = try ObservationLine(
      options, gateway: decisions.delivery.topics.gateway, directory, limit: limit, logger)
    state.withLock { $0.line = line }
    line.start()
    return line
  }
}
