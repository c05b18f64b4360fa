@testable import Configuration
import Testing

/// One fault, with ▸ where it must be found, and words that its message and hint must have.
struct Fault: CustomTestStringConvertible, Sendable {
  var marked: String
  var severity: Diagnostic.Severity
  var words: [String]
  /// Warnings that come beside it.
  var warnings = 0

  init(_ marked: String, _ severity: Diagnostic.Severity, _ words: String...) {
    self.marked = marked
    self.severity = severity
    self.words = words
  }

  init(_ marked: String, _ words: String...) {
    self.marked = marked
    self.severity = .error
    self.words = words
  }

  var yaml: String { marked.replacing("▸", with: "") }

  var position: Diagnostic.Position {
    let lines = marked.prefix { $0 != "▸" }.split(separator: "\n", omittingEmptySubsequences: false)
    return .init(line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1)
  }

  var testDescription: String { marked.replacing("\n", with: "⏎") }
}

private func zone(_ rules: String) -> String { "zones: [{ name: z, \(rules) }]" }
private func beacon(_ keys: String) -> String { "beacons: [{ name: b, \(keys) }]" }
private func receiver(_ keys: String) -> String { "receivers: [{ name: r, \(keys) }]" }
private let uuid = "F29DC74A-DBBD-12DE-318A-C8B046DD4425"

@Suite struct DiagnosticTests {
  @Test(arguments: [
    Fault("▸zoness: []", "“zoness” is not a known key", "did you mean zones?"),
    Fault("▸robots: []", "“robots” is not a known key", "known here:", "beacons", "zones"),
    Fault("gateway: ▸home", "gateway must be a mapping", "{ name: forecourt }"),
    Fault("▸- a", "must be a mapping", "not a list"),
    Fault("gateway: { name: ▸[a] }", "name must be a single value, not a list"),
    Fault("gateway: { name: ▸}", "name has no value"),
    Fault("gateway: { name: ▸\"a\\nb\" }", "cannot be a name", "U+A"),
    Fault("gateway: { name: ▸\"Wohn\\u00ADzimmer\" }", "cannot be a name", "U+AD"),
    Fault("gateway: { name: ▸\"a\\u200Db\" }", "cannot be a name", "U+200D"),
    Fault(
      "gateway: { name: ▸\(String(repeating: "ก", count: 22)) }", "cannot be a name",
      "at most 64 bytes; it has 66"),
    Fault("gateway: { name: ▸!secret a }", "tags such as !secret are not used here"),
    Fault("zones: ▸!include zones.yaml", "tags such as !include are not used here"),
    Fault("zones: ▸!x [{ name: a }]", "tags such as !x are not used here"),
    Fault("home_assistant: ▸!y { discovery: true }", "tags such as !y are not used here"),
    Fault("gateway: { name: ▸\"${HOSTNAME}\" }", .warning, "variables are not replaced here"),
    Fault("gateway: { name: ▸“home” }", .warning, "the quotes “ and ” are part of it"),
    Fault(
      "broker: { url: mqtt://localhost, username: ▸\"{USER}\" }", .warning, "variables are not replaced here"),
    Fault("zones: ▸{}", "zones must be a list, not a mapping"),
    Fault("zones: ▸[]", "zones is an empty list"),
    Fault("zones: [▸{ enter: 3 m }]", "name is missing here"),
    Fault("zones: [{ name: ▸not_home }]", "cannot be called not_home", "in no zone"),
  ])
  func shape(_ fault: Fault) { expectOne(fault) }

  @Test(arguments: ["اتاق\u{200C}خواب", "ශ්\u{200D}රී", "👨\u{200D}👩\u{200D}👧", "!!str home"])
  func `names may be of any language`(name: String) {
    #expect(diagnose("gateway: { name: \(name) }").isEmpty)
  }

