import Testing

@testable import Messages

@Suite struct JSONWriterTests {
  @Test func keepsTheOrderOfFields() {
    let json = JSONWriter.object {
      $0.field("z", 1)
      $0.key("list")
      $0.array([1, 2]) { $0.value($1) }
      $0.key("inner")
      $0.object { _ in }
      $0.field("a", true)
    }
    #expect(String(decoding: json, as: UTF8.self) == #"{"z":1,"list":[1,2],"inner":{},"a":true}"#)
  }

  @Test func escapesWhatWouldEndAStringOrALine() {
    var writer = JSONWriter()
    writer.value("a\"b\\c\n\u{0}\u{7F}é")
    #expect(writer.text == #""a\"b\\c\u000a\u0000\u007fé""#)
  }

  @Test(arguments: [
    (1.4, 2, "1.4"), (-61, 1, "-61"), (0.005, 2, "0.01"), (-0.001, 2, "0"), (2.5, 0, "3"), (100, 2, "100"),
    (1.05, 2, "1.05"), (1e12, 2, "1000000000000.0"),
  ])
  func writesNumbersShortAndRounded(number: Double, decimals: Int, text: String) {
    #expect(decimal(number, decimals: decimals) == text)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func writesNullForWhatJSONCannotHold(number: Double) {
    var writer = JSONWriter()
    writer.value(number, decimals: 1)
    #expect(writer.text == "null")
  }
}
