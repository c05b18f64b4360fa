import Foundation
import TestSupport
import Testing

/// What stands on the broker's side: the access that the gateway needs, and the subscriber of the examples.
@Suite(.serialized) struct BrokerSideTests {
  /// The demonstration with the pump alone, at another broker, in a folder of its own.
  private func folder(broker: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("broker-side-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Command.package.appendingPathComponent("config"), to: folder.appendingPathComponent("config"))
    let configuration = folder.appendingPathComponent("config/demo.yaml")
    try Data((Forecourt.rules + "broker: \(broker)\n").utf8).write(to: configuration)
    return folder
  }

  private func passwords() async throws -> String {
    try await passwordFile("gateway:secret\nhomeassistant:secret\n")
  }

  @Test func theGatewayWorksUnderTheAccessListThatShips() async throws {
    let rules = try String(
      contentsOf: Command.package.appendingPathComponent("deploy/mosquitto.acl"), encoding: .utf8)
    let access = try file(
      rules.replacing("beaconkeeper/home/", with: "beaconkeeper/forecourt/")
        .replacing("beaconkeeper_home/", with: "beaconkeeper_forecourt/"), "acl")
    let log = try file("", "log")
    let broker = try await Broker(
      """
      allow_anonymous false
      password_file \(try await passwords())
      acl_file \(access)
      log_dest file \(log)
      log_type all
      user root
      """, recordedAs: ["-u", "homeassistant", "-P", "secret", "-t", "homeassistant/#"])
    defer { broker.stop() }
    let password = try file("secret", "password", mode: 0o600)
    let folder = try folder(
      broker: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", username: gateway, password_file: \(password) }")
    let gateway = try Command(["run", "--demo"], directory: folder)
    let wanted = [
      "beaconkeeper/forecourt/status", "beaconkeeper/forecourt/health",
      "beaconkeeper/forecourt/zone/shop/enter",
      "beaconkeeper/forecourt/zone/shop/occupancy", "beaconkeeper/forecourt/beacon/fridge/state",
      "homeassistant/device/beaconkeeper_forecourt/gateway/config",
      "homeassistant/device/beaconkeeper_forecourt/beacon_fridge/config",
    ]
    let all = try await gateway.wait { Set(broker.messages.map(\.topic)).isSuperset(of: wanted) }
    #expect(all, "\(Set(wanted).subtracting(broker.messages.map(\.topic)))")
    gateway.signal(SIGINT)
    let result = try await gateway.end()
    #expect(result.status == 0)
    #expect(!result.errors.contains("refused"), "\(result.errors)")
    let said = try String(contentsOfFile: log, encoding: .utf8)
    #expect(said.contains("gateway") && !said.contains("Denied"), "\(said.suffix(2000))")
  }

  @Test func theAccessListKeepsAGatewayToItsOwnName() async throws {
    let access = Command.package.appendingPathComponent("deploy/mosquitto.acl").path
    let log = try file("", "log")
    let broker = try await Broker(
      "allow_anonymous false\npassword_file \(try await passwords())\nacl_file \(access)\nlog_dest file \(log)\nlog_type all\nuser root",
      recordedAs: ["-u", "homeassistant", "-P", "secret"])
    defer { broker.stop() }
    let password = try file("secret", "password", mode: 0o600)
    let folder = try folder(
      broker:
        "{ url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: 5, username: gateway, password_file: \(password) }"
    )
    // It is called forecourt, and the list knows home.
    let gateway = try Command(["run", "--demo"], directory: folder)
    #expect(
      try await gateway.wait { gateway.errorsSoFar.contains("the broker refuses messages to") })
    gateway.signal(SIGINT)
    _ = try await gateway.end()
    #expect(broker.messages.isEmpty)
    #expect(try String(contentsOfFile: log, encoding: .utf8).contains("Denied"))
  }

