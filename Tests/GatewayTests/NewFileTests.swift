import Foundation
import Testing

@testable import Gateway

@Suite struct NewFileTests {
  @Test func `what a crash left under the same process number blocks nothing`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("new-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("rooms.json").path
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(path).\(getpid()).new"))
    try NewFile(path: path, mode: 0o644).write("whole", .isDropped)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["rooms.json"])
  }
}
