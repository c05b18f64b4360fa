import Core
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("fridge", "fridge"), ("Küche 2 – “Ost”", "Küche 2 – “Ost”"), ("冷蔵庫", "冷蔵庫"), ("Việt", "Việt"),
    ("a\u{1B}[2Jb", "a[2Jb"), ("a\r\nb", "ab"), ("a\u{85}b", "ab"), ("a\u{2028}b\u{2029}c", "abc"),
    ("a\u{202E}b\u{2066}c\u{200F}", "abc"), ("\u{E000}a\u{F8FF}\u{F0000}", "a"), ("a\u{378}", "a"),
    ("a\u{3164}b\u{200B}c\u{FE0F}", "abc"), ("a\u{A0}b\u{3000}c", "a b c"), ("\u{301}\u{301}a", "a"),
  ]) func onlyPrintableCharactersAreKept(text: String, expected: String) {
    #expect(text.printable == expected)
  }

  @Test func aLetterKeepsFewMarks() {
    let text = "Z" + String(repeating: "\u{301}", count: 100) + "b\u{323}\u{302}"
    #expect(text.printable.unicodeScalars.map(\.value) == [0x5A, 0x301, 0x301, 0x301, 0x62, 0x323, 0x302])
  }
}
