@testable import Configuration
import Testing

@Suite struct KeysFileTests {
  static let key = "00112233445566778899aabbccddeeff"

  private func load(keys: String, mode: Int = 0o600, _ yaml: String = "") throws -> Configuration.Loaded {
    let folder = try Folder()
    try folder.write(keys, to: "keys.yaml", mode: mode)
    let path = try folder.write("keys_file: keys.yaml\n" + yaml, to: "beaconkeeper.yaml", mode: 0o644)
    return try Configuration.load(path: path)
  }

  private func faults(keys: String, mode: Int = 0o600, _ yaml: String = "") throws -> [Diagnostic] {
    try #require(throws: ConfigurationErrors.self) { try load(keys: keys, mode: mode, yaml) }.diagnostics
  }

  /// The last two as Apple's keychain and ESPresense have it.
  @Test(arguments: [
    key, "\"00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF\"", "/+7dzLuqmYh3ZlVEMyIRAA==", "irk:\(key)",
  ])
  func readsNamedKeys(text: String) throws {
    let loaded = try load(
      keys: "anna: \(text)\n",
      "beacons: [{ name: phone, irk: anna }, { name: cellar, address: C1:00:00:00:00:01, bind_key: anna }]")
    let configuration = loaded.configuration
    #expect(configuration.keys["anna"]?.revealed == (0..<16).map { UInt8($0 * 0x11) })
    #expect(configuration.beacons.map(\.identityKey) == ["anna", nil])
    #expect(configuration.beacons.map(\.bindKey) == [nil, "anna"])
    #expect(!"\(configuration)".contains("[0, 17"))
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660])
  func aKeysFileOfAnotherModeIsRefused(mode: Int) throws {
    let faults = try faults(keys: "anna: \(Self.key)\n", mode: mode, "beacons: [{ name: p, irk: anna }]")
    #expect(faults.count == 1)
    #expect(faults[0].file.hasSuffix("/beaconkeeper.yaml"))
    #expect(faults[0].mark == "1:12 error")
    #expect(faults[0].message.contains("0\(String(mode, radix: 8))"))
    #expect(faults[0].hint?.hasPrefix("chmod 600 /") == true)
  }

  @Test(arguments: [0o600, 0o400])
  func aPrivateKeysFileIsRead(mode: Int) throws {
    #expect(try load(keys: "anna: \(Self.key)\n", mode: mode).configuration.keys.count == 1)
  }

  @Test(arguments: [
    "anna: \(key)0", "anna: \(key.dropLast(2))", "anna: [\(key)]", "anna: { irk: \(key) }", "\(key): anna",
    "anna: \(key)\nanna: \(key)", "anna \(key)", "anna: \"\(key)", "- \(key)", "anna: *\(key)",
    "? [\(key)]\n: a",
    "anna: \(key.replacing("a", with: "x"))", key,
  ])
  func faultsNeverShowAKey(keys: String) throws {
    let faults = try faults(keys: keys)
    #expect(!faults.isEmpty)
    #expect(faults.allSatisfy { $0.file.hasSuffix("/keys.yaml") })
    #expect(!"\(faults)".contains("33445566"))
  }

  @Test func aMissingKeysFileIsReportedWhereItIsNamed() throws {
    let folder = try Folder()
    let path = try folder.write("keys_file: keys.yaml\nbeacons: [{ name: p, irk: anna }]", to: "b.yaml")
    let error = try #require(throws: ConfigurationErrors.self) { try Configuration.load(path: path) }
    #expect(error.diagnostics.map(\.mark) == ["1:12 error"])
    #expect("\(error)".contains("there is no such file"))
  }

  @Test func unknownKeyNamesAreFaults() throws {
    let faults = try faults(keys: "anna: \(Self.key)", "beacons: [{ name: p, irk: ana }]")
    #expect(faults.map(\.mark) == ["2:27 error"])
    #expect(faults[0].hint == "did you mean anna?")
  }

  @Test func aKeyInTheConfigurationItselfIsRefusedAndNotShown() {
    let diagnostics = diagnose("beacons: [{ name: p, irk: \(Self.key) }]")
    #expect(diagnostics.map(\.mark) == ["1:27 error"])
    #expect(!"\(diagnostics)".contains("33445566"))
  }
}
