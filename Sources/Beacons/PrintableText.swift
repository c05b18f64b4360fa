/// Text from the air, a recording or the broker as a terminal may show it.
extension String {
  /// On one line, and no more than it seems to be: without control and formatting characters (also those that turn the
  /// direction of writing), line and paragraph separators, private-use, unassigned and invisible ones; a letter
  /// keeps as many marks as languages give it.
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
}

extension Unicode.Scalar {
  /// Whether it shows as itself, or changes how the letter before it looks.
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
