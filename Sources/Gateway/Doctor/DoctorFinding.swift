import Core

/// The result of one check.
package struct DoctorFinding: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    case ok
    /// The gateway works, but not as well as it could.
    case warning
    /// The gateway cannot do its work.
    case fault
  }

  /// What was checked: `adapter`, `broker`, …
  package var subject: String
  package var state: State
  package var words: String
  /// What the peer says about itself, as the end of the sentence; nil: nothing. A caller that asks on behalf
  /// of others must not repeat it.
  package var peersWords: String?
  /// How to mend it; nil: nothing to do.
  package var remedy: String?

  package init(_ subject: String, _ state: State, _ words: String, remedy: String? = nil) {
    self.subject = subject
    self.state = state
    self.words = words
    self.remedy = remedy
  }

  /// Including what the peer says.
  private var sentence: String { words + (peersWords ?? "") }

  /// One line, and a second with the remedy.
  package var text: String {
    let mark =
      switch state {
      case .ok: "ok     "
      case .warning: "warning"
      case .fault: "FAULT  "
      }
    return "\(mark)  \(subject.padded(to: 13))  \(sentence)" + (remedy.map { "\n         → \($0)" } ?? "")
  }

  /// All of them as one JSON object.
  package static func json(_ findings: [DoctorFinding]) -> String {
    let bytes = JSONWriter.object { json in
      json.field("v", 1)
      json.field("ok", !findings.contains { $0.state == .fault })
      json.objects("checks", findings) { json, finding in
        json.field("check", finding.subject)
        json.field("state", finding.state.rawValue)
        json.field("finding", finding.sentence)
        if let remedy = finding.remedy { json.field("remedy", remedy) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
