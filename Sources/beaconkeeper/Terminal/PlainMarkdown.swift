/// A page of the documentation for a terminal: headings in capitals, text wrapped at a width, code unchanged.
struct PlainMarkdown {
  private static let width = 92
  private(set) var text = ""
  private var paragraph: [Substring] = []

  init(_ markdown: String) {
    var isCode = false
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        endParagraph()
        if !isCode { text += "\n" }
        isCode.toggle()
      } else if isCode {
        text += line.isEmpty ? "\n" : "    \(line)\n"
      } else if line.hasPrefix("#") {
        endParagraph()
        let title = line.drop { $0 == "#" || $0 == " " }
        // The page's own title is not in capitals, because it is a name that users type.
        text += line.hasPrefix("##") ? "\n\(title.uppercased())\n" : "\(title)\n"
      } else if line.isEmpty {
        endParagraph()
      } else {
        if line.hasPrefix("- ") { endParagraph() }
        paragraph += line.split(separator: " ")
      }
    }
    endParagraph()
  }

  private mutating func endParagraph() {
    guard !paragraph.isEmpty else { return }
    text += "\n"
    var line = ""
    for word in Self.plain(paragraph.joined(separator: " ")).split(separator: " ") {
      if !line.isEmpty && line.count + 1 + word.count > Self.width {
        text += line + "\n"
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    text += line + "\n"
    paragraph = []
  }

  /// Without the marks for bold and code; a link to another page becomes its name.
  private static func plain(_ text: String) -> String {
    var plain = ""
    var rest = text[...]
    while let sign = rest.first {
      if rest.hasPrefix("**") {
        rest.removeFirst(2)
      } else if sign == "`" {
        rest.removeFirst()
      } else if rest.hasPrefix("<doc:"), let end = rest.firstIndex(of: ">") {
        plain += rest[rest.index(rest.startIndex, offsetBy: 5)..<end]
        rest = rest[rest.index(after: end)...]
      } else {
        plain.append(rest.removeFirst())
      }
    }
    return plain
  }
}
