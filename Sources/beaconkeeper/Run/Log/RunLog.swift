import Logging
import Synchronization

/// The log of a running gateway, written by a task of its own: a terminal that is held (Ctrl-S), or a pipe that nobody
/// reads, must not hold up the gateway. What does not fit is left out, oldest first.
final class RunLog: Sendable {
  let level: Logger.Level
  private let entries: AsyncStream<LogEntry>.Continuation
  private let isDone = Atomic(false)

  init(_ format: LogFormat, level: Logger.Level) {
    self.level = level
    let (stream, continuation) = AsyncStream.makeStream(
      of: LogEntry.self, bufferingPolicy: .bufferingNewest(1000))
    entries = continuation
    let writer = LogWriter(format)
    Task.detached { [self] in
      for await entry in stream { writer.write(entry) }
      isDone.store(true, ordering: .releasing)
    }
  }

  func tell(_ entry: LogEntry) {
    if entry.level >= level { entries.yield(entry) }
  }

  /// Writes what still waits, if that is possible within half a second.
  func finish() async {
    entries.finish()
    for _ in 0..<50 where !isDone.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(10)) }
  }
}
