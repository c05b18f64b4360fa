/// What `word` was probably meant to be: the nearest of `candidates`, if it is near enough.
public func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
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
func suggestion(for name: String, among known: some Collection<String>, whenEmpty: String) -> String {
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
