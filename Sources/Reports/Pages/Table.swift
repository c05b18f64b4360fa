import Beacons
import Core

/// A table with the same columns on a terminal and on a page.
package struct Table<Row> {
  package struct Column {
    package enum Place { case everywhere, terminal, page }

    let title: String
    let place: Place
    /// Its meaning; nil: obvious.
    let meaning: String?
    let isNumber: Bool
    let cell: (Row) -> String
    /// Writes the cell on a page; nil: a page has its text.
    let write: ((Row, inout Markup) -> Void)?

    package init(
      _ title: String, on place: Place = .everywhere, meaning: String? = nil, isNumber: Bool = false,
      cell: @escaping (Row) -> String, write: ((Row, inout Markup) -> Void)? = nil
    ) {
      self.title = title
      self.place = place
      self.meaning = meaning
      self.isNumber = isNumber
      self.cell = cell
      self.write = write
    }

    package static func number(
      _ title: String, meaning: String? = nil, cell: @escaping (Row) -> String
    ) -> Column {
      Column(title, meaning: meaning, isNumber: true, cell: cell)
    }
  }

  package let columns: [Column]

  package init(_ columns: [Column]) { self.columns = columns }

  /// For a terminal.
  package func text(_ rows: [Row]) -> String {
    let titles = columns.filter { $0.place != .page }.map { $0.title.uppercased() }
    return ([titles] + rows.map(cells)).text
  }

  /// A row for a terminal.
  func cells(_ row: Row) -> [String] { columns.filter { $0.place != .page }.map { $0.cell(row) } }

  /// The head and the body of a page's table. The first column that is no number names the row.
  package func write(_ rows: [Row], into page: inout Markup) {
    let shown = columns.filter { $0.place != .terminal }
    let naming = shown.firstIndex { !$0.isNumber }
    page.rows(below: shown.map(\.title)) { page in
      for row in rows {
        page.element("tr") { page in
          for (index, column) in shown.enumerated() {
            let content = { (page: inout Markup) in
              if let write = column.write { write(row, &page) } else { page.say(column.cell(row)) }
            }
            if index == naming {
              page.element("th", ["scope": "row"], content)
            } else {
              // On a small screen a table of the class `stack` has no head, and each cell says what it is.
              let title = column.title
              page.element(
                "td", column.isNumber ? ["class": "number", "data-title": title] : ["data-title": title],
                content)
            }
          }
        }
      }
    }
  }

  /// The titles that are shown there, with their meanings.
  package func meanings(on place: Column.Place) -> [(name: String, words: String)] {
    columns.filter { $0.place == .everywhere || $0.place == place }.compactMap { column in
      column.meaning.map { (column.title, $0) }
    }
  }
}
