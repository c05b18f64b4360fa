import Core
import Logging
import Synchronization

/// The log of a running gateway, written by its own thread. A stopped terminal (Ctrl-S), a pipe without a reader, or a hanging
/// disk must not stop the gateway. If too much waits, the oldest entries are dropped.
final class RunLog: Sendable {
  private static let limit = 1000

  let level: Logger.Level
  private let waiting = Mutex<[LogEntry]>([])
  /// nil: no thread could be started.
  private let writer: BlockingThread<LogWriter>?

  init(_ format: LogFormat, level: Logger.Level) {
    self.level = level
    writer = try? BlockingThread(owning: LogWriter(format))
  }

  func tell(_ entry: LogEntry) {
    guard entry.level >= level else { return }
    let isFirst = waiting.withLock { waiting in
      if waiting.count == Self.limit { waiting.removeFirst() }
      waiting.append(entry)
      return waiting.count == 1
    }
    guard isFirst else { return }
    writer?.perform { writer in
      let entries = self.waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for entry in entries { writer.write(entry) }
    }
  }

  /// Writes the waiting entries, if that is possible within half a second.
  func finish() async {
    let end = Alarm()
    writer?.perform { _ in end.ring() }
    await end.wait(for: .milliseconds(500))
  }
}

/// Lets the gateway log through swift-log.
struct RunLogHandler: LogHandler {
  let log: RunLog
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(_ log: RunLog) {
    self.log = log
    logLevel = log.level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).map { (name: $0.key, value: "\($0.value)") }.sorted {
      $0.name < $1.name
    }
    log.tell(LogEntry(event.level, "\(event.message)", fields))
  }
}
