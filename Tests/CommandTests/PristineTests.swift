import Configuration
import Foundation
import Testing

@testable import beaconkeeper

/// Right after the package was installed, its configuration is nobody's.
@Suite struct PristineTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pristine-\(UUID())")

  private func ask(package: String?, existing: String) throws -> SetupFault? {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, pristine) = (folder.path + "/beaconkeeper.yaml", folder.path + "/package.yaml")
    try Data(existing.utf8).write(to: URL(fileURLWithPath: path))
    if let package { try Data(package.utf8).write(to: URL(fileURLWithPath: pristine)) }
    let surroundings = InitSurroundings(
      conversation: Conversation(isAllowed: false), captures: [], seconds: 0)
    var writer = SetupWriter(
      placement: Placement(path: path, hasService: false), isForced: false, surroundings: surroundings)
    writer.pristine = pristine
    do throws(SetupFault) {
      try writer.askToReplace(path, keeping: "")
      return nil
    } catch {
      return error
    }
  }

  @Test func `an untouched configuration of the package is replaced unasked`() throws {
    #expect(try ask(package: "broker: embedded\n", existing: "broker: embedded\n") == nil)
  }

  @Test func `an edited one, or one without a package, is not`() throws {
    #expect(try ask(package: "broker: embedded\n", existing: "broker: embedded\n# mine\n") != nil)
    #expect(try ask(package: nil, existing: "") != nil)
  }
}
