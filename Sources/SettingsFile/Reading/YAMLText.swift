import Yams

/// The text of a configuration file on its way to a tree of nodes that know their places.
struct YAMLText {
  private var lines: [[Unicode.Scalar]]
  /// Where a marker was put into the text, in the coordinates of the marked text.
  private var markers: [Diagnostic.Position] = []

  /// Set before the earlier of two equal keys: the parser stops at them, we go on to report all faults.
  /// Private-use scalars, which nobody types.
  private static let markerScalars = 0xE000..<0xE000 + 20

  /// nil, with the reason found, for what is no UTF-8 text.
  init?(_ bytes: [UInt8], findings: Findings) {
    var scalars = UTF8()
    var iterator = bytes.makeIterator()
    lines = [[]]
    while true {
      switch scalars.decode(&iterator) {
      case .scalarValue("\u{FEFF}") where lines == [[]]: continue
      case .scalarValue("\n"): lines.append([])
      case .scalarValue(let scalar): lines[lines.count - 1].append(scalar)
      case .emptyInput: return
      case .error:
        let place = Diagnostic.Position(line: lines.count, column: lines[lines.count - 1].count + 1)
        findings.error("this is not UTF-8 text", at: place, hint: "save the file as UTF-8")
        return nil
      }
    }
  }

  private var text: String {
    var text = String.UnicodeScalarView()
    for (index, line) in lines.enumerated() {
      if index > 0 { text.append("\n") }
      // One by one: a sequence would be made a string first, and copy all that is there.
      for scalar in line { text.append(scalar) }
    }
    return String(text)
  }

  /// The tree; nil, with the reason found, after a fault of syntax. An empty file is nil without a reason.
  mutating func compose(findings: Findings) -> Node? {
    if let place = firstAlias(in: text) {
      findings.error(
        "anchors (&) and aliases (*) are not used here", at: place,
        hint: "write the value out; put a text that begins with & or * in quotes")
      return nil
    }
    for marker in Self.markerScalars {
      do {
        return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let place = Diagnostic.Position(line: context.mark.line, column: context.mark.column)
        guard let scalar = Unicode.Scalar(marker), mark(place, with: scalar) else {
          findings.error("\(quoted(keys.first ?? "a key")) is given twice", at: position(place))
          return nil
        }
      } catch let error as YamlError {
        report(error, findings: findings)
        return nil
      } catch {
        findings.error("this cannot be read as YAML", at: nil)
        return nil
      }
    }
    findings.error("many keys are given twice", at: nil, hint: "keep one of each")
    return nil
  }

  /// Makes the key at a place differ from its twin; false where that is not a simple key.
  private mutating func mark(_ place: Diagnostic.Position, with scalar: Unicode.Scalar) -> Bool {
    guard lines.indices.contains(place.line - 1) else { return false }
    var column = place.column - 1
    guard lines[place.line - 1].indices.contains(column) else { return false }
    switch lines[place.line - 1][column] {
    case "\"", "'": column += 1
    case "!", "&", "*", "[", "{", "|", ">", "?", ":": return false
    default: break
    }
    lines[place.line - 1].insert(scalar, at: column)
    markers.append(Diagnostic.Position(line: place.line, column: column + 1))
    return true
  }

  /// A place in the text as its author sees it.
  func position(_ place: Diagnostic.Position) -> Diagnostic.Position {
    let before = markers.count { $0.line == place.line && $0.column < place.column }
    return Diagnostic.Position(line: place.line, column: place.column - before)
  }

  /// A key without its marker; nil for one that has none.
  static func unmarked(_ key: String) -> String? {
    guard let first = key.unicodeScalars.first, markerScalars.contains(Int(first.value)) else { return nil }
    return String(key.unicodeScalars.dropFirst())
  }

  private func report(_ error: YamlError, findings: Findings) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let place = position(Diagnostic.Position(line: mark.line, column: mark.column))
      let words = [context?.text, problem].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
      findings.error("this is no valid YAML: \(words)", at: place, hint: hint(at: mark))
    case .reader(let problem, let offset, _, _):
      findings.error(
        "this is no valid YAML: \(problem)", at: offset.map(place(atCharacter:)),
        hint: "remove characters that cannot be seen")
    default:
      findings.error("this cannot be read as YAML", at: nil)
    }
  }

  private func hint(at mark: Mark) -> String {
    let tabbed = [mark.line - 1, mark.line - 2].contains { line in
      lines.indices.contains(line) && lines[line].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
    return tabbed
      ? "YAML is indented with spaces; there is a tab"
      : "look at this line and the one above: indentation, a missing ‘: ’, quote or bracket"
  }

  private func place(atCharacter offset: Int) -> Diagnostic.Position {
    var place = Diagnostic.Position(line: 1, column: 1)
    for character in text.prefix(offset) {
      if character == "\n" || character == "\r\n" {
        place = Diagnostic.Position(line: place.line + 1, column: 1)
      } else {
        place.column += character.unicodeScalars.count
      }
    }
    return place
  }
}
