import Beacons

/// Collects the errors and warnings in one file.
final class Diagnostics {
  let file: String
  private(set) var all: [Diagnostic] = []
  /// The keys that the reader understands, by the section's path.
  private(set) var vocabulary: [String: Set<String>] = [:]

  init(file: String) { self.file = file }

  /// The maximum number of errors, and of warnings, per file.
  static let limit = 200
  private var counts: [Diagnostic.Severity: Int] = [:]
  var isFull: Bool { counts[.error, default: 0] >= Self.limit }

  /// - Parameter hint: evaluated only if there is room for another diagnostic, because the search for similar names takes a
  ///   while.
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
    all.append(
      Diagnostic(severity: severity, file: file, position: position, message: message, hint: hint))
  }

  func noteAsked(for key: String, in path: String) { vocabulary[path, default: []].insert(key) }

  var hasErrors: Bool { counts[.error, default: 0] > 0 }

  /// By position; those about the whole file come first.
  var sorted: [Diagnostic] {
    let start = Diagnostic.Position(line: 0, column: 0)
    return all.enumerated().sorted { a, b in
      let (left, right) = (a.element.position ?? start, b.element.position ?? start)
      return left == right ? a.offset < b.offset : left < right
    }.map(\.element)
  }
}

/// `a, b or c`.
func listed(_ words: [String], joining word: String = "or") -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(word) " + last
}
