import Beacons

/// Cells in columns as wide as they need, two spaces apart.
struct TextTable {
  private var rows: [[String]]

  init(_ titles: [String]) { rows = [titles] }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// Names with an explanation for each, indented.
  static func list(_ items: [(name: String, words: String)]) -> String {
    var table = TextTable([])
    table.rows = items.map { ["", $0.name, $0.words] }
    return table.text
  }

  var text: String { rows.aligned.joined(separator: "\n") }
}
