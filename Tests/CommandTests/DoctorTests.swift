import Foundation
import TestSupport
import Testing

@Suite struct DoctorTests {
  @Test func everyCheckRunsAndTheStatusTellsWhetherOneFailed() async throws {
    let result = try await Command.run("doctor")
    #expect(result.isCalm)
    for subject in ["configuration", "kernel", "adapter", "clock", "disk", "broker"] {
      #expect(result.lines.contains { $0.dropFirst(9).hasPrefix(subject) }, "\(subject)")
    }
    #expect((result.status == 69) == result.lines.contains { $0.hasPrefix("FAULT") })
    #expect(result.status == 69 || result.status == 0)
  }

  /// The built-in configuration's name, folder and broker are not this gateway's.
  @Test func `a configuration with an error is not taken for an empty one`() async throws {
    let path = try file("gateway: { name: attic }\nradio: { duty: off }\nbrokr: {}\n", "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.status == 78)
    #expect(
      result.lines.contains { $0.hasPrefix("FAULT") && $0.contains("what depends on it is not checked") })
    for subject in ["adapter", "former name", "disk", "broker"] {
      #expect(!result.lines.contains { $0.dropFirst(9).hasPrefix(subject) }, "\(result.output)")
    }
  }

  @Test func aRadioThatIsOffIsNoFault() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let path = try file(
      "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }\nradio: { duty: off }\nscanners: [{ kind: theengs }]\n",
      "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(
      result.lines.contains { $0.hasPrefix("ok       adapter") && $0.contains("duty: off") },
      "\(result.output)")
    #expect(!result.output.contains("receive path") && !result.output.contains("capabilities"))
  }

  /// `kitchen` was heard, `attic` never reported, `stairs` has gone, `shed` too, but nothing needs it; `cellar` reports and hears
  /// nobody, and nothing provides `hall`.
  @Test func receiversThatNothingComesFromAreNamed() async throws {
    let broker = try TestBroker("allow_anonymous true")
    try await broker.start()
    defer { broker.kill() }
    let path = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      scanners: [{ kind: espresense, prefix: esp- }]
      rooms:
        - { name: kitchen, receivers: [esp-kitchen] }
        - { name: attic, receivers: [esp-attic, esp-stairs, hall] }
      zones: [{ name: down, receivers: [esp-cellar] }]
      """, "yaml")
    let before = try await Command.run("doctor", "--config", path)
    #expect(
      before.lines.contains {
        $0.hasPrefix("ok       receivers")
          && $0.contains("esp-kitchen, esp-attic, esp-stairs, esp-cellar is not known")
      }, "\(before.output)")
    let health = #"""
      {"v":1,"time":"2026-11-20T21:50:03Z","receivers":[\#
      {"name":"esp-kitchen","state":"ok","last_heard":"2026-11-20T21:50:02Z","gain_db":-3.6},\#
      {"name":"esp-attic","state":"missing","last_heard":null,"gain_db":0.4},\#
      {"name":"esp-stairs","state":"gone","reason":"offline","last_heard":"2026-11-20T21:40:02Z"},\#
      {"name":"esp-shed","state":"gone","reason":"silent for 10 minutes","last_heard":"2026-11-20T21:40:02Z"},\#
      {"name":"esp-cellar","state":"ok","last_heard":null}]}
      """#
    try await run(
      [
        "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-r", "-t", "beaconkeeper/home/health",
        "-m", health,
      ])
    let result = try await Command.run("doctor", "--config", path)
    #expect(
      result.lines.contains {
        $0.hasPrefix("warning  receivers") && $0.contains("no adapter or scanner provides hall")
      })
    #expect(
      result.lines.contains {
        $0.hasPrefix("warning  receivers")
          && $0.contains("nothing was heard through esp-cellar since")
      }, "\(result.output)")
    #expect(result.status == 69)
    let faults = result.lines.filter { $0.hasPrefix("FAULT    receivers") }
    #expect(faults.count == 2, "\(result.output)")
    #expect(faults.contains { $0.contains("esp-attic is missing") })
    #expect(faults.contains { $0.contains("esp-stairs is gone") && $0.hasSuffix(": offline") })
    #expect(result.lines.contains { $0.hasPrefix("warning  receivers") && $0.contains("esp-shed is gone") })
    #expect(result.output.contains("see that esp-attic is on"))
    #expect(
      result.lines.filter { $0.contains("esp-kitchen") }
        .map { $0.hasPrefix("ok       receivers") && $0.hasSuffix("than expected: esp-kitchen −4 dB") } == [
          true
        ],
      "\(result.output)")
  }

  /// Also where no room and no zone names a receiver; but not of a gateway that has ended.
  @Test func aGatewayWhoseReceiversAreAllGoneIsAFault() async throws {
    let broker = try TestBroker("allow_anonymous true")
    try await broker.start()
    defer { broker.kill() }
    func publish(_ topic: String, _ payload: String) async throws {
      try await run(
        ["mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-r", "-t", topic, "-m", payload])
    }
    let path = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      scanners: [{ kind: espresense }]
      """, "yaml")
    try await publish(
      "beaconkeeper/home/health",
      #"{"v":1,"time":"2026-11-20T21:50:03Z","receivers":[{"name":"barn","state":"gone","last_heard":null}]}"#
    )
    try await publish("beaconkeeper/home/status", "online")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.status == 69 && result.output.contains("FAULT    receivers      barn is gone"))
    try await publish("beaconkeeper/home/status", "offline")
    let later = try await Command.run("doctor", "--config", path)
    #expect(later.status == 0 && later.output.contains("home/status is offline"), "\(later.output)")
  }

  @Test func asJSONItIsOneObject() async throws {
    let result = try await Command.run("doctor", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let checks = try #require(object["checks"] as? [[String: Any]])
    let faults = checks.filter { $0["state"] as? String == "fault" }
    #expect(object["ok"] as? Bool == faults.isEmpty)
    #expect(checks.count >= 6)
  }

  @Test func anUnreachableBrokerIsReported() async throws {
    let path = try file("broker: { url: \"mqtt://127.0.0.1:9\" }\n", "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.lines.contains { $0.hasPrefix("FAULT    broker") && $0.contains("127.0.0.1:9") })
    #expect(result.status == 69)
  }

  @Test func `a faulty configuration is reported, and the machine is still looked at`() async throws {
    let path = try file("zonnes: []\n", "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.status == 78)
    #expect(result.output.contains("beaconkeeper check \(path)"))
    #expect(result.output.contains("kernel"))
  }

  /// Topics and filters are asked about one by one, and nobody hears of it.
  @Test(arguments: ["max_queued_messages 0", "max_queued_messages 1000"])
  func forbiddenTopicsAreNamedAndTheProbesReachNoSubscriber(queue: String) async throws {
    let access = try file(
      """
      topic readwrite beaconkeeper/home/#
      topic deny beaconkeeper/home/zone/Garage/enter
      topic readwrite homeassistant/+/beaconkeeper_home/gateway/config
      """, "acl")
    let broker = try await Broker("allow_anonymous true\nacl_file \(access)\nuser root\n\(queue)")
    defer { broker.stop() }
    let path = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:05" }]
      zones: [{ name: Garage, enter: { distance: 3 m }, exit: { distance: 5 m } }, { name: Kitchen, enter: { distance: 3 m }, exit: { distance: 5 m } }]
      home_assistant: { room_presence: "espresense/devices/{beacon}" }
      """, "yaml")
    let result = try await Command.run("doctor", "--config", path)
    let faults = result.lines.filter { $0.hasPrefix("FAULT    access") }
    #expect(faults.contains { $0.contains("beaconkeeper/home/zone/Garage/enter") }, "\(result.output)")
    #expect(faults.contains { $0.contains("homeassistant/device/beaconkeeper_home/zone_Garage/config") })
    #expect(faults.contains { $0.contains("espresense/devices/key/hci0") })
    #expect(
      !faults.contains {
        $0.contains("zone/Kitchen/") || $0.contains("gateway/config") || $0.contains("status")
      })
    #expect(result.status == 69)
    // The one question that all may hear, gateways know to ignore.
    #expect(broker.messages.allSatisfy { $0.topic == "beaconkeeper/home/instance" }, "\(broker.messages)")
    #expect(result.output.contains("libmosquitto 2"))
  }

  /// Some tie a user to the beginning of a client id, some refuse an empty one.
  @Test(arguments: ["clientid_prefixes gw-", "allow_zero_length_clientid false", "acl_file ACL"])
  func itAsksWithAClientIDLikeThatOfTheGateway(rule: String) async throws {
    let access = try file("pattern readwrite beaconkeeper/home/#\npattern readwrite homeassistant/#\n", "acl")
    let broker = try TestBroker(
      "allow_anonymous true\nuser root\n\(rule.replacing("ACL", with: access))")
    try await broker.start()
    defer { broker.kill() }
    let path = try file(
      "gateway: { name: home }\nbroker: { url: \"mqtt://127.0.0.1:\(broker.port)\", client_id: gw-home }\n",
      "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.lines.contains { $0.hasPrefix("ok       broker") }, "\(result.output)")
    #expect(result.lines.contains { $0.hasPrefix("ok       access") }, "\(result.output)")
  }

  /// Descriptions for Home Assistant are the first that are too large; no access list is to blame.
  @Test(arguments: ["max_packet_size 900", "message_size_limit 900"])
  func messagesThatAreTooLargeForTheBrokerAreNoMatterOfItsAccessList(limit: String) async throws {
    let broker = try TestBroker("allow_anonymous true\n\(limit)")
    try await broker.start()
    defer { broker.kill() }
    let path = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      """, "yaml")
    let result = try await Command.run("doctor", "--config", path)
    let faults = result.lines.filter { $0.hasPrefix("FAULT    access") }
    #expect(
      faults.contains { $0.contains("gateway/config") && $0.lowercased().contains("packet too large") },
      "\(result.output)")
    #expect(!faults.contains { $0.contains("beaconkeeper/home/status") })
    #expect(result.output.contains("message_size_limit") && !result.output.contains("access list"))
  }

  @Test func aBrokerThatForbidsNothingIsFine() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    // A scanner of this kind has two topics.
    for (scanners, filters) in [("", 13), ("scanners: [{ kind: theengs }]\n", 15)] {
      let path = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }\n\(scanners)", "yaml")
      let result = try await Command.run("doctor", "--config", path)
      #expect(
        result.lines.contains {
          $0.hasPrefix("ok       access") && $0.contains("may publish to all")
            && $0.contains("subscribe to all \(filters) filters")
        }, "\(result.output)")
    }
    #expect(broker.messages.isEmpty, "the question stays with the broker")
  }
}
