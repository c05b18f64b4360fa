import Testing

@testable import Core

@Suite struct JSONTreeTests {
  private func tree(_ text: String) -> JSONTree? { try? JSONTree(Array(text.utf8)) }

  @Test func everyKindOfValueIsRead() {
    #expect(
      tree(#" {"a":[1,-2.5e1,"t\u00e9",true,false,null,{}],"a":2} "#)
        == .object([
          .init(
            name: "a",
            value: .list([
              .number(1), .number(-25), .text("té"), .flag(true), .flag(false), .null, .object([]),
            ])), .init(name: "a", value: .number(2)),
        ]))
    #expect(tree(#"{"a":1,"a":2}"#)?["a"] == .number(1))
    #expect(tree("[]")?["a"] == nil)
  }

  @Test(arguments: [
    "", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "1 2", "tru", "01", "1e999", "\"\u{1}\"",
    String(repeating: "9", count: 41), String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
    "[" + String(repeating: "0,", count: JSONTree.limit) + "0]",
  ])
  func invalidAndOversizedJSONIsRefused(text: String) { #expect(tree(text) == nil) }

  @Test func theDeepestIsRead() {
    #expect(tree(String(repeating: "[", count: 32) + String(repeating: "]", count: 32)) != nil)
  }
}
