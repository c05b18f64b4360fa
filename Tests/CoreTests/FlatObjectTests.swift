import Core
import Testing

@Suite struct FlatObjectTests {
  private func read(_ text: String) throws(JSONCursor.Malformed) -> [FlatObject.Member] {
    try FlatObject(Array(text.utf8)).members
  }

  @Test func valuesAreTextsNumbersFlagsAndNull() throws {
    let members = try read(#" { "a" : "b", "c": -1.5e2 ,"d":true,"e":false,"f":null } "#)
    #expect(members.map(\.name) == ["a", "c", "d", "e", "f"])
    #expect(members.map(\.value) == [.text("b"), .number(-150), .flag(true), .flag(false), .null])
  }

  @Test func eachHasItsPlace() throws {
    let member = try #require(read(#"{"a": 1, "bc":  "x"}"#).last)
    #expect(member.nameOffset == 9)
    #expect(member.valueOffset == 16)
  }

  @Test func anEscapedTextIsDecoded() throws {
    #expect(try read(#"{"a":"\u00e9\n\"\ud83d\ude00"}"#).first?.value == .text("é\n\"😀"))
  }

  @Test func anEmptyObjectHasNoMembers() throws {
    #expect(try read("{}").isEmpty)
  }

  @Test(arguments: [
    ("", 0), ("[]", 0), ("{", 1), (#"{"a":1"#, 6), (#"{"a":1}x"#, 7), (#"{"a":{}}"#, 5), (#"{"a":[1]}"#, 5),
    (#"{"a":01}"#, 5), (#"{"a":1e999}"#, 5), (#"{"a":nil}"#, 5), (#"{a:1}"#, 1), (#"{"a" 1}"#, 5),
    (#"{"a":"x}"#, 8), (#"{"a":"\q"}"#, 6), (#"{"a":1,}"#, 7),
    (#"{"a":\#(String(repeating: "1", count: 41))}"#, 5),
  ])
  func whatIsNoFlatObjectIsDeclinedWithItsPlace(text: String, offset: Int) {
    let error = #expect(throws: JSONCursor.Malformed.self) { try read(text) }
    #expect(error?.offset == offset, "\(text): \(error.map(String.init(describing:)) ?? "")")
  }

  @Test func members32AreRead33AreNot() throws {
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { #""m\#($0)":0"# }.joined(separator: ",") + "}"
    }
    #expect(try read(object(32)).count == 32)
    #expect(throws: JSONCursor.Malformed.self) { try read(object(33)) }
  }
}
