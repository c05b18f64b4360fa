import Beacons
import Contract
import Core
import Testing

@testable import Configuration

/// `scanners:` and `publish:`.
@Suite struct ScannerTests {
  private func marks(_ yaml: String) -> [String] { diagnose(yaml).map { "\($0.mark) \($0.message)" } }

  @Test(arguments: [("phone:anna", 0), ("apple:1006:10-7", 1), ("exp:20", 1), ("MD:004c:10", 1)])
  func `an id that scanners give to all devices of a make is warned of`(id: String, count: Int) throws {
    let loaded = try Configuration.read(
      Array("scanners: [{ kind: espresense }]\nbeacons: [{ name: anna, scanner_id: \"\(id)\" }]".utf8),
      path: "test.yaml", environment: [:], hostName: "host")
    #expect(loaded.warnings.count { $0.message.contains("make") } == count)
  }

  @Test func akindIsEnough() throws {
    let scanners = try read("scanners: [{ kind: espresense }, { kind: theengs }, { kind: beaconkeeper }]")
      .configuration.resolvedScanners
    #expect(
      scanners.flatMap { [$0.topic.filter, $0.status?.filter] } == [
        "espresense/devices/+/+", "espresense/rooms/+/status", "home/+/BTtoMQTT/+", "home/+/LWT",
        "beaconkeeper/+/observations/+", "beaconkeeper/+/status",
      ])
  }

  @Test func aMappingIsReadWithAllItsFields() throws {
    let fields = JSONMapping.Field.allCases.map { "\($0.rawValue): m.\($0.rawValue)" }.joined(separator: ", ")
    let scanner = try #require(
      read("scanners: [{ kind: json, topic: \"a/{receiver}\", each: devices, fields: { \(fields) } }]")
        .configuration.resolvedScanners.first)
    #expect(scanner.mapping.each == "devices")
    #expect(scanner.mapping.fields.count == JSONMapping.Field.allCases.count)
  }

  @Test func `numbers are read with their base, and a power with its distance`() throws {
    let configuration = try read(
      """
      scanners:
        - kind: json
          topic: "a/{receiver}"
          fields:
            rssi: rssi
            uuid: uuid
            major: { path: major, base: 16 }
            minor: { path: minor, base: 10 }
            measured_power: { path: tx, base: 16, at: 0 m }
      """
    ).configuration
    let mapping = try #require(configuration.resolvedScanners.first).mapping
    #expect(mapping.fields[.major] == "major" && mapping.fields[.measuredPower] == "tx")
    #expect(
      mapping.forms == [
        .major: .init(base: 16), .minor: .init(base: 10), .measuredPower: .init(base: 16, isAtZero: true),
      ])
    let sentences = Explanation(configuration).scanners.first?.sentences ?? []
    #expect(sentences.contains("Its major is in hexadecimal digits."))
    #expect(sentences.contains("Its measured_power is that at 0 m."))
  }

  @Test(arguments: [
    (
      "scanners: [{ kind: json, topic: \"a/{receiver}\", fields: { address: a, rssi: { path: r, base: 8 } } }]",
      "1:94 error base is 10 or 16, not “8”"
    ),
    (
      "scanners: [{ kind: json, topic: \"a/{receiver}\", fields: { address: { path: r }, rssi: r } }]",
      "1:68 error address must be a single value"
    ),
    ("scanners: [{ kind: espresence }]", "1:20 error kind must be"),
    ("scanners: [{ topic: a }]", "1:12 error kind is missing here"),
    (
      "scanners: [{ kind: json, fields: { address: a, rssi: r } }]",
      "1:12 error a json scanner needs its topic"
    ),
    ("scanners: [{ kind: json, topic: \"a/{receiver}\" }]", "1:12 error a json scanner needs fields"),
    (
      "scanners: [{ kind: json, topic: \"a/{receiver}\", fields: { address: a } }]",
      "1:57 error fields needs rssi"
    ),
    (
      "scanners: [{ kind: json, topic: \"a/{receiver}\", fields: { rssi: a } }]",
      "1:57 error nothing in fields says which beacon it is"
    ),
    (
      "scanners: [{ kind: json, topic: a/b, fields: { address: a, rssi: r } }]",
      "1:12 error which receiver hears this?"
    ),
    ("scanners: [{ kind: theengs, topic: \"a/{who}\" }]", "1:36 error “{who}” cannot be a level of a topic"),
    ("scanners: [{ kind: theengs, topic: \"a+/b\" }]", "1:36 error “a+” cannot be a level of a topic"),
    (
      "scanners: [{ kind: theengs, topic: \"$share/g/home/{receiver}/BTtoMQTT/{address}\" }]",
      "1:36 error a shared subscription would take observations from its other members"
    ),
    ("scanners: [{ kind: espresense, fields: { rssi: r } }]", "1:40 error fields is for kind: json"),
    ("scanners: [{ kind: espresense, interval: 1 s }]", "1:42 error interval is for kind: beaconkeeper"),
    ("scanners: [{ kind: beaconkeeper, interval: 1 min }]", "1:44 error interval cannot be"),
    ("scanners: [{ kind: espresense, identities: { x: bert } }]", "1:49 error there is no beacon “bert”"),
    (
      "beacons: [{ name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }]\nscanners: [{ kind: espresense, identities: { x: fleet } }]",
      "2:49 error “fleet” is not one single beacon"
    ),
    ("scanners: [{ kind: theengs }, { kind: theengs }]", "1:31 error the scanner on line 1 reads"),
    ("scanners: [{ kind: theengs, recievers: { a: b } }]", "1:29 error “recievers” is not a known key"),
    ("publish: { observations: maybe }", "1:26 error"),
    ("publish: { observations: { interval: 1 ms } }", "1:38 error interval cannot be 1 ms"),
    ("publish: { observations: { buffer: 9 kB } }", "1:36 error buffer cannot be 0.009 MB"),
    (
      "publish: { observations: { buffer: 64 m } }",
      "1:36 error buffer must be a size, and “64 m” is a distance"
    ),
    ("publish: { observations: { partitions: 0 } }", "1:40 error partitions cannot be 0"),
  ])
  func anErrorHasItsPlace(yaml: String, expected: String) {
    let marks = marks(yaml)
    #expect(marks.contains { $0.hasPrefix(expected) }, "\(marks)")
  }

  @Test func observationsAreOffUnlessAskedFor() throws {
    #expect(try read("gateway: {}").configuration.publish.observations == nil)
    #expect(try read("publish: { observations: false }").configuration.publish.observations == nil)
    #expect(
      try read("publish: { observations: true }").configuration.publish.observations == ObservationSettings())
    #expect(
      try read("publish: { observations: { interval: 500 ms, partitions: 8, buffer: 64 MB } }").configuration
        .publish
        .observations
        == ObservationSettings(interval: .milliseconds(500), partitions: 8, buffer: 64_000_000))
  }

  @Test func roomsWaitForGatewaysThatCollectForLonger() throws {
    let configuration = try read("scanners: [{ kind: beaconkeeper, interval: 1 s }]").configuration
    #expect(configuration.resolvedScanners.map(\.interval) == [.seconds(1)])
    #expect(
      Explanation(configuration).scanners.first?.sentences.contains(
        "Rooms wait for what gateways collect for 1 s.") == true)
  }

  @Test func checkExplainsAScanner() throws {
    let explanation = Explanation(
      try read(
        "scanners: [{ kind: espresense, prefix: esp-, receivers: { a: attic } }]\npublish: { observations: true }"
      ).configuration)
    #expect(
      explanation.scanners.first?.sentences == [
        "Reads espresense/devices/+/+.", "The receiver is named by the topic, with “esp-” in front.",
        "Here a is attic.",
        "espresense/rooms/+/status says whether it is online.",
      ])
    #expect(explanation.observations?.hasSuffix("every 200 ms, on one topic") == true)
  }
}
