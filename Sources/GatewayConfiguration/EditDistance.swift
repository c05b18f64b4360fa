/// What somebody who wrote `word` probably meant: the nearest of `candidates`, if it is near enough.
func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  guard word.utf8.count <= 64 else { return nil }
  let written = word.lowercased()
  var best: (word: String, distance: Int)?
  for candidate in candidates.sorted() {
    let distance = editDistance(Array(written.unicodeScalars), Array(candidate.lowercased().unicodeScalars))
    // Up to a third of the letters may be wrong.
    let shorter = min(written.count, candidate.count)
    guard distance <= max(1, shorter / 3), distance < shorter else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  return best?.word
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment).
func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
