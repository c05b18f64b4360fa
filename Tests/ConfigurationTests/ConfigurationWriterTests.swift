@testable import Configuration
import Foundation
import Testing

@Suite struct ConfigurationWriterTests {
  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func aFileIsReplacedWithItsModeAndLeavesNothingBeside() throws {
    let folder = try Folder()
    let path = try folder.write("a: 1\n", to: "c.yaml", mode: 0o640)
    let writer = ConfigurationWriter(path: path)
    let revision = try writer.replace(revision: writer.read().revision, with: Array("a: 2\n".utf8))
    #expect(try content(path) == "a: 2\n")
    #expect(try writer.read().revision == revision)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["c.yaml"])
  }

  @Test func aLinkStaysALink() throws {
    let folder = try Folder()
    let path = try folder.write("a: 1\n", to: "real.yaml")
    let link = folder.path + "/link.yaml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.yaml")
    let writer = ConfigurationWriter(path: link)
    _ = try writer.replace(revision: writer.read().revision, with: Array("a: 2\n".utf8))
    #expect(try content(path) == "a: 2\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real.yaml")
  }

  @Test func anotherRevisionIsNotOverwritten() throws {
    let folder = try Folder()
    let path = try folder.write("a: 1\n", to: "c.yaml")
    let writer = ConfigurationWriter(path: path)
    let seen = try writer.read().revision
    try folder.write("a: 5\n", to: "c.yaml")
    let refusal = try #require(throws: ConfigurationWriter.Refusal.self) {
      try writer.replace(revision: seen, with: Array("a: 2\n".utf8))
    }
    #expect(refusal.isConflict)
    #expect(try content(path) == "a: 5\n")
  }

  @Test func changesAreTakenBackOneByOne() throws {
    let folder = try Folder()
    let path = try folder.write("a: 0\n", to: "c.yaml")
    let writer = ConfigurationWriter(path: path)
    #expect(!writer.canUndo)
    var revision = try writer.read().revision
    for number in 1...25 {
      revision = try writer.replace(revision: revision, with: Array("a: \(number)\n".utf8))
    }
    for number in (5..<25).reversed() {
      _ = try writer.undo()
      #expect(try content(path) == "a: \(number)\n")
    }
    #expect(!writer.canUndo)
    #expect(throws: ConfigurationWriter.Refusal.self) { try writer.undo() }
  }

  /// Whoever is root may write everywhere.
  @Test(.enabled(if: geteuid() != 0))
  func aFolderThatCannotBeWrittenIsToldBefore() throws {
    let folder = try Folder()
    let path = try folder.write("a: 0\n", to: "c.yaml")
    let writer = ConfigurationWriter(path: path)
    #expect(writer.obstacle == nil)
    let place = String(path[..<path.lastIndex(of: "/")!])
    #expect(chmod(place, 0o500) == 0)
    defer { chmod(place, 0o700) }
    #expect(writer.obstacle?.remedy?.contains("sudo chown") == true)
  }

  @Test func undoNeverLosesSomebodyElsesEdit() throws {
    let folder = try Folder()
    let path = try folder.write("a: 1\n", to: "c.yaml")
    let writer = ConfigurationWriter(path: path)
    _ = try writer.replace(revision: writer.read().revision, with: Array("a: 2\n".utf8))
    try folder.write("a: 7\n", to: "c.yaml")
    #expect(try #require(throws: ConfigurationWriter.Refusal.self) { try writer.undo() }.isConflict)
    #expect(try content(path) == "a: 7\n")
  }

  @Test func anUnwritableFileIsRefusedWithARemedy() throws {
    let missing = try #require(throws: ConfigurationWriter.Refusal.self) {
      try ConfigurationWriter(path: "/no/such.yaml").read()
    }
    #expect(missing.reason.contains("no such file"))
    // The kernel's folders hold no new files, not even root's.
    let path = "/proc/self/comm"
    let writer = ConfigurationWriter(path: path)
    let refusal = try #require(throws: ConfigurationWriter.Refusal.self) {
      try writer.replace(revision: writer.read().revision, with: [])
    }
    #expect(refusal.reason.contains(path))
    #expect(!refusal.isConflict)
  }
}
