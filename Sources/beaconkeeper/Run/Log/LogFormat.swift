import ArgumentParser
import Logging

/// How the gateway's log is written.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
  /// For people: results on standard output, everything else on standard error. The date is left out on a terminal.
  case text
  /// One JSON object a line, everything on standard output.
  case json
  /// To systemd's journal, with priority and fields.
  case journal

  /// The journal, if systemd connected standard error to it; otherwise text.
  static var preferred: LogFormat { SystemJournal.takesStandardError ? .journal : .text }
}

/// What is logged: this level and those above it.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case debug, info, notice, warning, error

  var level: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
