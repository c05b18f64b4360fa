import Reports
import TestSupport
import Testing

/// A terminal and a page print from the same columns.
@Suite struct TableTests {
  private static var table: Table<(name: String, count: Int)> {
    Table([
      .init("Name", meaning: "as it is called") {
        $0.name
      } write: {
        $1.element("b", $0.name)
      },
      .init("Only here", on: .terminal) { _ in "x" },
      .number("Count", meaning: "how often") { "\($0.count)" },
    ])
  }
  private static let rows = [
    (name: "key", count: 12), (name: "かぎ", count: 3), (name: "cle\u{301}🔑", count: 4),
  ]

  @Test func wideNamesKeepTheColumns() {
    #expect(
      Self.table.text(Self.rows) == """
        NAME   ONLY HERE  COUNT
        key    x          12
        かぎ   x          3
        cle\u{301}🔑  x          4
        """)
    #expect(Self.table.meanings(on: .terminal).map(\.name) == ["Name", "Count"])
  }

  @Test func aPageHasTheSameCellsAsMarkup() throws {
    var page = Markup()
    page.element("table") { Self.table.write(Self.rows, into: &$0) }
    let read = try #require(PageReader(page.text))
    #expect(read.elements["th"] == 2 + 3 && read.elements["td"] == 3 && read.elements["b"] == 3)
    #expect(read.text.contains("かぎ") && !read.text.contains("Only here"))
  }
}
