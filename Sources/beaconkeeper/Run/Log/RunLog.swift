import Logging
import Machine

/// The log of a running gateway, written by a task of its own: a terminal that is held (Ctrl-S), or a pipe that nobody
/// reads, must not hold up the gateway. What does not fit is left out, oldest first.
final class RunLog: Sendable {
  let level: Logger.Level
  private let entries: AsyncStream<LogEntry>.Continuation
  /// Rings when everything is written.
  private let end = Alarm()

  init(_ format: LogFormat, level: Logger.Level) {
    self.level = level
    let (stream, continuation) = AsyncStream.makeStream(
      of: LogEntry.self, bufferingPolicy: .bufferingNewest(1000))
    entries = continuation
    let writer = LogWriter(format)
    Task.detached { [end] in
      for await entry in stream { writer.write(entry) }
      end.ring()
    }
  }

  func tell(_ entry: LogEntry) {
    if entry.level >= level { entries.yield(entry) }
  }

  /// Writes what still waits, if that is possible within half a second.
  func finish() async {
    entries.finish()
    await end.wait(for: .milliseconds(500))
  }
}
