import Beacons
@testable import Configuration
import Core
import Testing

@Suite struct BeaconEditTests {
  private let key = BeaconPattern.address(0xC100_0000_0002)
  private let block = "- name: tag\n    address: \"C1:00:00:00:00:02\"\n"

  @Test(arguments: [
    (
      "beacons:\n  - name: a   # mine\n    address: C1:00:00:00:00:01   # grey\n\n# next\nzones: [{ name: z }]\n",
      "beacons:\n  - name: a   # mine\n    address: C1:00:00:00:00:01   # grey\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n\n# next\nzones: [{ name: z }]\n"
    ),
    (
      "beacons:\n- { name: a, address: C1:00:00:00:00:01 }",
      "beacons:\n- { name: a, address: C1:00:00:00:00:01 }\n- { name: tag, address: \"C1:00:00:00:00:02\" }"
    ),
    (
      "beacons: [{ name: a, address: C1:00:00:00:00:01 }]\n",
      "beacons: [{ name: a, address: C1:00:00:00:00:01 }, { name: tag, address: \"C1:00:00:00:00:02\" }]\n"
    ),
    (
      "beacons:   # none yet\n  # - name: b\nzones: [{ name: z }]\n",
      "beacons:   # none yet\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n  # - name: b\nzones: [{ name: z }]\n"
    ),
    ("beacons: ~\n", "beacons: [{ name: tag, address: \"C1:00:00:00:00:02\" }]\n"),
    (
      "gateway: { name: g }\r\n# end",
      "gateway: { name: g }\r\n# end\r\n\r\nbeacons:\r\n  - name: tag\r\n    address: \"C1:00:00:00:00:02\"\r\n"
    ),
    (
      "{ zones: [{ name: z }] }",
      "{ zones: [{ name: z }], beacons: [{ name: tag, address: \"C1:00:00:00:00:02\" }] }"
    ),
    ("# nothing\n", "# nothing\n\nbeacons:\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n"),
    ("", "beacons:\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n"),
  ])
  func anEntryIsAddedInTheStyleOfTheList(before: String, after: String) throws {
    let changed = try text(before).adding(beacon: "tag", key)
    #expect(String(decoding: changed.bytes, as: UTF8.self) == after)
    #expect(changed.configuration.beacons.last == BeaconSettings(name: "tag", pattern: key))
  }

  @Test(arguments: [
    BeaconPattern.iBeacon(uuid: 7, major: 1, minor: 2), .iBeacon(uuid: 7),
    .altBeacon(idPrefix: Array(0..<20)),
    .eddystoneUID(namespace: 5, instance: 6), .eddystoneURL("https://a.example/#x"), .address(1),
  ])
  func everyPatternIsReadAgain(pattern: BeaconPattern) throws {
    let changed = try text("beacons:\n  - { name: a, address: C1:00:00:00:00:01 }\n").adding(
      beacon: "on: the \"desk\" #1", pattern)
    #expect(changed.configuration.beacons.last?.pattern == pattern)
    #expect(changed.lines.hasPrefix("  - { name: \"on: the \\\"desk\\\" #1\", "))
  }

  @Test func aNameThatIsTakenIsRefused() throws {
    let refusal = try #require(throws: EditRefusal.self) {
      try text("beacons: [{ name: tag, address: C1:00:00:00:00:01 }]").adding(beacon: "tag", key)
    }
    #expect(refusal.reason.contains("is there already"))
    #expect(refusal.yaml == "beacons:\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n")
  }

  @Test func aKeyCannotBeAddedHere() {
    #expect(throws: EditRefusal.self) { try text("").adding(beacon: "phone", .resolvingKey) }
  }
}
