import Contract
import Core
import Gateway
import Logging
import Phones

/// An entry of the gateway's log.
struct LogEntry: Sendable {
  var time: WallTime
  var level: Logger.Level
  /// The text for people, without the time.
  var text: String
  /// For machines: `EVENT`, `BEACON`, `ZONE`, `ROOM` or `READING`, `RECEIVER`, `PHONE`, `OUTCOME`, and the logger's metadata.
  var fields: [(name: String, value: String)] = []
  var kind = Kind.notice

  /// The text without the spaces that align columns.
  var sentence: String { kind == .result ? text.split(separator: " ").joined(separator: " ") : text }

  enum Kind: Sendable {
    /// A transition or a verdict.
    case result
    /// How to see them elsewhere.
    case hint
    /// About the gateway itself.
    case notice
  }
}

extension LogEntry {
  init(_ message: TransitionMessage) {
    let subject =
      if case .event(let event) = message.decision {
        ("reading", event.reading.name)
      } else {
        (message.kind?.rawValue ?? "", message.place)
      }
    self.init(
      time: message.wallTime, level: .info, text: TransitionLine(message).text,
      fields: [
        ("event", message.word), ("beacon", message.beacon), subject, ("receiver", message.receiver),
      ], kind: .result)
  }

  init(_ message: VerdictMessage) {
    self.init(
      time: message.time, level: .info, text: VerdictLine(message).text,
      fields: [
        ("event", "phone"), ("beacon", message.beacon), ("zone", message.zone), ("phone", message.phone),
        ("outcome", message.outcome.rawValue),
      ], kind: .result)
  }

  static func hint(_ text: String) -> LogEntry {
    LogEntry(time: LiveClock.wallNow, level: .notice, text: text, kind: .hint)
  }

  init(_ level: Logger.Level, _ text: String, _ fields: [(name: String, value: String)] = []) {
    self.init(time: LiveClock.wallNow, level: level, text: text, fields: fields)
  }
}
