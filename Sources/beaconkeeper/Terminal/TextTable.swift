/// Cells in columns as wide as they need, two spaces apart.
struct TextTable {
  private var rows: [[String]]

  init(_ titles: [String]) { rows = [titles] }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// Names with the words that explain each, indented.
  static func list(_ items: [(name: String, words: String)]) -> String {
    var table = TextTable([])
    table.rows = items.map { ["", $0.name, $0.words] }
    return table.text
  }

  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    let lines = rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    return lines.joined(separator: "\n")
  }
}
