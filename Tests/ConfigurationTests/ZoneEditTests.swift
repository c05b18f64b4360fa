import Beacons
@testable import Configuration
import Core
import Proximity
import Testing

/// A text with a zone `z`, and what becomes of it.
struct Edit: CustomTestStringConvertible, Sendable {
  var before: String
  var after: String
  var change: @Sendable (inout ZoneSettings) -> Void

  init(_ before: String, _ after: String, _ change: @escaping @Sendable (inout ZoneSettings) -> Void) {
    (self.before, self.after, self.change) = (before, after, change)
  }

  var testDescription: String { before.replacing("\n", with: "⏎") }
}

func text(_ yaml: String) -> ConfigurationText {
  ConfigurationText(Array(yaml.utf8), path: "/test.yaml", environment: [:], hostName: "pi")
}

/// The text after its zone `z` was changed.
func edited(_ yaml: String, _ change: (inout ZoneSettings) -> Void) throws -> String {
  var zone = try #require(try read(yaml).configuration.zones.first { $0.name == "z" })
  change(&zone)
  return String(decoding: try text(yaml).changing(zone).bytes, as: UTF8.self)
}

@Suite struct ZoneEditTests {
  @Test(arguments: [
    Edit("zones: [{ name: z, enter: 6 m }]", "zones: [{ name: z, enter: 7 m }]") {
      $0.enter.threshold = .distance(7)
      $0.exit.threshold = .distance(10.5)
    },
    Edit(
      "zones:\n  - name: z   # here\n    near: { distance: 1.5 m, dwell: 2 s, rearm: 4 m }  # as measured\n    enter: 6 m\n",
      "zones:\n  - name: z   # here\n    near: { distance: 2 m, dwell: 2.5 s, rearm: 4 m }  # as measured\n    enter: 6 m\n"
    ) { $0.near?.rule = Rule(threshold: .distance(2), dwell: .milliseconds(2500)) },
    Edit(
      "zones:\n- name: z\n  enter: '6 m'\n  exit: \"9 m\"",
      "zones:\n- name: z\n  enter: '5 m'\n  exit: \"8 m\""
    ) {
      $0.enter.threshold = .distance(5)
      $0.exit.threshold = .distance(8)
    },
    Edit(
      "zones:\r\n  - name: z\r\n    enter:\r\n      distance: 6m # c\r\n    # end\r\n",
      "zones:\r\n  - name: z\r\n    enter:\r\n      signal: -70 dBm # c\r\n      dwell: 5 s\r\n    exit: -80 dBm\r\n    # end\r\n"
    ) {
      $0.enter = Rule(threshold: .signal(-70), dwell: .seconds(5))
      $0.exit.threshold = .signal(-80)
    },
  ])
  func onlyChangedValuesAreReplaced(_ edit: Edit) throws {
    #expect(try edited(edit.before, edit.change) == edit.after)
  }

  @Test(arguments: [
    // Its default follows from near, which changes.
    Edit(
      "zones: [{ name: z, near: 2 m }]",
      "zones: [{ name: z, near: { distance: 3 m, rearm: 4 m }, enter: 4 m }]"
    ) { $0.near?.rule.threshold = .distance(3) },
    Edit(
      "zones:\n  - name: z\n    near: 2 m # n\n",
      "zones:\n  - name: z\n    near: { distance: 2 m, dwell: 1 s } # n\n"
    ) { $0.near?.rule.dwell = .seconds(1) },
    Edit(
      "zones:\n  - name: z\n    # places\n    enter:\n        distance: 6 m\n\n  - name: y\n    enter: 3 m\n",
      "zones:\n  - name: z\n    near:\n        distance: 2 m\n        dwell: 2 s\n        rearm: 5 m\n"
        + "    # places\n    enter:\n        distance: 6 m\n\n  - name: y\n    enter: 3 m\n"
    ) {
      $0.near = NearRule(rule: Rule(threshold: .distance(2), dwell: .seconds(2)), rearm: .distance(5))
    },
    Edit(
      "zones:\n  - name: z\n    beacons: []\n".replacing("    beacons: []\n", with: ""),
      "zones:\n  - name: z\n    enter: 4 m\n    exit: { distance: 9 m, lost: 45 s }\n"
    ) {
      $0.enter.threshold = .distance(4)
      $0.exit.threshold = .distance(9)
      $0.lost = .after(.seconds(45))
    },
    Edit("zones: [{ name: z, exit: {} }]", "zones: [{ name: z, exit: { lost: 30 s } }]") {
      $0.lost = .after(.seconds(30))
    },
    Edit(
      "zones: [{ name: z, enter: 3 m }] # end",
      "zones: [{ name: z, enter: { distance: 3 m, dwell: 500 ms } }] # end"
    ) { $0.enter.dwell = .milliseconds(500) },
    Edit(
      #"{"zones":[{"name":"z","enter":{"distance":"6 m"}}]}"#,
      #"{"zones":[{"name":"z","enter":{"distance":"5 m", "dwell": "1 s"}, "exit": "9 m"}]}"#
    ) {
      $0.enter = Rule(threshold: .distance(5), dwell: .seconds(1))
      $0.exit.threshold = .distance(9)
    },
    Edit("zones: [{ name: z }]", "zones: [{ name: z, enter: { signal: -127 dBm, dwell: 8 s } }]") {
      $0.enter.dwell = .seconds(8)
    },
    // It was weaker than a file can say.
    Edit("zones: [{ name: z }]", "zones: [{ name: z, enter: -70 dBm, exit: -127 dBm }]") {
      $0.enter.threshold = .signal(-70)
    },
  ])
  func whatIsMissingIsAdded(_ edit: Edit) throws {
    #expect(try edited(edit.before, edit.change) == edit.after)
  }

