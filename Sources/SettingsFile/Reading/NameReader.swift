import Settings

/// Reads a name. It goes into topics, percent-encoded, and into sentences, so it may be any text that is visible.
func checkedName(_ value: Value) -> String? {
  guard let name = value.text() else { return nil }
  let isVisible = name.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }
  let isTrimmed = name.first?.isWhitespace == false && name.last?.isWhitespace == false
  guard isVisible, isTrimmed, name.utf8.count <= 64 else {
    return value.refused(
      "\(quoted(name)) cannot be a name",
      hint: "at most 64 bytes, no control characters, no space at either end")
  }
  return name
}

func readName(_ section: Section) -> String? {
  section.require("name", hint: "every entry needs a name").flatMap(checkedName)
}

/// The names in a list, without duplicates; with `known`, only those that exist.
func uniqueNames(
  _ entries: [Value]?, of kind: String, known: Set<String>? = nil, whenEmpty: String = "beacons: is empty"
) -> [String]? {
  guard let entries else { return nil }
  var names: [String] = []
  var seen: Set<String> = []
  for entry in entries {
    guard let name = checkedName(entry) else { continue }
    if seen.contains(name) {
      entry.warning("\(quoted(name)) is listed twice")
    } else if let known, !known.contains(name) {
      entry.error(
        "there is no \(kind) \(quoted(name))",
        hint: suggestion(for: name, among: known, whenEmpty: whenEmpty))
    } else {
      names.append(name)
      seen.insert(name)
    }
  }
  return names
}
