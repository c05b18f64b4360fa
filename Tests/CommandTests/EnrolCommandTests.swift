import Foundation
import Testing
import TestSupport

/// `enrol` without an adapter, and without a person: what it refuses, and that it then changes nothing.
@Suite struct EnrolCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "enrol-\(UUID().uuidString)")

  /// A configuration with one beacon and one key.
  private func home() throws -> (config: String, keys: String) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (config, keys) = (folder.appending(path: "home.yaml").path, folder.appending(path: "keys.yaml").path)
    try "beacons:\n  - { name: tag, address: C1:00:00:00:00:01 }\nkeys_file: keys.yaml\n"
      .write(toFile: config, atomically: true, encoding: .utf8)
    try "tag: 00000000000000000000000000000001\n".write(toFile: keys, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys)
    return (config, keys)
  }

  @Test func itSaysHowEachKindOfPhoneIsPaired() async throws {
    let result = try await Command(["enrol", "--help"]).end()
    #expect(result.status == 0)
    for word in ["IPHONE", "ANDROID", "WATCH", "--without-number", "two minutes", "locked"] {
      #expect(result.output.contains(word), "\(word)")
    }
  }

  @Test(arguments: [
    (["enrol"], "Which name"), (["enrol", "anna", "--paired"], "a name and an address"),
    (["enrol", "anna", "AC:BC:32:00:00:01"], "needs --paired"),
  ]) func whatItCannotMeanIsRefused(arguments: [String], words: String) async throws {
    let result = try await Command(arguments).end()
    #expect(result.status == 64)
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  /// Nobody can compare a number where nobody types.
  @Test func withoutATerminalItOpensNothing() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (config, keys) = try home()
    let before = try [config, keys].map { try String(contentsOfFile: $0, encoding: .utf8) }
    let result = try await Command(["enrol", "anna", "--config", config, "--add"]).end()
    #expect(result.status == 69)
    #expect(result.errors.contains("needs a terminal"), "\(result.errors)")
    #expect(try [config, keys].map { try String(contentsOfFile: $0, encoding: .utf8) } == before)
  }

  @Test(arguments: [
    ("tag", 78, "already"), ("000102030405060708090a0b0c0d0e0f", 78, "looks like a key"),
  ]) func aNameThatIsTakenOrIsAKeyIsRefusedBeforeAnybodyPairs(name: String, status: Int32, words: String)
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (config, _) = try home()
    let result = try await Command(["enrol", name, "--config", config, "--add"]).end()
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(arguments: [
    "a\nb: c", "\u{1B}[31mred\u{7}", "\u{202E}gnp.exe", "- x", "{a: b}", "#", " ", "'\"`$(id)",
    String(repeating: "ü", count: 20_000),
  ]) func aHostileNameDoesNoHarm(name: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (config, keys) = try home()
    let before = try [config, keys].map { try String(contentsOfFile: $0, encoding: .utf8) }
    let result = try await Command(["enrol", "--config", config, "--add", "--", name]).end()
    #expect(result.isCalm && result.status != 0)
    #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{202E}"))
    #expect(result.errors.utf8.count < 5000)
    #expect(try [config, keys].map { try String(contentsOfFile: $0, encoding: .utf8) } == before)
  }

  /// With a terminal and without an adapter that may be opened.
  @Test func anAdapterThatIsNotThereIsTold() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (config, keys) = try home()
    let before = try String(contentsOfFile: keys, encoding: .utf8)
    let line = "\(Command.binary.path) enrol anna --config \(config) --adapter hci97"
    let result = try await Command(
      ["-qec", line, "/dev/null"], executable: URL(filePath: "/usr/bin/script")
    ).end()
    #expect(result.status == 69 && result.isCalm, "\(result.output)")
    #expect(result.output.contains("beaconkeeper:"), "\(result.output)")
    #expect(try String(contentsOfFile: keys, encoding: .utf8) == before)
  }
}
