/// Writes HTML that is also well-formed XML: every element is closed, every attribute quoted, every text escaped.
package struct Markup {
  package private(set) var text = ""

  package init() {}

  package typealias Attributes = KeyValuePairs<String, String>

  package mutating func element(
    _ name: String, _ attributes: Attributes = [:], _ content: (inout Markup) -> Void = { _ in }
  ) {
    text += "<" + name
    for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
    if Self.empty.contains(name) {
      text += "/>"
      return
    }
    text += ">"
    content(&self)
    text += "</\(name)>"
    if Self.blocks.contains(name) { text += "\n" }
  }

  package mutating func element(_ name: String, _ attributes: Attributes = [:], _ content: String) {
    element(name, attributes) { $0.say(content) }
  }

  package mutating func element(_ name: String, _ content: String) { element(name, [:], content) }

  /// The head of a table, and its body with what `rows` writes.
  package mutating func rows(below titles: [String], _ rows: (inout Markup) -> Void) {
    element("thead") { page in
      page.element("tr") { page in for title in titles { page.element("th", ["scope": "col"], title) } }
    }
    element("tbody", [:], rows)
  }

  /// Entries of a list of terms: names, and the words that explain them.
  package mutating func terms(_ terms: [(name: String, words: String)]) {
    for (name, words) in terms {
      element("div") { page in
        page.element("dt", name)
        page.element("dd", words)
      }
    }
  }

  /// Writes any text, escaped.
  package mutating func say(_ content: String) { text += Self.escaped(content) }

  /// Writes a constant part of the page unescaped.
  package mutating func raw(_ content: String) { text += content }

  /// Elements without content, of HTML and of SVG.
  private static let empty: Set<String> = [
    "meta", "br", "rect", "line", "path", "circle", "polyline", "polygon", "use", "col", "wbr",
  ]
  private static let blocks: Set<String> = [
    "p", "h1", "h2", "h3", "section", "article", "table", "tr", "dl", "ul", "li", "svg", "header", "footer",
    "figure",
    "details", "style", "script", "head", "title", "main", "nav", "thead", "tbody", "caption", "div",
    "figcaption",
  ]

  /// Characters that XML cannot hold become U+FFFD.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}", "\u{202A}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension Markup {
  package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
    element(
      "line",
      [
        "x1": Figures.at(x1), "y1": Figures.at(y1), "x2": Figures.at(x2), "y2": Figures.at(y2),
        "class": style,
      ])
  }

  package mutating func text(_ content: String, _ x: Double, _ y: Double, _ style: String, _ anchor: String) {
    element("text", ["x": Figures.at(x), "y": Figures.at(y), "class": style, "text-anchor": anchor], content)
  }
}
