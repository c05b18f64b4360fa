import Core

/// Why a setting is invalid, and how to mend it.
package struct SettingFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var message: String
  package var hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  package var description: String { hint.map { "\(message); \($0)" } ?? message }
}

/// User text for a message: in quotes, on one line, shortened.
package func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(60).map { scalar in
    scalar.isPrintable ? String(scalar) : "\u{FFFD}"
  }.joined().printable
  return "“\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")”"
}
