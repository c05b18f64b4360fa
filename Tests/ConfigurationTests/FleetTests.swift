import Beacons
import Core
import Testing

@testable import Configuration

/// `fleet:`.
@Suite struct FleetTests {
  private let rest = "\nbroker: { url: \"mqtt://broker.lan\" }"

  @Test func `one node is enough`() throws {
    let fleet = try #require(
      read("fleet: { rabbitmq: \"amqp://rabbit-1\" }" + rest).configuration.fleet)
    #expect(fleet.nodes == [.init(host: "rabbit-1", port: 5672, isTLS: false)])
    #expect(fleet.partitions == 16)
    #expect(fleet.checkpoint == .seconds(5))
    #expect(fleet.username == nil)
  }

  @Test func stateOfABeaconIsToldLessOftenInAFleet() throws {
    let fleet = "fleet: { rabbitmq: \"amqp://rabbit-1\" }" + rest
    #expect(try read(fleet).configuration.telemetry.beaconState == .seconds(60))
    #expect(
      try read("telemetry: { beacon_state: 5 s }\n" + fleet).configuration.telemetry.beaconState
        == .seconds(5))
    #expect(try read("gateway: {}").configuration.telemetry.beaconState == .seconds(10))
  }

  @Test func `each worker has a file of its own for metrics`() throws {
    let metrics = "metrics: { file: /run/bk.prom, every: 5 s }\n"
    let fleet = try read(metrics + "fleet: { rabbitmq: \"amqp://rabbit-1\" }" + rest).configuration
    #expect(Explanation(fleet).metrics == "counters in /run/bk-<worker>.prom, every 5 s")
    let gateway = try read(metrics + "gateway: { name: one }" + rest).configuration
    #expect(Explanation(gateway).metrics == "counters in /run/bk.prom, every 5 s")
  }

  @Test func `several nodes with TLS are read`() throws {
    let fleet = try #require(
      read("fleet: { rabbitmq: [\"amqps://a\", \"amqps://b:1\"], partitions: 4, checkpoint: 2 s }" + rest)
        .configuration.fleet)
    #expect(
      fleet.nodes == [
        .init(host: "a", port: 5671, isTLS: true), .init(host: "b", port: 1, isTLS: true),
      ])
    #expect(fleet.partitions == 4)
  }

  private let phones = """

    beacons:
      - { name: tag, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: badge, address: "C1:00:00:00:00:05" }
      - { name: page, eddystone: { url: "https://a.com/" } }
    phones:
      - { name: anna, beacon: "tag:1.2", os: ios7, strategy: stock }
      - { name: ben, beacon: badge, os: ios7, strategy: stock }

    """

  @Test func `phones know what observations call their beacons`() throws {
    let configuration = try read("fleet: { rabbitmq: \"amqp://a\" }" + rest + phones).configuration
    #expect(
      configuration.phones.map(\.beaconKey) == [
        "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2", "entry address c10000000005 badge",
      ])
  }

  @Test func `no partition has a phone that carries a URL`() {
    let marks = diagnose(
      "fleet: { rabbitmq: \"amqp://a\" }" + rest + phones.replacing("beacon: badge", with: "beacon: page")
    ).map(\.message)
    #expect(marks.contains { $0.hasPrefix("in a fleet the phone “ben” cannot carry") }, "\(marks)")
  }

  @Test func `no worker hears a gateway with a base topic of its own`() throws {
    func warnings(_ broker: String, _ partitions: Int) throws -> [String] {
      let yaml =
        "broker: { url: \"mqtt://a\"\(broker) }\npublish: { observations: { partitions: \(partitions) } }"
      return try read(yaml).warnings.map(\.message).filter { $0.contains("fleet") }
    }
    let words =
      "no worker of a fleet hears this gateway: it publishes below site/house/, and they listen below beaconkeeper/"
    #expect(try warnings(", base_topic: site/house", 16) == [words])
    #expect(try warnings("", 16) == [])
    // Another gateway may read it.
    #expect(try warnings(", base_topic: site/house", 1) == [])
  }

  @Test(arguments: [
    ("fleet: { partitions: 4 }", "1:8 error rabbitmq is missing here"),
    ("fleet: { rabbitmq: \"mqtt://a\" }", "1:20 error the url's scheme must be amqp or amqps"),
    ("fleet: { rabbitmq: [] }", "1:20 error rabbitmq is an empty list"),
    ("fleet: { rabbitmq: \"amqp://u@a\" }", "1:20 error the url holds a user"),
    ("fleet: { rabbitmq: \"amqp://a\", partitions: 0 }", "1:44 error partitions cannot be 0"),
    ("fleet: { rabbitmq: \"amqp://a\", checkpoint: 1 h }", "1:44 error checkpoint"),
    ("fleet: { rabbitmq: \"amqp://a\", ca_file: x.pem }", "1:41 error ca_file is of no use"),
    ("fleet: { rabbitmq: \"amqp://a\", password: x }", "1:42 error a password does not belong here"),
    ("fleet: { rabbitmq: \"amqp://a\" }", "1:8 error a fleet needs a broker"),
    ("scanners: [{ kind: theengs }]\nfleet: { rabbitmq: \"amqp://a\" }", "2:8 error a fleet hears"),
  ])
  func `an error has its place`(yaml: String, expected: String) {
    let marks = diagnose(yaml).map { "\($0.mark) \($0.message)" }
    #expect(marks.contains { $0.hasPrefix(expected) }, "\(marks)")
  }
}
