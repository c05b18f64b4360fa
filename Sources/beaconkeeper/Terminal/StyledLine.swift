import Beacons

/// A line for the terminal in parts that look different. Whatever the text is, only printable characters reach the terminal.
struct StyledLine {
  enum Style { case plain, bold, dim, good, warning, bad, title }

  private(set) var parts: [(text: String, style: Style)] = []

  init(_ text: String = "", _ style: Style = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { parts.append((text.printable, style)) }
  }

  static func + (line: StyledLine, other: StyledLine) -> StyledLine {
    var sum = line
    sum.parts += other.parts
    return sum
  }

  /// Cells that it takes.
  var width: Int { parts.reduce(0) { $0 + cellWidth($1.text) } }

  /// The same with spaces up to a width.
  func padded(to width: Int) -> StyledLine {
    var line = self
    line.add(String(repeating: " ", count: max(0, width - self.width)))
    return line
  }

  /// As text, cut at a width.
  func text(width: Int = .max, isColoured: Bool = false) -> String {
    var result = ""
    var room = width
    for part in parts where room > 0 {
      let (shown, taken) = cut(part.text, at: room)
      // A wide letter that does not fit ends the line, too.
      room = shown.unicodeScalars.count < part.text.unicodeScalars.count ? 0 : room - taken
      let code = isColoured ? part.style.code : nil
      result += code.map { "\u{1B}[\($0)m\(shown)\u{1B}[0m" } ?? shown
    }
    return result
  }

  /// As text without colours, and without spaces at its end.
  var plain: String {
    var text = text()
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension StyledLine.Style {
  /// Of the eight colours that every terminal has, so that they fit its own background (ECMA-48, section 8.3.117).
  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .bold: "1"
    case .dim: "2"
    case .good: "32"
    case .warning: "33"
    case .bad: "1;31"
    case .title: "7"
    }
  }
}

/// Cells that a text takes on a terminal.
func cellWidth(_ text: String) -> Int {
  text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
}

private func cut(_ text: String, at room: Int) -> (text: String, width: Int) {
  let whole = cellWidth(text)
  guard whole > room else { return (text, whole) }
  var kept = String.UnicodeScalarView()
  var taken = 0
  for scalar in text.unicodeScalars {
    let width = width(of: scalar)
    guard taken + width <= room else { break }
    kept.append(scalar)
    taken += width
  }
  return (String(kept), taken)
}

/// Marks stand over the letter before them; East Asian letters and pictures are two cells wide (Unicode Standard Annex 11).
private func width(of scalar: Unicode.Scalar) -> Int {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark: return 0
  default: break
  }
  switch scalar.value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD:
    return 2
  default: return 1
  }
}
