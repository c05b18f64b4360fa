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

/// An error or a likely error in a configuration file.
package struct Diagnostic: Hashable, Sendable {
  package enum Severity: String, Hashable, Sendable {
    case error, warning
  }

  /// A place in a file; line and column count from 1, columns in Unicode scalars.
  package struct Position: Hashable, Comparable, Sendable {
    package var line: Int
    package var column: Int

    package static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }
  }

  package var severity: Severity
  package var file: String
  /// nil if it concerns the whole file, which cannot be read.
  package var position: Position?
  /// What is wrong.
  package var message: String
  /// The probable intention, or how to mend it.
  package var hint: String?
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line:column: error: what is wrong`, with the hint on a second line.
  package var description: String { "\(place): \(severity.rawValue): \(words)" }

  /// Without its severity, for a log that has its own.
  package var unmarked: String { "\(place): \(words)" }

  private var place: String { position.map { "\(file):\($0.line):\($0.column)" } ?? file }
  private var words: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}

/// Why a configuration cannot be used: all its errors and warnings, by position.
package struct ConfigurationErrors: Error, Hashable, Sendable {
  package var diagnostics: [Diagnostic]
  package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// EX_CONFIG of sysexits.h.
  package static let exitCode: Int32 = 78
}

extension ConfigurationErrors: CustomStringConvertible {
  package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// The probable intention behind `word`: the nearest of `candidates`, if it is near enough.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  guard word.utf8.count <= 64 else { return nil }
  let written = Letters(word)
  var measure = EditDistance()
  var best: (word: String, distance: Int)?
  for candidate in candidates where candidate.utf8.count <= 128 {
    let letters = Letters(candidate)
    // Up to a third of the letters may be wrong.
    let shorter = min(written.scalars.count, letters.scalars.count)
    var limit = min(max(1, shorter / 3), shorter - 1)
    // Of two equally near candidates, take the alphabetically first.
    if let best { limit = min(limit, best.word < candidate ? best.distance - 1 : best.distance) }
    guard limit >= 0, written.mayBeWithin(limit, of: letters),
      let distance = measure.distance(written.scalars, letters.scalars, atMost: limit)
    else { continue }
    best = (candidate, distance)
  }
  return best?.word
}

/// The only candidate that begins with a word.
private func completion(of word: String, among candidates: some Sequence<String>) -> String? {
  guard word.count >= 3 else { return nil }
  let longer = candidates.filter { $0.count <= 128 && $0.hasPrefix(word) }
  return Set(longer).count == 1 ? longer[0] : nil
}

/// A hint for an unknown name: the probable one, else a list of the known ones.
package func suggestion(for name: String, among known: some Collection<String>, whenEmpty: String) -> String {
  if known.isEmpty { return whenEmpty }
  return (nearest(to: name, among: known) ?? completion(of: name, among: known))
    .map { "did you mean \($0)?" } ?? "known: \(enumerated(known))"
}

/// The alphabetically first few of some names, and how many more there are.
func enumerated(_ names: some Collection<String>) -> String {
  let shown = 24
  guard names.count > shown else { return listed(names.sorted(), joining: "and") }
  return names.sorted().prefix(shown).joined(separator: ", ") + " and \(names.count - shown) more"
}

/// A word without regard to case, and the set of its letters.
private struct Letters {
  var scalars: [Unicode.Scalar]
  /// One bit per letter; several letters may share one.
  private var set: UInt64

  init(_ word: String) {
    scalars = Array(word.lowercased().unicodeScalars)
    set = scalars.reduce(0) { $0 | 1 << UInt64($1.value & 63) }
  }

  /// A cheap check that never wrongly returns false: each letter that only one of the words has needs an edit, or half of
  /// one.
  func mayBeWithin(_ limit: Int, of other: Letters) -> Bool {
    abs(scalars.count - other.scalars.count) <= limit && (set ^ other.set).nonzeroBitCount <= 2 * limit
  }
}

/// Counts the insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment).
struct EditDistance {
  private var beforeLast: [Int] = []
  private var last: [Int] = []
  private var row: [Int] = []

  /// nil if it is more than `limit`. Only cells within the limit are computed.
  mutating func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int? {
    guard abs(a.count - b.count) <= limit else { return nil }
    if b.isEmpty { return a.count }
    let beyond = limit + 1
    last = (0...b.count).map { min($0, beyond) }
    beforeLast = last
    row = last
    for i in a.indices {
      let from = max(0, i - limit)
      let to = min(b.count, i + limit + 1)
      guard from < to else { return nil }
      row[from] = from == 0 ? min(i + 1, beyond) : beyond
      var least = row[from]
      for j in from..<to {
        var cost = min(row[j], j + 1 < i + limit + 1 ? last[j + 1] : beyond) + 1
        cost = min(cost, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row[j + 1] = min(cost, beyond)
        least = min(least, cost)
      }
      // A swap skips one row.
      if least > limit, last[from...to].allSatisfy({ $0 > limit }) { return nil }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
