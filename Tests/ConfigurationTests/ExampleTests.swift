import Beacons
@testable import Configuration
import Core
import Foundation
import Phones
import Proximity
import Testing

@Suite struct ExampleTests {
  static let path = configFolder.appendingPathComponent("beaconkeeper.yaml").path

  /// The built-in configuration has another name, and would take what this gateway left for another one's.
  @Test func `an empty file, as a power cut leaves it, is refused`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml").path
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(throws: ConfigurationErrors.self) { try Configuration.load(path: path) }
    try Data("# all is at its default\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try Configuration.load(path: path).configuration.beacons.isEmpty)
    #expect(try Configuration.load(path: "/dev/null").configuration.beacons.isEmpty)
  }

  @Test func isReadWithoutAWarning() throws {
    let loaded = try Configuration.load(path: Self.path)
    #expect(loaded.warnings == [])
  }

  @Test func itsValuesAreTheDocumentedOnes() throws {
    let configuration = try Configuration.load(path: Self.path).configuration
    #expect(configuration.gatewayName == "home")
    #expect(configuration.broker == .embedded)
    #expect(configuration.receivers.map(\.name) == ["hci0"])
    #expect(configuration.receivers.map(\.calibration.exponent) == [2.2])
    #expect(configuration.beacons.map(\.name) == ["fleet", "van", "key"])
    let uuid: UInt128 = 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425
    #expect(
      configuration.beacons.map(\.pattern) == [
        .iBeacon(uuid: uuid), .iBeacon(uuid: uuid, major: 1, minor: 2), .address(0xC100_0000_0001),
      ])
    #expect(configuration.beacons[2].measuredPower == -62)
    let pump = try #require(configuration.zones.first)
    #expect(
      pump
        == ZoneSettings(
          name: "pump-3", receivers: ["hci0"], beacons: ["fleet", "van"],
          near: NearRule(
            rule: Rule(threshold: .distance(1.5), dwell: .seconds(2)), rearm: .distance(4)),
          enter: Rule(threshold: .distance(6), dwell: .seconds(3)),
          exit: Rule(threshold: .distance(9), dwell: .seconds(10)), lost: .auto))
    #expect(configuration.zones[1].enter.threshold == .signal(-127))
    #expect(configuration.zones[1].lost == .after(.seconds(180)))
  }

  @Test func withEveryCommentedKeyTakenInIsStillRead() throws {
    let folder = try Folder()
    try folder.write(
      "annas-phone: 00112233445566778899aabbccddeeff\ncellar-sensor: \(String(repeating: "0", count: 32))",
      to: "keys.yaml")
    try folder.write(
      #"{"v":1,"time":"2026-11-20T21:50:03Z","rooms":[],"wall_loss_db":4.5,"receivers":[]}"#, to: "rooms.json"
    )
    var text = try String(contentsOfFile: Self.path, encoding: .utf8)
    for line in [
      "keys_file: keys.yaml", "adapter:", "measured_power: -59", "- name: museum", "  eddystone:",
      "- name: crate", "  altbeacon:", "- name: anna", "  irk:", "- name: cellar", "  address: A4",
      "  bind_key:", "diary: { days: 90",
    ] {
      #expect(text.contains("# \(line)"))
      text = text.replacing("# \(line)", with: line)
    }
    let phones = try #require(text.firstRange(of: "# phones:"))
    let end = try #require(text.firstRange(of: "\n# A rotation of wake"))
    let section = text[phones.lowerBound..<end.lowerBound].split(separator: "\n").map { $0.dropFirst(2) }
    text.replaceSubrange(phones.lowerBound..<end.lowerBound, with: section.joined(separator: "\n") + "\n")
    let rooms = try #require(text.firstRange(of: "# rooms:"))
    let roomsEnd = try #require(text.firstRange(of: "\n\n# Would a phone's own app"))
    let roomLines = text[rooms.lowerBound..<roomsEnd.lowerBound].split(separator: "\n").map {
      $0.dropFirst(2)
    }
    text.replaceSubrange(
      rooms.lowerBound..<roomsEnd.lowerBound, with: roomLines.joined(separator: "\n") + "\n")
    // That file is made by a walk.
    text = text.replacing("\ncalibration:", with: "\n# calibration:")
    let wake = try #require(text.firstRange(of: "# wake:"))
    let wakeEnd = try #require(text.firstRange(of: "\n# How often"))
    let lines = text[wake.lowerBound..<wakeEnd.lowerBound].split(separator: "\n").map { $0.dropFirst(2) }
    text.replaceSubrange(wake.lowerBound..<wakeEnd.lowerBound, with: lines.joined(separator: "\n") + "\n")
    let http = try #require(text.firstRange(of: "# http:"))
    let httpEnd = try #require(text.firstRange(of: "\n\n# Counters for Prometheus"))
    let httpLines = text[http.lowerBound..<httpEnd.lowerBound].split(separator: "\n").map { $0.dropFirst(2) }
    text.replaceSubrange(
      http.lowerBound..<httpEnd.lowerBound,
      with: httpLines.joined(separator: "\n").replacing("/etc/beaconkeeper", with: folder.path))
    for (name, words) in [
      ("http-password", "look, look, look"), ("http-write-password", "turn, turn, turn"), ("gate.pem", ""),
      ("gate.key", ""),
    ] {
      try folder.write(words, to: name)
    }
    let path = try folder.write(text, to: "beaconkeeper.yaml")
    let loaded = try Configuration.load(path: path)
    #expect(loaded.warnings.filter { $0.message.contains("password") } == [])
    #expect(loaded.configuration.http?.tls?.keyFile == folder.path + "/gate.key")
    #expect(loaded.configuration.http?.hosts == ["gate.lan"])
    #expect(loaded.configuration.beacons.count == 7)
    #expect(loaded.warnings.filter { $0.message.contains("room") } == [])
    #expect(loaded.configuration.rooms.map(\.name) == ["kitchen", "hall"])
    #expect(loaded.configuration.rooms.map(\.floor) == ["ground", "ground"])
    #expect(loaded.configuration.doors.count == 1)
    #expect(loaded.configuration.phones.map(\.name) == ["anna"])
    #expect(loaded.configuration.wake?.identities.first?.minor == 101)
    #expect(loaded.configuration.wake?.audience?.hasPrefix("background-task on ios17 (observed)") == true)
    #expect(loaded.configuration.profiles.strategies().contains { $0.name == "careless" })
    #expect(loaded.configuration.keys.keys.sorted() == ["annas-phone", "cellar-sensor"])
  }
}