  @Test func `a name has the same octets whether its letters are composed or not`() throws {
    let names = try ["K\u{FC}che", "Ku\u{308}che"].map {
      let configuration = try read("gateway: { name: \($0) }\nzones: [{ name: \($0) }]").configuration
      return (configuration.gatewayName, configuration.zones[0].name)
    }
    for (gateway, zone) in names {
      #expect(Array(gateway.utf8) == Array("K\u{FC}che".utf8) && Array(zone.utf8) == Array(gateway.utf8))
    }
  }

  @Test func anotherProgramsNameIsNotCalledKnown() {
    let told = diagnose("broker: { host: broker.lan, robots: 3 }")
    #expect(told.first?.hint == "here it is called url")
    let known = told.first { $0.message.contains("robots") }?.hint ?? ""
    #expect(known.hasPrefix("known here: ") && known.contains("url") && !known.contains("host"), "\(known)")
  }

  /// What another program calls it, or what one writes from memory: the faults below are seen, too.
  @Test func foreignKeysAreReadAsOurs() {
    let told = diagnose(
      """
      beacons: [{ name: key, mac: "C1:00:00:00:00:01" }]
      zone: [{ name: hall, beacons: [kez], enter: { rssi: -70 } }]
      """)
    #expect(told.map(\.mark) == ["1:24 error", "2:1 error", "2:32 error", "2:47 error", "2:53 error"])
    let text = told.map(\.description).joined()
    for words in ["called address", "called zones", "did you mean key?", "called signal"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test(arguments: [
    Fault(beacon("address: C1:00:00:00:00:01, names: ▸{ \"1.1\": a }"), "for the members of a region"),
    Fault(
      beacon("ibeacon: { uuid: \(uuid) }, names: { ▸fleet:1.1: a }"), "not a member of this region", "1.2"),
    Fault(beacon("ibeacon: { uuid: \(uuid) }, names: { ▸\"1.70000\": a }"), "not a member of this region"),
    Fault(beacon("ibeacon: { uuid: \(uuid), major: 7 }, names: { ▸\"1.1\": a }"), "written as 7.2"),
    Fault(beacon("ibeacon: { uuid: \(uuid) }, names: ▸[a]"), "names must be a mapping"),
    Fault(beacon("ibeacon: { uuid: \(uuid) }, names: { \"1.1\": ▸\" a\" }"), "cannot be a name"),
    Fault(
      beacon("ibeacon: { uuid: \(uuid) }, names: { \"1.1\": a, \"1.2\": ▸a }"), .warning,
      "the name of 1.1 too"),
    Fault(
      beacon("eddystone: { namespace: edd1ebeac04e5defa017 }, names: { ▸\"1.1\": a }"), "0bdb87539b67"),
  ])
  func names(_ fault: Fault) { expectOne(fault) }

  @Test func membersAreNamedAsTheyArePublished() throws {
    let yaml = """
      beacons:
        - { name: fleet, ibeacon: { uuid: \(uuid), major: 1 }, names: { 1.10: Bella } }
        - { name: tags, eddystone: { namespace: edd1ebeac04e5defa017 }, names: { 0BDB87539B67: Carla } }
        - { name: crates, altbeacon: { id: 2f234454cf6d4a0fadf2f4911ba9ffa6 }, names: { 1.2: Dora } }
      """
    #expect(
      try read(yaml).configuration.displayNames == [
        "fleet:1.10": "Bella", "tags:0bdb87539b67": "Carla", "crates:1.2": "Dora",
      ])
  }

  @Test(arguments: [
    Fault(zone("enter: ▸3"), "enter needs a unit: m, cm, mm, km or dBm", "perhaps 3 m"),
    Fault(zone("enter: { distance: ▸3 }"), "distance needs a unit: m, cm", "perhaps 3 m"),
    Fault(zone("enter: { distance: ▸2 s }"), "a distance, and “2 s” is a time", "1.5 m"),
    Fault(zone("enter: { distance: ▸\"1,5 m\" }"), "decimal comma", "write 1.5"),
    Fault(zone("enter: { distance: ▸6,5 m, dwell: 2 s }"), "“6,5 m” has a decimal comma", "write 6.5 m"),
    Fault(zone("enter: { distance: ▸1.5 meter }"), "“meter” is not a unit of a distance"),
    Fault(zone("enter: { distance: ▸far }"), "must be a distance, not “far”", "1.5 m"),
    Fault(zone("enter: { distance: ▸0 m }"), "not a distance that a beacon can show"),
    Fault(zone("enter: { signal: ▸70 dBm }"), "70 dBm", "did you mean -70 dBm?"),
    Fault(zone("enter: { signal: ▸-70 dB }"), "is a difference of signal", "-70 dBm"),
    Fault(zone("enter: { distance: 3 m, signal: ▸-70 dBm }"), "both a distance and a signal"),
    Fault(zone("enter: ▸{ dwell: 3 s }"), "enter needs a distance or a signal"),
    Fault(zone("enter: { distance: 3 m, dwell: ▸-1 s }"), "dwell cannot be -1 s", "from 0 s"),
    Fault(zone("enter: { distance: 3 m, dwell: ▸1 m }"), "a time, and “1 m” is a distance"),
    Fault(zone("exit: { lost: ▸never }"), "lost must be auto or a time", "own interval"),
    Fault(zone("exit: { lost: ▸200 ms }"), "lost cannot be 200 ms", "from 1 s"),
  ])
  func quantities(_ fault: Fault) { expectOne(fault) }

  @Test(arguments: [
    Fault(zone("enter: 6 m, exit: ▸5 m"), "exit (5 m) must be farther than enter (6 m)", "9 m"),
    Fault(zone("enter: 6 m, exit: ▸6 m"), "must be farther"),
    Fault(zone("enter: -70 dBm, exit: ▸-65 dBm"), "exit (-65 dBm)", "try -74 dBm"),
    Fault(zone("near: ▸4 m, enter: 3 m"), "near (4 m) is farther than enter (3 m)"),
    Fault(zone("near: { distance: 2 m, rearm: ▸1 m }"), "rearm (1 m)", "try 4 m"),
    Fault(zone("near: { distance: 2 m, rearm: ▸-70 dBm }"), "cannot be compared", "in m"),
    Fault(zone("near: 2 m, exit: ▸4 m"), "exit (4 m) must be farther than enter (4 m)", "6 m"),
    Fault(
      beacon("address: C1:00:00:00:00:01, measured_power: ▸-12 dBm"), .warning, "tags do not reach",
      "the power with which the tag sends"),
    Fault(receiver("measured_power: ▸-100 dBm"), .warning, "no receiver would hear"),
    Fault(zone("enter: 6 m, exit: ▸-80 dBm"), .warning, "nothing can be said of their order"),
    Fault(zone("receivers: ▸[]"), "empty list", "hear through all receivers"),
    Fault(zone("receivers: [a, ▸a]"), .warning, "“a” is listed twice"),
    Fault(zone("beacons: [▸x]"), "there is no beacon “x”", "beacons: is empty"),
    Fault("zones: [{ name: a }, { name: ▸a }]", "the zone “a” is there already, on line 1"),
  ])
  func zones(_ fault: Fault) { expectOne(fault) }

  @Test(arguments: [
    Fault(
      beacon("measured_power: -59 dBm").replacing("{", with: "▸{"), "how is this beacon recognised?",
      "ibeacon,"),
    Fault(beacon("address: ▸C1:00"), "“C1:00” is no Bluetooth address"),
    Fault(beacon("ibeacon: { uuid: ▸\(uuid)0 }"), "is no UUID", "32 hexadecimal digits"),
    Fault(beacon("ibeacon: { uuid: \(uuid), minor: ▸1 }"), "minor needs a major"),
    Fault(beacon("ibeacon: { uuid: \(uuid), major: ▸65536 }"), "from 0 to 65535"),
    Fault(beacon("ibeacon: ▸{ major: 1 }"), "uuid is missing here"),
    Fault(beacon("altbeacon: { id: ▸1234 }"), "is not an AltBeacon id", "40 hexadecimal"),
    Fault(beacon("eddystone: { namespace: ▸12 }"), "is not an Eddystone namespace"),
    Fault(
      beacon("eddystone: { namespace: edd1ebeac04e5defa017, instance: ▸0b }"), "12 hexadecimal"),
    Fault(
      beacon("eddystone: { url: \"https://a.example\", instance: ▸0b }"), "not both"),
    Fault(beacon("address: C1:00:00:00:00:01, irk: ▸k"), "can have only one identifier"),
    Fault(beacon("irk: ▸anna"), "the keys file has no key “anna”", "keys_file"),
    Fault(
      beacon("address: C1:00:00:00:00:01, measured_power: ▸59 dBm"), "did you mean -59 dBm?"),
    Fault(
      "beacons: [{ name: a, address: C1:00:00:00:00:01 }, { name: ▸b, address: c1-00-00-00-00-01 }]",
      "“b” and “a” are the same beacon"),
    Fault(
      "beacons: [{ name: f, ibeacon: { uuid: \(uuid) } }, { name: ▸\"f:1.2\", address: C1:00:00:00:00:01 }]",
      "may be a member of the region “f”"),
    Fault(
      "beacons: [{ name: a, address: C1:00:00:00:00:01 }]\n" + zone("beacons: [▸b]"),
      "no beacon “b”"),
    Fault(
      "beacons:\n- { name: a, address: C1:00:00:00:00:01 }\n- { name: ▸idle, address: C1:00:00:00:00:02 }\n"
        + zone("beacons: [a]"), .warning, "no zone watches the beacon “idle”"),
  ])
  func beacons(_ fault: Fault) { expectOne(fault) }

  @Test(arguments: [
    Fault(receiver("exponent: ▸0.2"), "a number from 1.0 to 6.0"),
    Fault(receiver("exponent: ▸2 m"), "a number from"),
    Fault(receiver("offset: ▸3"), "offset needs a unit: dB", "perhaps 3 dB"),
    Fault(receiver("offset: ▸90 dB"), "offset cannot be 90 dB", "from -40 dB to 40 dB"),
    Fault(receiver("position: ▸[1 m]"), "position has 1 coordinates", "[3 m, 0.5 m, 2.2 m]"),
    Fault(receiver("position: [1 m, ▸2]"), "needs a unit: m"),
    Fault(receiver("adapter: ▸hci0"), "no Bluetooth address"),
    Fault("telemetry: { health: ▸1 ms }", "health cannot be 1 ms"),
    Fault("diary: ▸never", "diary cannot be “never”"),
    Fault("diary: { days: ▸0 }", "days cannot be 0"),
    Fault("diary: { size: ▸20 kB }", "size cannot be 0.02 MB"),
    Fault("metrics: ▸{}", "metrics needs file", "textfile"),
    Fault("metrics: { file: ▸/tmp/counters.txt }", "must end in .prom"),
    Fault("metrics: { file: /tmp/a.prom, every: ▸1 ms }", "every cannot be 1 ms"),
    Fault("metrics: { file: ▸$HOME/a.prom }", "is no path", "write it out"),
    Fault("gateway: { state_directory: ▸~/bk }", "is no path", "write it out"),
    Fault("metrics: { ▸listen: 1, file: /tmp/a.prom }", "listen"),
  ])
  func receiversAndTelemetry(_ fault: Fault) { expectOne(fault) }
}

/// Expects that a text has exactly one fault: this one.
func expectOne(_ fault: Fault) {
  let diagnostics = diagnose(fault.yaml)
  #expect(diagnostics.count == 1, "\(diagnostics)")
  guard let only = diagnostics.first else { return }
  #expect(only.severity == fault.severity)
  #expect(only.position == fault.position)
  for word in fault.words { #expect("\(only)".contains(word), "\(only)") }
}
