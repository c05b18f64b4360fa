import Logging
import ServiceLifecycle

/// Plays a recording in real time, again and again, as if it were received now.
struct WalkService: Feature {
  private static let pause = Duration.seconds(3)

  let path: String
  let decisions: DecisionLoop
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await Recording.play(path) { decisions.take($0, $1, $2) }
          try await Task.sleep(for: Self.pause)
        } catch is CancellationError {
          return
        }
        logger.notice("the walk begins again")
      }
    }
  }
}
