import ArgumentParser
import Core
import Glibc
import Logging

/// Writes entries in one of the formats.
struct LogWriter: Sendable {
  private let format: LogFormat
  private let journal: SystemJournal?
  /// Whether a line begins with the date: a file is read days later, a terminal now.
  private let isDated: (output: Bool, error: Bool)

  init(_ format: LogFormat) {
    self.format = format
    journal = format == .journal ? SystemJournal() : nil
    isDated = (isatty(1) == 0, isatty(2) == 0)
  }

  func write(_ entry: LogEntry) {
    switch format {
    case .text: writeText(entry)
    case .json: put(Self.json(entry), on: .output)
    // While the journal restarts, its socket is gone, but it still reads standard error.
    case .journal: if journal?.write(entry) != true { put(entry.sentence.printable, on: .error) }
    }
  }

  private func writeText(_ entry: LogEntry) {
    if entry.kind != .notice {
      put(Self.text(entry, isDated: isDated.output).printable, on: .output)
    } else {
      for line in entry.text.split(separator: "\n", omittingEmptySubsequences: false) {
        var part = entry
        part.text = String(line)
        put(Self.text(part, isDated: isDated.error).printable, on: .error)
      }
    }
  }

  static func text(_ entry: LogEntry, isDated: Bool) -> String {
    let time = entry.time.rfc3339
    switch entry.kind {
    case .result: return "\(isDated ? time.prefix(19) : time.dropFirst(11).prefix(8))Z  \(entry.text)"
    case .hint: return entry.text
    case .notice:
      // At debug level the details are in the fields; above it, the sentence has them all.
      let fields = entry.level < .info ? entry.fields.map { " \($0.name)=\($0.value)" }.joined() : ""
      let beginning = isDated ? "\(time.prefix(19))Z  \(entry.level): " : "beaconkeeper: "
      return beginning + entry.text + fields
    }
  }

  static func json(_ entry: LogEntry) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("time", entry.time)
      json.field("level", entry.level.rawValue)
      json.field("message", entry.sentence)
      for field in entry.fields {
        json.key(named: field.name)
        json.value(field.value)
      }
    }
    return writer.text
  }

  private func put(_ line: String, on stream: StandardStream) {
    // If the reader of our output ends, as `head` does, the gateway stops as on Ctrl-C.
    if stream.write((line + "\n").utf8) == EPIPE, stream == .output { kill(getpid(), SIGTERM) }
  }
}

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

/// The lowest level that is logged.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case debug, info, notice, warning, error

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
