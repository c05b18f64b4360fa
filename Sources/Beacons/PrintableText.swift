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
