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
    #expect(refusal.remedy == "every beacon has a name of its own")
    #expect(refusal.yaml == "beacons:\n  - name: tag\n    address: \"C1:00:00:00:00:02\"\n")
  }

  private static let region = "ibeacon: { uuid: 7c0c6b3e-3b1a-4a0e-9f53-1d2f6f0a9a11 }"

  @Test(arguments: [
    (
      "beacons:\n  - name: tag   # all\n    \(region)\nzones: [{ name: z }]\n",
      "beacons:\n  - name: tag   # all\n    \(region)\n    names: { \"1.2\": \"Anna's keys\" }\nzones: [{ name: z }]\n"
    ),
    (
      "beacons: [{ name: tag, \(region), names: { \"1.1\": Ben, \"1.2\": Old } }]\n",
      "beacons: [{ name: tag, \(region), names: { \"1.1\": Ben, \"1.2\": \"Anna's keys\" } }]\n"
    ),
    (
      "beacons:\n  - name: tag\n    \(region)\n    names:\n      1.1: Ben   # the dog\n",
      "beacons:\n  - name: tag\n    \(region)\n    names:\n      1.1: Ben   # the dog\n      \"1.2\": \"Anna's keys\"\n"
    ),
  ])
  func `a member of a region gets a name in the style of the file`(before: String, after: String) throws {
    let changed = try text(before).saying([.name: "Anna's keys"], of: "tag:1.2")
    #expect(String(decoding: changed.bytes, as: UTF8.self) == after)
    #expect(changed.configuration.displayNames["tag:1.2"] == "Anna's keys")
    let taken = try text(after).saying([.name: nil], of: "tag:1.2")
    #expect(taken.configuration.displayNames["tag:1.2"] == nil)
  }

  @Test func `what is no member of a region has no other name than its own`() throws {
    let key = "beacons: [{ name: key, address: C1:00:00:00:00:01 }]"
    #expect(throws: EditRefusal.self) { try text(key).saying([.name: "Anna's keys"], of: "key") }
    let tag = "beacons: [{ name: tag, \(Self.region) }]"
    for name in ["tag", "tag:", "tag:x", "other:1.2"] {
      #expect(throws: EditRefusal.self, "\(name)") { try text(tag).saying([.name: "Anna's keys"], of: name) }
    }
    #expect(throws: EditRefusal.self) { try text(tag).saying([.name: ""], of: "tag:1.2") }
  }

  @Test(arguments: [
    (
      "beacons:\n  - name: key   # mine\n    address: C1:00:00:00:00:01   # grey\n",
      "beacons:\n  - name: key   # mine\n    address: C1:00:00:00:00:01   # grey\n    owner: Anna\n    icon: mdi:key\n"
    ),
    (
      "beacons: [{ name: key, icon: \"mdi:tag\", address: C1:00:00:00:00:01 }]   # all\n",
      "beacons: [{ name: key, icon: mdi:key, address: C1:00:00:00:00:01, owner: Anna }]   # all\n"
    ),
    (
      "{ \"beacons\": [{ \"name\": \"key\", \"address\": \"C1:00:00:00:00:01\" }] }",
      "{ \"beacons\": [{ \"name\": \"key\", \"address\": \"C1:00:00:00:00:01\", \"owner\": \"Anna\", \"icon\": \"mdi:key\" }] }"
    ),
  ])
  func `a beacon gets an owner and an icon in the style of the file`(before: String, after: String) throws {
    let changed = try text(before).saying([.owner: "Anna", .icon: "mdi:key"], of: "key")
    #expect(String(decoding: changed.bytes, as: UTF8.self) == after)
    #expect(changed.configuration.belongings.map(\.owner) == ["Anna"])
    #expect(changed.configuration.beacons[0].said(.icon, of: "key") == "mdi:key")
    #expect(try text(after).saying([.owner: "Anna"], of: "key").bytes == Array(after.utf8))
    let taken = try text(after).saying([.owner: nil, .icon: nil], of: "key")
    #expect(taken.configuration.belongings.isEmpty)
  }

  @Test func `what a region says is said of its members, unless they have their own`() throws {
    let yaml = "beacons: [{ name: tag, \(Self.region), owner: ward 3, icons: { \"1.2\": mdi:bed } }]\n"
    let changed = try text(yaml).saying([.owner: "Anna", .icon: nil], of: "tag:1.2")
    let tag = changed.configuration.beacons[0]
    #expect(tag.said(.owner, of: "tag:1.2") == "Anna" && tag.said(.owner, of: "tag:1.1") == "ward 3")
    #expect(tag.said(.icon, of: "tag:1.2") == nil && tag.icons.isEmpty)
    #expect(
      String(decoding: changed.bytes, as: UTF8.self)
        == "beacons: [{ name: tag, \(Self.region), owner: ward 3, owners: { \"1.2\": \"Anna\" } }]\n")
  }

  @Test(arguments: [
    "key", "mdi:", "mdi:Key", "mdi:a b", "fa:key", "mdi:" + String(repeating: "a", count: 61),
  ])
  func `what is no icon of Home Assistant is refused`(icon: String) throws {
    let yaml = "beacons: [{ name: key, address: C1:00:00:00:00:01 }]\n"
    #expect(throws: EditRefusal.self) { try text(yaml).saying([.icon: icon], of: "key") }
    #expect(throws: EditRefusal.self) { try text(yaml).saying([.icon: "mdi:key"], of: "other") }
  }

  @Test func `people's name for a beacon leads to the published one, and a published one to itself`() throws {
    let names = "names: { \"1.1\": Ben, \"1.2\": key, \"1.3\": Ben, \"1.4\": Anna }"
    let configuration = try text(
      "beacons: [{ name: tag, \(Self.region), \(names) }, { name: key, address: C1:00:00:00:00:01 }]"
    ).loaded().configuration
    #expect(configuration.beacons(called: "Anna") == ["tag:1.4"])
    #expect(configuration.beacons(called: "Ben") == ["tag:1.1", "tag:1.3"])
    for name in ["key", "tag:1.4", "long gone"] { #expect(configuration.beacons(called: name) == [name]) }
  }

  @Test func aKeyCannotBeAddedHere() {
    #expect(throws: EditRefusal.self) { try text("").adding(beacon: "phone", .resolvingKey) }
  }
}
