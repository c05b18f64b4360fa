/// Makes text from the air, a recording or the broker safe to show on a terminal.
extension String {
  /// The text on one line, without characters that hide or change anything: control and formatting characters (also those
  /// for the writing direction), line and paragraph separators, private-use, unassigned and invisible characters. A letter
  /// keeps as many combining marks as real languages use.
  public var printable: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var marks = 0
    var hasBase = false
    var kept = String.UnicodeScalarView()
    for scalar in unicodeScalars where scalar.isPrintable {
      if scalar.isMark {
        marks += 1
        guard hasBase, marks <= Self.markLimit else { continue }
      } else {
        marks = 0
        hasBase = true
      }
      kept.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    return String(kept)
  }

  private static var markLimit: Int { 3 }

  /// Without white space at either end.
  package var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

extension Unicode.Scalar {
  /// Whether it is visible, or changes the look of the letter before it.
  public var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }

  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}

extension String {
  /// How many cells it needs on a terminal.
  package var cells: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.cells }
  }

  /// Padded with spaces to a number of cells.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - cells)) }

  /// The beginning that fits into this many cells.
  package func cut(to room: Int) -> String {
    guard cells > room else { return self }
    var kept = UnicodeScalarView()
    var taken = 0
    for scalar in unicodeScalars {
      taken += scalar.cells
      guard taken <= room else { break }
      kept.append(scalar)
    }
    return String(kept)
  }
}

extension [[String]] {
  /// A table of names with an explanation for each, indented.
  package init(terms: [(name: String, words: String)]) { self = terms.map { ["", $0.name, $0.words] } }

  /// The table as text.
  package var text: String { aligned.joined(separator: "\n") }

  /// The lines of a table: columns as wide as they need, two cells apart.
  package var aligned: [String] {
    let columns = map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      map { $0.indices.contains(column) ? $0[column].cells : 0 }.max() ?? 0
    }
    return map { row in
      var line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

extension Unicode.Scalar {
  /// Marks share the cell of the letter before them; East Asian letters and pictures are two cells wide (Unicode Standard Annex
  /// 11).
  fileprivate var cells: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
