import Logging

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
