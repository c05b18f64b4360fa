import Beacons
import Captures
import Contract
import Core
import Dispatch
import Logging
import ServiceLifecycle
import Synchronization

/// Receives what another program writes to standard input. The end of the input ends the gateway; a line that cannot be read is
/// counted.
final class StandardInputService: Feature {
  private let decisions: DecisionLoop
  private let logger: Logger
  private let refused = Mutex(HealthMessage.RefusedLines())
  /// How many different causes the log has.
  private static let toldLimit = 20

  init(decisions: DecisionLoop, logger: Logger) {
    self.decisions = decisions
    self.logger = logger
  }

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let told = Mutex<Set<String>>([])
      try await Recording.hearStandardInput { time in
        self.logger.notice(
          "what comes through standard input is of \(time.rfc3339), but counts when it arrives; `replay` decides by a recording's own times"
        )
      } onRefusal: { errors, count in
        self.refused.withLock {
          $0.count += count
          $0.last = errors.last.map { "\($0)" } ?? $0.last
        }
        for error in errors {
          // The same fault is at another column in each line.
          let cause = error.message.filter { !$0.isNumber }
          let isNew = told.withLock { $0.count < Self.toldLimit && $0.insert(cause).inserted }
          if isNew { self.logger.warning("refused \(error) (counted in health)") }
        }
      } hear: {
        self.decisions.take($0, $1, $2)
      }
      if !Task.isCancelled { self.logger.notice("standard input ended") }
    }
  }

  func report(into health: inout HealthMessage) { health.refusedLines = refused.withLock { $0 } }
}

extension Recording {
  private static let hour = TimeSpan.seconds(3600)

  /// Receives what comes in, as it arrives: the time of arrival counts, whatever time an entry has. Returns at the end of the
  /// input, or when the task is cancelled. It reads on a thread of its own, because reading blocks; the thread ends with the
  /// process.
  ///
  /// Throws `CaptureError`.
  ///
  /// - Parameter onRecording: called once, with the time of the first advertisement, if that is another hour than now.
  static func hearStandardInput(
    onRecording: (@Sendable (WallTime) -> Void)? = nil,
    onRefusal: (@Sendable ([CaptureError], UInt64) -> Void)? = nil,
    hear: @escaping @Sendable (CaptureDecoder.Step, borrowing AdvertisementBatch, ReceiverTable) -> Void
  ) async throws {
    let (steps, reader) = AsyncThrowingStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    DispatchQueue(label: "standard input").async {
      do throws(CaptureError) {
        var recording = try Recording(paths: ["-"], onRefusal: onRefusal)
        var table = ReceiverTable()
        var batch = AdvertisementBatch()
        var isFirst = true
        while case let step = try recording.next(into: &batch, receiver: { table.index(of: $0) }),
          step != .end
        {
          // Nobody listens any more.
          if case .terminated = reader.yield() { return }
          let (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
          batch.forEach { advertisement, _ in
            if isFirst, abs((advertisement.wallTime - wallNow).nanoseconds) > Self.hour.nanoseconds {
              onRecording?(advertisement.wallTime)
            }
            isFirst = false
          }
          batch.mapAdvertisements { ($0.time, $0.wallTime) = (now, wallNow) }
          hear(step.moved(to: now, wallNow), batch, table)
        }
        reader.finish()
      } catch {
        reader.finish(throwing: error)
      }
    }
    for try await _ in steps {}
  }
}
