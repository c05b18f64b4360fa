/// Where a YAML text first uses an anchor or an alias. A few nested ones stand for billions of nodes, and the
/// parser follows them while it compares keys, so that they are refused before it starts.
///
/// It knows YAML only as far as needed to tell `*` in a quote, a comment or a word from an alias. Should one
/// slip through, `Findings.visit` still bounds the work.
func firstAlias(in text: String) -> Diagnostic.Position? {
  enum Place {
    case tokenStart, indicator, tag, plain, singleQuoted, doubleQuoted, escaped, comment
  }
  var place = Place.tokenStart
  var brackets = 0
  var position = Diagnostic.Position(line: 1, column: 1)
  var previous: Unicode.Scalar = "\n"
  for scalar in text.unicodeScalars {
    let isSpace = scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    switch (place, scalar) {
    case (.singleQuoted, "'"), (.doubleQuoted, "\""): place = .plain
    case (.doubleQuoted, "\\"): place = .escaped
    case (.escaped, _): place = .doubleQuoted
    case (.singleQuoted, _), (.doubleQuoted, _): break
    case (_, "\n"): place = .tokenStart
    case (.comment, _): break
    case (.tokenStart, "#"): place = .comment
    case (.plain, "#") where previous == " " || previous == "\t": place = .comment
    case (.tokenStart, "&"), (.tokenStart, "*"): return position
    case (.tokenStart, "'"): place = .singleQuoted
    case (.tokenStart, "\""): place = .doubleQuoted
    case (.tokenStart, "!"): place = .tag
    case (.tokenStart, "-"), (.tokenStart, "?"), (.tokenStart, ":"): place = .indicator
    case (.tokenStart, "["), (.tokenStart, "{"): brackets += 1
    case (.tokenStart, _) where isSpace: break
    case (.tag, _), (.indicator, _):
      if isSpace { place = .tokenStart } else if place == .indicator { place = .plain }
    case (_, "]") where brackets > 0, (_, "}") where brackets > 0:
      brackets -= 1
      place = .plain
    case (_, ",") where brackets > 0: place = .tokenStart
    case (.plain, _): if isSpace, previous == ":" { place = .tokenStart }
    case (.tokenStart, _): place = .plain
    }
    previous = scalar
    position =
      scalar == "\n"
      ? Diagnostic.Position(line: position.line + 1, column: 1)
      : Diagnostic.Position(line: position.line, column: position.column + 1)
  }
  return nil
}
