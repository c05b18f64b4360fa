/// How a text was changed, line by line: `+` before a new line, `-` before one that is gone, a space before those around them, and
/// `…` between places that are apart.
package func lineChanges(from old: [UInt8], to new: [UInt8]) -> String {
  let (before, after) = (lines(old), lines(new))
  let difference = after.difference(from: before)
  var removed: Set<Int> = []
  var inserted: Set<Int> = []
  for change in difference {
    switch change {
    case .remove(let place, _, _): removed.insert(place)
    case .insert(let place, _, _): inserted.insert(place)
    }
  }
  var all: [(mark: Character, text: Substring)] = []
  var (from, to) = (0, 0)
  while from < before.count || to < after.count {
    if removed.contains(from) {
      all.append(("-", before[from]))
      from += 1
    } else if inserted.contains(to) {
      all.append(("+", after[to]))
      to += 1
    } else {
      all.append((" ", after[to]))
      from += 1
      to += 1
    }
  }
  return told(all)
}

private func told(_ all: [(mark: Character, text: Substring)]) -> String {
  let around = 1
  let changed = all.indices.filter { all[$0].mark != " " }
  let shown = Set(changed.flatMap { max(0, $0 - around)...min(all.count - 1, $0 + around) }).sorted()
  var text = ""
  for (place, last) in zip(shown, [shown.first.map { $0 - 1 } ?? 0] + shown) {
    if place > last + 1 { text += "…\n" }
    text += "\(all[place].mark) \(all[place].text)\n"
  }
  return text
}

private func lines(_ bytes: [UInt8]) -> [Substring] {
  var lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
  if lines.last == "" { lines.removeLast() }
  return lines
}
