import Testing

@testable import Mosquitto

@Suite struct TopicTests {
  /// The characters of ASCII that no name can hold: what controls, and wildcards.
  private func isRefused(_ unit: UInt8) -> Bool {
    unit < 0x20 || unit == 0x7F || unit == UInt8(ascii: "+") || unit == UInt8(ascii: "#")
  }

  @Test(arguments: 1...26) func looksAtEveryPlaceOfANameOfAnyLength(length: Int) {
    for place in 0..<length {
      for unit in UInt8(0)..<0x80 {
        for other in [UInt8(ascii: "x"), UInt8(ascii: " "), UInt8(ascii: "~")] {
          var name = [UInt8](repeating: other, count: length)
          name[place] = unit
          let refusal = Topic.refusal(ofName: String(decoding: name, as: UTF8.self))
          #expect((refusal != nil) == isRefused(unit), "\(name)")
        }
      }
    }
  }

  @Test(arguments: ["ä", "Küche/oben", "🚲🚲🚲", "\u{FFFD}"]) func takesNamesBeyondASCII(name: String) {
    #expect(Topic.refusal(ofName: name) == nil)
    #expect(Topic.refusal(ofName: name + "/+") != nil)
    #expect(Topic.refusal(ofName: name + "\u{85}") != nil)
  }
}
