import Logging
import Machine
import Captures
import Beacons
import Dispatch
import Radio
import ServiceLifecycle
import Synchronization

/// Receives what another program writes to standard input as it arrives. The time of arrival counts, whatever time an entry
/// has. The end of the input ends the gateway.
final class StandardInputService: Service {
  private enum Phase {
    case starting
    case reading(CheckedContinuation<Void, any Error>)
    case ended
  }

  private let decisions: DecisionLoop
  private let logger: Logger
  private let phase = Mutex(Phase.starting)
  /// Its own queue, because reading blocks while nothing arrives.
  private let queue = DispatchQueue(label: "standard input")

  init(_ decisions: DecisionLoop, _ logger: Logger) {
    self.decisions = decisions
    self.logger = logger
  }

  func run() async throws {
    try await withTaskCancellationHandler {
      try await withGracefulShutdownHandler {
        try await withCheckedThrowingContinuation { done in
          let isEnded = phase.withLock { phase in
            if case .ended = phase { return true }
            phase = .reading(done)
            return false
          }
          if isEnded { done.resume() } else { queue.async { self.read() } }
        }
      } onGracefulShutdown: {
        // The thread stays blocked in its read; it ends with the process.
        self.end(.success(()))
      }
    } onCancel: {
      // Another service failed.
      self.end(.success(()))
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    let before = phase.withLock { phase in
      defer { phase = .ended }
      return phase
    }
    if case .reading(let done) = before { done.resume(with: result) }
  }

  private var isReading: Bool { phase.withLock { if case .reading = $0 { true } else { false } } }

  private func read() {
    do {
      try Recording.hearStandardInput(
        while: { isReading }, onHealth: decisions.apply, onObservation: { decisions.observe($0, $1) },
        onBatch: { decisions.observe($0, $1) })
      logger.notice("standard input ended")
      end(.success(()))
    } catch {
      end(.failure(error))
    }
  }
}