  @Test(arguments: [
    ("zones: [{ name: z, near: 2 m, enter: 6 m }]", "zones: [{ name: z, enter: 6 m }]"),
    ("zones: [{ name: z, enter: 6 m, near: 2 m }]", "zones: [{ name: z, enter: 6 m }]"),
    ("zones: [{ near: { distance: 2 m }, name: z }]", "zones: [{ name: z, enter: 4 m }]"),
    (
      "zones:\n  - name: z\n    # quite close\n    near: 2 m   # pump\n    enter: 6 m\n",
      "zones:\n  - name: z\n    # quite close\n    # pump\n    enter: 6 m\n"
    ),
    (
      "zones:\n  - name: z\n    near:\n      # measured: \"#1\"\n      distance: '2 m' # a\n      dwell: 2 s\n    enter: 6 m\n",
      "zones:\n  - name: z\n    # measured: \"#1\"\n    # a\n    enter: 6 m\n"
    ),
    (
      "zones:\n  - near:\n      distance: 2 m # a\n    # b\n    name: z\n    enter: 6 m",
      "zones:\n  # a\n  # b\n  - name: z\n    enter: 6 m"
    ),
    ("zones:\n  - near: 2 m\n    name: z\n    enter: 6 m", "zones:\n  - name: z\n    enter: 6 m"),
    ("zones:\n  - name: z\n    enter: 6 m\n    near: 2 m", "zones:\n  - name: z\n    enter: 6 m\n"),
    (
      "zones: [{\n  name: z,\n  near: 2 m,  # pump\n  enter: 6 m }]",
      "zones: [{\n  name: z,\n  # pump\n  enter: 6 m }]"
    ),
    ("zones: [{\n  name: z,\n  near: 2 m,\n  enter: 6 m }]", "zones: [{\n  name: z,\n  enter: 6 m }]"),
    (
      "zones: [{ name: z, enter: 6 m, # c\n  near: 2 m }]", "zones: [{ name: z, enter: 6 m # c\n }]"
    ),
  ])
  func nearIsRemovedAndItsCommentsStay(before: String, after: String) throws {
    #expect(try edited(before) { $0.near = nil } == after)
  }

  @Test(arguments: [
    ("enter: 150 cm", 1.8, "enter: 180 cm"), ("enter: 1.5m", 2.25, "enter: 2.25m"),
    ("enter: 0.5 m", 0.7, "enter: 0.7 m"),
    ("enter: 6 m", 0.05, "enter: 5 cm"), ("enter: 6 m", 2.0 / 3, "enter: 0.667 m"),
    ("enter: 0.9 km", 500.0, "enter: 0.5 km"),
    ("enter: 0.9 km", 5.0, "enter: 5 m"),
  ])
  func measuresKeepTheirUnit(before: String, metres: Double, after: String) throws {
    let changed = try edited("zones: [{ name: z, \(before), exit: 1000 m }]") {
      $0.enter.threshold = .distance(metres)
    }
    #expect(changed == "zones: [{ name: z, \(after), exit: 1000 m }]")
  }

