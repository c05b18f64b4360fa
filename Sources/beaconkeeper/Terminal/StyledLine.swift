import Core

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

  /// How many cells it needs.
  var width: Int { parts.reduce(0) { $0 + $1.text.cells } }

  /// Padded with spaces to a width.
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
      let shown = part.text.cut(to: room)
      // A wide letter that does not fit ends the line, too.
      room = shown.unicodeScalars.count < part.text.unicodeScalars.count ? 0 : room - shown.cells
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
  /// One of the eight colours that every terminal has, so that it fits the terminal's background (ECMA-48, section 8.3.117).
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
