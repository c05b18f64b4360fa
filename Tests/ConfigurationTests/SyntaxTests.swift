@testable import Configuration
import Foundation
import Testing

@Suite struct SyntaxTests {
  @Test func faultsOfYAMLHaveAPlaceAndAHint() throws {
    let tab = try #require(diagnose("zones:\n\t- name: z\n").first)
    #expect(tab.mark == "2:1 error")
    #expect(tab.hint?.contains("there is a tab") == true)
    let bracket = try #require(diagnose("gateway: { name: a\nzones: []\n").first)
    #expect(bracket.position?.line == 2)
    #expect(bracket.message.contains("not valid YAML"))
  }

  @Test(arguments: ["", "zones: []\n\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0"])
  func `a file that a power cut left empty or full of zeros is told as that`(text: String) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let errors = #expect(throws: ConfigurationErrors.self) { try Configuration.load(path: path) }
    #expect(errors?.description.contains("was the power cut while it was written?") == true)
  }

  @Test func aKeyGivenTwiceDoesNotHideOtherFaults() {
    let yaml = """
      gateway: { name: a, name: b, nmae: c }
      zones:
        - name: z
          enter: 3
          "enter": 4 m
      gateway: { name: d }

      """
    let diagnostics = diagnose(yaml)
    #expect(diagnostics.map(\.mark) == ["1:21 error", "1:30 error", "4:12 error", "5:5 error", "6:1 error"])
    #expect(diagnostics[0].message == "“name” is given twice, first on line 1")
    #expect(diagnostics[3].message == "“enter” is given twice, first on line 4")
  }

  @Test func manyDuplicateKeysTakeBoundedTime() {
    let yaml = (0..<1000).map { "a\($0): 1\na\($0): 2\n" }.joined()
    let diagnostics = diagnose(yaml)
    #expect(diagnostics.count == 200)
    #expect(diagnostics.first?.message == "“a0” is given twice, first on line 1")
  }

  @Test(.timeLimit(.minutes(10))) func tensOfThousandsOfFaultsTakeBoundedTime() {
    #expect(diagnose((0..<30_000).map { "key\($0): 1\n" }.joined()).count == 200)
    let names = (0..<30_000).map { "r\($0)" }.joined(separator: ", ")
    #expect(diagnose("zones: [{ name: z, receivers: [\(names)] }]").isEmpty)
  }

  @Test func manyWarningsHideNoError() {
    let names = repeatElement("r", count: 500).joined(separator: ", ")
    let diagnostics = diagnose("zones: [{ name: z, receivers: [\(names)], entr: 3 m }]")
    #expect(diagnostics.contains { $0.severity == .error })
  }

  @Test(arguments: [
    ("gateway: &g { name: a }", "1:10"), ("gateway: *g", "1:10"), ("zones: [*a]", "1:9"),
    ("? *a : b", "1:3"), ("zones:\n  - &z { name: a }", "2:5"), ("a: 'it''s'\nb: *c", "2:4"),
    ("a: \"\\\"\"\nb: *c", "2:4"), ("a: it's\nb: *c # it's", "2:4"),
  ])
  func anchorsAndAliasesAreRefusedBeforeTheyAreFollowed(yaml: String, place: String) {
    let diagnostics = diagnose(yaml)
    #expect(diagnostics.map(\.mark) == ["\(place) error"])
    #expect(diagnostics.first?.message.contains("anchors (&) and aliases (*)") == true)
  }

  @Test(arguments: ["a *b", "\"*b\"", "'&b'", "a&b # *not* one, & neither this", "a, *b"])
  func starsElsewhereAreNoAliases(name: String) throws {
    _ = try read("gateway:\n  name: \(name)\n")
  }

  @Test func aliasBombsAreRefused() {
    var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<20 {
      let aliases = repeatElement("*a\(level - 1)", count: 9).joined(separator: ", ")
      yaml += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(diagnose(yaml + "? *a19\n: x\n").count == 1)
  }

  @Test(arguments: ["[", "{a: ", "- "])
  func deepNestingIsRefused(opening: String) {
    #expect(diagnose(String(repeating: opening, count: 200_000)).contains { $0.severity == .error })
  }

  @Test func nestingThatIsAllowedByTheParserIsNoDanger() {
    let yaml = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
    #expect(diagnose("zones: \(yaml)").contains { $0.severity == .error })
  }

  @Test func invalidUTF8IsReportedWithItsPosition() throws {
    let bytes = Array("gateway:\n  name: caf".utf8) + [0xE9, 0x0A]
    let error = try #require(throws: ConfigurationErrors.self) {
      try Configuration.read(bytes, path: "latin1.yaml", environment: [:], hostName: "pi")
    }
    #expect(error.diagnostics.map(\.mark) == ["2:12 error"])
    #expect(error.diagnostics.first?.hint == "save the file as UTF-8")
  }

  @Test func invisibleCharactersAreRefused() {
    #expect(diagnose("gateway: { name: a\u{7}b }").map(\.mark) == ["1:19 error"])
    #expect(diagnose("gateway: { name: a\0b }").map(\.mark) == ["1:19 error"])
  }

  @Test func twoDocumentsAreRefused() {
    #expect(diagnose("gateway: { name: a }\n---\ngateway: { name: b }\n").map(\.mark) == ["2:1 error"])
  }

  @Test(arguments: ["", "# nothing yet\n", "---\n", "~"])
  func anEmptyFileIsTheDefaultWithAWarning(yaml: String) throws {
    let loaded = try read(yaml)
    #expect(loaded.warnings.count == 1)
    #expect(loaded.configuration == .builtIn(hostName: "pi.lan"))
  }

  @Test func windowsLineEndsAndAByteOrderMarkAreFine() throws {
    let loaded = try read("\u{FEFF}gateway:\r\n  name: shop\r\nbeacons:\r\n  # none yet\r\n")
    #expect(loaded.configuration.gatewayName == "shop")
  }
}