  @Test func aZoneOfRoomsHasDwellTimes() throws {
    let rooms = "rooms: [{ name: hall, receivers: [a] }]\nzones:\n  - { name: z, room: hall }\n"
    #expect(
      try edited(rooms) { $0.enter.dwell = .seconds(4) }
        == rooms.replacing("hall }\n", with: "hall, enter: { dwell: 4 s } }\n"))
    let refusal = try #require(throws: EditRefusal.self) {
      try edited(rooms) { $0.near = NearRule(rule: $0.enter, rearm: .signal(-80)) }
    }
    #expect(refusal.reason.contains("a room says nothing of distance"))
  }

  @Test func theLinesOfTheEntryAreGiven() throws {
    let yaml = "zones:\n  - name: a\n  - name: z\n    enter:\n      distance: 6 m # c\n\n# end\n"
    var zone = try read(yaml).configuration.zones[1]
    zone.enter.dwell = .seconds(4)
    let changed = try text(yaml).changing(zone)
    #expect(changed.lines == "  - name: z\n    enter:\n      distance: 6 m # c\n      dwell: 4 s\n")
    #expect(changed.configuration.zones[1] == zone)
  }

  @Test(arguments: [
    ("zones: [{ name: z, enter: &a 6 m }]", "anchors (&)"),
    ("zones: [{ name: z, enter: 6 m }]\n---\nzones: []", "another document"),
    ("a: &a { x: 1 }\nzones: [{ <<: *a, name: z }]", "anchors (&)"),
    ("zones: [{ name: z, enter: 7 furlongs }]", "furlongs"),
  ])
  func anUnreadableConfigurationIsNotEdited(yaml: String, words: String) throws {
    let zone = ZoneSettings(
      name: "z", enter: Rule(threshold: .distance(6), dwell: .seconds(3)),
      exit: Rule(threshold: .distance(9), dwell: .seconds(10)))
    let refusal = try #require(throws: EditRefusal.self) { try text(yaml).changing(zone) }
    #expect("\(refusal.diagnostics)".contains(words), "\(refusal.diagnostics)")
    #expect(
      refusal.yaml?.hasPrefix("zones:\n  - name: z\n    enter: { distance: 6 m, dwell: 3 s }\n") == true)
  }

  @Test(arguments: [
    "zones: [{ name: z, enter: !!str 6 m }]", "zones:\n  - name: z\n    enter: >-\n      6 m\n",
    "zones: [!!map { name: z, enter: 6 m }]", "zones: [name: z]",
  ])
  func anUnsafeEditIsRefusedWithTheLinesToPaste(yaml: String) throws {
    let refusal = try #require(throws: EditRefusal.self) {
      try edited(yaml) { $0.enter = Rule(threshold: .distance(5), dwell: .seconds(9)) }
    }
    #expect(refusal.reason.hasPrefix("this cannot be changed here"))
    #expect(refusal.yaml?.contains("enter: { distance: 5 m, dwell: 9 s }") == true)
  }

  @Test func anInvalidEditIsReportedWithItsPosition() throws {
    let refusal = try #require(throws: EditRefusal.self) {
      try edited("zones: [{ name: z, enter: 6 m, exit: 9 m }]") { $0.exit.threshold = .distance(5) }
    }
    #expect(refusal.diagnostics.map(\.mark) == ["1:38 error"])
    #expect(refusal.reason.contains("must be farther than enter"))
  }

  @Test func pastedZonesReadBackAsTheSameZones() throws {
    let yaml = """
      rooms: [{ name: hall, receivers: [a] }]
      beacons: [{ name: "b: 1", address: C1:00:00:00:00:01 }]
      zones:
        - { name: pump-3, receivers: [hci0], beacons: ["b: 1"], near: { distance: 1.5 m, dwell: 2 s, rearm: 4 m } }
        - { name: house }
        - { name: "yes", enter: -70 dBm, exit: { dwell: 1 min, lost: 2 h } }
        - { name: inside, rooms: [hall], enter: { dwell: 3 s } }
      """
    let zones = try read(yaml).configuration.zones
    let pasted = zonesYAML(zones)
    let rest = yaml.split(separator: "\n").prefix(2).joined(separator: "\n")
    #expect(try read("\(rest)\n\(pasted)").configuration.zones == zones)
    #expect(
      pasted.hasPrefix(
        """
        zones:
          - name: pump-3
            receivers: [hci0]
            beacons: ["b: 1"]
            near: { distance: 1.5 m, dwell: 2 s, rearm: 4 m }
            enter: { distance: 3 m, dwell: 3 s }
            exit: { distance: 4.5 m, dwell: 10 s, lost: auto }
        """))
    #expect(zonesYAML([]) == "")
  }
}
