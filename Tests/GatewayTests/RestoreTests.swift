import Core
import Foundation
import Outbox
import Testing

@testable import Gateway

/// A backup that is whole, but that its writer made to do harm.
@Suite struct RestoreTests {
  @Test func `a file that the configuration does not name is not put beside it`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restore-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws -> String {
      let place = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: place)
      #expect(chmod(place.path, 0o600) == 0)
      return place.path
    }
    let keys = "anna: 00112233445566778899aabbccddeeff\n"
    for (name, former) in [
      ("keys.yaml", "/etc/other/a.yaml"), ("keys.yaml", "/a.yaml"), ("keys.yaml", folder.path + "/a.yaml"),
      ("backup.sh", "/etc/other/a.yaml"),
    ] {
      let file = folder.appendingPathComponent("\(UUID()).backup").path
      let writer = try BackupWriter(path: file)
      try writer.add(
        "configuration/a.yaml",
        contentsOf: write(
          "a.yaml",
          "gateway: { state_directory: \(folder.path)/state }\nbroker: embedded\nkeys_file: keys.yaml\n"))
      try writer.add("configuration/keys.yaml", contentsOf: write("keys.yaml", keys))
      if name != "keys.yaml" { try writer.add("configuration/\(name)", contentsOf: write(name, "evil\n")) }
      _ = try writer.finish([
        "version": "1", "gateway": "a", "configuration": "configuration/a.yaml", "path": former,
      ])
      let home = folder.appendingPathComponent("home")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      let own = home.appendingPathComponent(name)
      try Data("mine\n".utf8).write(to: own)
      var restore = try Restore(
        BackupReader(path: file), path: home.path + "/a.yaml", withElsewhere: true,
        time: WallTime(nanoseconds: 0)
      )
      if name == "keys.yaml" {
        #expect(throws: Never.self) { try restore.run() }
        #expect(try String(contentsOf: own, encoding: .utf8) == keys)
      } else {
        #expect(throws: BackupFault.self) { try restore.run() }
        #expect(try String(contentsOf: own, encoding: .utf8) == "mine\n")
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: home.path).allSatisfy { !$0.hasSuffix("-new") })
      }
      try FileManager.default.removeItem(at: home)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a configuration that was replaced while the gateway began is read again`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("replaced-\(UUID()).yaml")
    try Data("gateway: { name: a }\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let reloads = await ReloadRequests(of: file.path)
    // Kept under another name, as a restore does, so that the new file is not in its place on disk.
    try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("kept"))
    defer { try? FileManager.default.removeItem(at: file.appendingPathExtension("kept")) }
    try Data("gateway: { name: a }\n".utf8).write(to: file)
    reloads.askIfReplaced()
    // Other tests send the signal that asks for the same.
    let asked = AsyncStream.makeStream(of: Void.self)
    let reading = Task { await reloads.forEach { _ in asked.continuation.yield() } }
    defer { reading.cancel() }
    for await _ in asked.stream { break }
  }
}
