import Beacons
import Captures
import Core
import Dispatch
import Logging
import Radio
import ServiceLifecycle

/// Receives what another program writes to standard input. The end of the input ends the gateway.
struct StandardInputService: Feature {
  let decisions: DecisionLoop
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      try await Recording.hearStandardInput(
        onHealth: decisions.apply, onObservation: { decisions.observe($0, $1) },
        onBatch: { decisions.observe($0, $1) })
      if !Task.isCancelled { logger.notice("standard input ended") }
    }
  }
}

extension Recording {
  /// Receives what comes in, as it arrives: the time of arrival counts, whatever time an entry has. Returns at the end of the
  /// input, or when the task is cancelled. It reads on a thread of its own, because reading blocks; the thread ends with the
  /// process.
  ///
  /// Throws `CaptureError`.
  static func hearStandardInput(
    onHealth: @escaping @Sendable (ReceiverHealthChange, ReceiverTable) -> Void = { _, _ in },
    onObservation: @escaping @Sendable (Observation, ReceiverTable) -> Void,
    onBatch: @escaping @Sendable (borrowing AdvertisementBatch, ReceiverTable) -> Void
  ) async throws {
    let (steps, reader) = AsyncThrowingStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    DispatchQueue(label: "standard input").async {
      do throws(CaptureError) {
        var recording = try Recording(paths: ["-"])
        var table = ReceiverTable()
        var batch = AdvertisementBatch()
        while case let step = try recording.next(into: &batch, receiver: { table.index(of: $0) }),
          step != .end
        {
          // Nobody listens any more.
          if case .terminated = reader.yield() { return }
          let (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
          switch step {
          case .end: break
          case .observation(var observation):
            (observation.time, observation.wallTime) = (now, wallNow)
            onObservation(observation, table)
          case .health(var change):
            (change.time, change.wallTime) = (now, wallNow)
            onHealth(change, table)
          case .advertisements:
            batch.mapAdvertisements { ($0.time, $0.wallTime) = (now, wallNow) }
            onBatch(batch, table)
          }
        }
        reader.finish()
      } catch {
        reader.finish(throwing: error)
      }
    }
    for try await _ in steps {}
  }
}
