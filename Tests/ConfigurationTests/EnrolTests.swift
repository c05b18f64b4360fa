import Beacons
import Core
import Foundation
import Testing
import TestSupport

@testable import Configuration

/// A device's key and its entry are added; what was there stays.
struct EnrolTests {
  private let key = (0..<16).map { UInt8($0) }
  private let folder = FileManager.default.temporaryDirectory.appending(path: "enrol-\(UUID().uuidString)")

  private func file(_ text: String?, mode: Int = 0o600) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "keys.yaml").path
    if let text {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    return path
  }

  @Test(arguments: [nil, "# mine\ntag: 00000000000000000000000000000001 # c\n", "tag: \"01\\\n"])
  func aKeyIsAddedOrNothingIsChanged(before: String?) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file(before)
    guard let keys = try? KeysFile(path: path) else {
      #expect(before?.contains("\\") == true)
      return
    }
    try keys.add("Anna's phone", key)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix(before ?? ""))
    #expect(text.hasSuffix("000102030405060708090a0b0c0d0e0f\"\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: KeysFile.Refusal.self) { try KeysFile(path: path).add("Anna's phone", key) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys.yaml"])
  }

  /// Nobody pairs a device for a key that could then not be kept.
  @Test(arguments: [
    "{ a: 00000000000000000000000000000001 }\n", "a: 00000000000000000000000000000001\n...\n",
  ])
  func `a file that no line can be added to is told before there is a key`(before: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try KeysFile(path: file(before)).obstacle(to: "phone") != nil)
  }

  @Test func `a link to a keys file that is not there is told before there is a key`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file(nil)
    #expect(try KeysFile(path: path).obstacle(to: "phone") == nil)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".gone")
    #expect(try KeysFile(path: path).obstacle(to: "phone") != nil)
  }

  @Test func aFileThatOthersReadIsRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file("a: 00000000000000000000000000000001\n", mode: 0o644)
    #expect(throws: KeysFile.Refusal.self) { try KeysFile(path: path) }
  }

  @Test func aChangeMeanwhileIsNotLost() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file("a: 00000000000000000000000000000001\n")
    let keys = try KeysFile(path: path)
    let other = try KeysFile(path: path)
    try other.add("b", key)
    #expect(throws: KeysFile.Refusal.self) { try keys.add("c", key) }
    #expect(try KeysFile(path: path).obstacle(to: "b") != nil)
  }

  @Test(arguments: [
    ("# mine\ngateway: { name: g } # c\n", "keys_file: keys.yaml\n"),
    (
      "gateway: { name: g }\nkeys_file: keys.yaml\nbeacons:\n  - { name: a, address: C1:00:00:00:00:01 }\n",
      "- { name: phone, irk: phone }\n"
    ),
  ])
  func theDeviceIsAddedToTheConfiguration(before: String, line: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file(nil)
    try KeysFile(path: path).add("phone", key)
    let text = ConfigurationText(
      Array(before.utf8), path: folder.appending(path: "home.yaml").path, environment: [:], hostName: "pi")
    let changed = try text.adding(device: "phone", keysFile: "keys.yaml")
    let after = String(decoding: changed.bytes, as: UTF8.self)
    #expect(after.hasPrefix(before.split(separator: "\n").prefix(1).joined()))
    #expect(after.contains(line))
    #expect(
      changed.configuration.beacons.last
        == BeaconSettings(name: "phone", pattern: .resolvingKey, identityKey: "phone"))
    #expect(changed.configuration.keys["phone"]?.revealed == key)
  }
}
