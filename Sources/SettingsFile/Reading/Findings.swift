import Beacons

/// Collects what is wrong in one file.
final class Findings {
  let file: String
  private(set) var diagnostics: [Diagnostic] = []
  /// Keys that were asked for, by the section's path: what the reader understands.
  private(set) var vocabulary: [String: Set<String>] = [:]

  init(file: String) { self.file = file }

  /// More errors or more warnings than this in one file help nobody.
  static let limit = 200
  private var counts: [Diagnostic.Severity: Int] = [:]
  var isFull: Bool { counts[.error, default: 0] >= Self.limit }

  /// - Parameter hint: asked for only where there is room for one more: what was probably meant takes a while to find.
  func error(_ message: String, at position: Diagnostic.Position?, hint: @autoclosure () -> String? = nil) {
    report(.error, message, at: position, hint: hint)
  }

  func warning(_ message: String, at position: Diagnostic.Position?, hint: @autoclosure () -> String? = nil) {
    report(.warning, message, at: position, hint: hint)
  }

  private func report(
    _ severity: Diagnostic.Severity, _ message: String, at position: Diagnostic.Position?,
    hint: () -> String?
  ) {
    guard counts[severity, default: 0] < Self.limit else { return }
    let hint = hint()
    counts[severity, default: 0] += 1
    diagnostics.append(
      Diagnostic(severity: severity, file: file, position: position, message: message, hint: hint))
  }

  func noteAsked(for key: String, in path: String) { vocabulary[path, default: []].insert(key) }

  var hasErrors: Bool { counts[.error, default: 0] > 0 }

  /// By position; what concerns the whole file comes first.
  var sorted: [Diagnostic] {
    let start = Diagnostic.Position(line: 0, column: 0)
    return diagnostics.enumerated().sorted { a, b in
      let (left, right) = (a.element.position ?? start, b.element.position ?? start)
      return left == right ? a.offset < b.offset : left < right
    }.map(\.element)
  }
}

/// A text of the user's as a message shows it: in quotes, on one line, not without end.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(60).map { scalar in
    scalar.isPrintable ? String(scalar) : "\u{FFFD}"
  }.joined().printable
  return "“\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")”"
}

/// `a, b or c`.
func listed(_ words: [String], joining word: String = "or") -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(word) " + last
}