  @Test func theSubscriberOfTheExamplesTellsEachTransitionOnce() async throws {
    let broker = try await Broker(
      "allow_anonymous false\npassword_file \(try await passwords())\nuser root",
      recordedAs: ["-u", "homeassistant", "-P", "secret"])
    defer { broker.stop() }
    let password = try file("secret\n", "password", mode: 0o600)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("subscriber-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let account = "username: gateway, password_file: \(password)"
    let configuration = try self.folder(broker: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", \(account) }")
      .appendingPathComponent("config/demo.yaml").path
    let heard = folder.appendingPathComponent("heard")
    try Data().write(to: heard)
    func told() -> [String] {
      ((try? String(contentsOf: heard, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
    func subscriber() throws -> Child {
      let output = try FileHandle(forWritingTo: heard)
      try output.seekToEnd()
      return try Child(
        [
          "/usr/bin/python3", Command.package.appendingPathComponent("config/examples/subscriber.py").path,
          "--host", "127.0.0.1", "--port", "\(broker.port)", "--username", "homeassistant", "--password-file",
          password,
        ], in: folder, output: output)
    }
    func replay() async throws {
      let result = try await Command.run(
        "replay", "--config", configuration, "--capture", "config/walk.jsonl", "--publish")
      #expect(result.status == 0)
    }
    // While nobody has asked for anything yet.
    try await replay()
    try await until("the walk is published") { broker.messages.contains { $0.topic.hasSuffix("/exit") } }
    let exit = try #require(broker.messages.last { $0.topic.hasSuffix("/exit") })
    func publish(_ sequence: Int) async throws {
      let payload = String(decoding: exit.payload, as: UTF8.self)
        .replacing(#/"epoch":\d+,"seq":\d+/#, with: "\"epoch\":98,\"seq\":\(sequence)")
        .replacing("fleet:1.2", with: "\(sequence)")
        .replacing(#/"id":"[^"]*"/#, with: "\"id\":\"\(String(repeating: "0", count: 31))\(sequence)\"")
      _ = try await Command(
        [
          "-p", "\(broker.port)", "-u", "gateway", "-P", "secret", "-q", "1", "-t", exit.topic, "-m", payload,
        ], executable: URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
      ).end()
    }
    let first = try subscriber()
    // Until it listens.
    for _ in 0..<600 where told().isEmpty {
      try await publish(1)
      try await Task.sleep(for: .milliseconds(200))
    }
    // The second was refused for a while.
    for sequence in [1, 3, 2, 2, 1, 4] { try await publish(sequence) }
    try await until("what came late is told, too") { told().count >= 4 }
    #expect(told().map { $0.split(separator: " ")[3] } == ["1", "3", "2", "4"])
    try Data().write(to: heard)
    try await replay()
    try await until("the walk is told") { told().count >= 4 }
    #expect(told().map { $0.split(separator: " ")[1] } == ["enter", "enter", "near", "exit"])
    kill(first.processIdentifier, SIGKILL)
    // The same once more, as after a broker that delivers twice, while nobody listens: its session keeps them.
    try await replay()
    let second = try subscriber()
    defer { kill(second.processIdentifier, SIGKILL) }
    // What comes after all that was kept is told, and none of what was kept.
    try await publish(5)
    try await until("the newest is told") { told().last?.hasSuffix(" 5") == true }
    // Killed as soon as it had told the exit, it may not have noted that.
    #expect([5, 6].contains(told().count) && told().count { $0.contains(" exit ") } == told().count - 3)
    #expect(second.isRunning)
  }

  @Test func theNodeREDFlowIsCompleteAndItsFunctionsAreValidJavaScript() throws {
    let text = try Data(contentsOf: Command.package.appendingPathComponent("config/examples/node-red.json"))
    let nodes = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
    let ids = nodes.compactMap { $0["id"] as? String }
    #expect(Set(ids).count == nodes.count)
    for node in nodes {
      for wire in (node["wires"] as? [[String]] ?? []).joined() { #expect(ids.contains(wire)) }
      if let tab = node["z"] as? String { #expect(ids.contains(tab)) }
      if let broker = node["broker"] as? String, node["type"] as? String == "mqtt in" {
        #expect(ids.contains(broker))
      }
    }
    let topics = nodes.compactMap { $0["topic"] as? String }
    #expect(topics.contains("beaconkeeper/+/zone/+/near"))
    // A level of a topic is percent-encoded: names come from payloads.
    for code in nodes.compactMap({ $0["func"] as? String }) where code.contains("msg.topic") {
      #expect(code.contains("decodeURIComponent"))
    }
  }
}
