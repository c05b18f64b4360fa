import Foundation
import TestSupport
import Testing

/// What is wrong at the broker, in words and with a status of sysexits.h.
@Suite(.serialized) struct BrokerWordsTests {
  private func run(_ broker: String) async throws -> Command.Result {
    let path = try file("broker: { \(broker) }\n", "yaml")
    return try await Command(["run", "--config", path, "--capture", "config/walk.jsonl"]).end()
  }

  @Test func aPortWithoutTLS() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let result = try await run("url: \"mqtts://127.0.0.1:\(broker.port)\"")
    #expect(result.status == 69)
    #expect(result.errors.contains("does not speak TLS on this port"), "\(result.errors)")
    #expect(!result.errors.contains("SSL routines"))
  }

  @Test func `where all connections of a user have one client id, the broker is not asked about topics`()
    async throws
  {
    let broker = try TestBroker("allow_anonymous true\nuse_username_as_clientid true")
    try await broker.start()
    defer { broker.kill() }
    let path = try file(
      "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", username: gw }\nradio: { duty: off }\n", "yaml")
    let told = try await Command(["doctor", "--config", path]).end()
    #expect(told.output.contains("cannot find out what the gateway may publish"), "\(told.output)")
  }

  /// A gateway beside it, which tries again and again, is no reason to suspect the client id.
  @Test func whatIsNoBrokerForPlainMQTT() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("words-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await certificate("one", in: folder)
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    let broker = try await Broker(
      "allow_anonymous true\ncertfile \(path("one.pem"))\nkeyfile \(path("one.key"))\nuser root",
      recordedAs: ["--cafile", path("one.pem")])
    defer { broker.stop() }
    let other = try await StrangeBroker("web")
    defer { other.stop() }
    for (port, words) in [(broker.port, "expects TLS on this port"), (other.port, "does not speak MQTT")] {
      let path = try file("broker: { url: \"mqtt://127.0.0.1:\(port)\" }\n", "yaml")
      let gateway = try Command(["run", "--config", path, "--capture", "config/walk.jsonl"])
      defer { gateway.signal(SIGKILL) }
      let told = try await Command(["doctor", "--config", path]).end()
      #expect(told.status == 69)
      #expect(told.output.contains(words), "\(told.output)")
    }
  }

  /// Only the gateway itself could have the client id that a broker ties to its user.
  @Test func `a gateway of another name on this machine is no excuse for a wrong password`() async throws {
    let (broker, strict) = (try await Broker(), try await Broker("allow_anonymous false"))
    defer { [broker, strict].forEach { $0.stop() } }
    func configuration(_ name: String, _ port: Int) throws -> String {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(name)").path
      return try file(
        "gateway: { name: \(name), state_directory: \"\(folder)\" }\nbroker: { url: \"mqtt://127.0.0.1:\(port)\" }\n",
        "yaml")
    }
    let path = try configuration("one", strict.port)
    for (running, state) in [("one", "warning  broker"), ("other", "FAULT    broker")] {
      let gateway = try Command([
        "run", "--config", configuration(running, broker.port), "--capture", "config/walk.jsonl",
      ])
      #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
      let told = try await Command(["doctor", "--config", path]).end()
      #expect(told.output.contains(state), "\(running): \(told.output)")
      gateway.signal(SIGINT)
      _ = try await gateway.end()
    }
  }

  /// In MQTT 3.1.1 it cannot say so.
  @Test(arguments: ["modest", "mute", "late", "old"]) func whatABrokerCannotDo(habit: String) async throws {
    let broker = try await StrangeBroker(habit)
    defer { broker.stop() }
    let settings =
      "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: 3.1.1 }\ntelemetry: { health: 1 s }\n"
    let path = try file(settings, "yaml")
    let told = try await Command(["doctor", "--config", path]).end()
    let words = told.output + told.errors
    // What an old one passes to nobody, nobody knows.
    #expect(words.contains("retains no messages") == (habit != "old"), "\(words)")
    #expect(words.contains("delivers with QoS 0 only") == (habit != "old"), "\(words)")
    #expect(words.contains("acknowledged no message") == (habit == "mute"), "\(words)")
    let gateway = try Command(["run", "--config", path, "--capture", "config/walk.jsonl"])
    defer { gateway.signal(SIGKILL) }
    let lacks = "\"broker_lacks\":[\"retained\",\"qos1\"]"
    if habit == "old" {
      #expect(try await gateway.wait { broker.hasHeard("\"queued\":0") })
      // A gateway waits for five seconds before it says so.
      try await Task.sleep(for: .seconds(6))
    } else {
      #expect(try await gateway.wait { broker.hasHeard(lacks) })
    }
    #expect(habit != "old" || !broker.hasHeard("broker_lacks"))
  }

  /// They refuse the gateway's last will; with MQTT 3.1.1 by closing the connection.
  @Test(arguments: [("retain_available false", "retained"), ("max_qos 0", "QoS 1")])
  func aBrokerThatCannotBeUsed(setting: String, lacks: String) async throws {
    let broker = try await Broker("allow_anonymous true\n\(setting)")
    defer { broker.stop() }
    for version in ["5", "3.1.1"] {
      let settings = "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: \"\(version)\" }\n"
      let told = try await Command(["doctor", "--config", try file(settings, "yaml")]).end()
      #expect(told.status == 69)
      #expect(
        told.output.contains("accepts a connection, but not with the gateway's last will"), "\(told.output)")
      #expect(told.output.contains("retain_available false or max_qos 0"))
      #expect(told.output.contains("the broker takes no"), "\(told.output)")
    }
    let ended = try await run("url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: 5")
    #expect(ended.status == 69)
    #expect(ended.errors.contains(lacks), "\(ended.errors)")
  }

  private func certificate(_ name: String, in folder: URL) async throws {
    try await TestSupport.run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "30",
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(name).key", "-out",
        "\(name).pem",
      ], in: folder)
  }

  @Test func mutualTLS() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("words-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["one", "other"] {
      try await certificate(name, in: folder)
    }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    let broker = try await Broker(
      "allow_anonymous true\ncafile \(path("one.pem"))\ncertfile \(path("one.pem"))\nkeyfile \(path("one.key"))\nrequire_certificate true\nuser root",
      recordedAs: ["--cafile", path("one.pem"), "--cert", path("one.pem"), "--key", path("one.key")])
    defer { broker.stop() }
    let url =
      "url: \"mqtts://127.0.0.1:\(broker.port)\", ca_file: \(path("one.pem")), cert_file: \(path("one.pem"))"
    let wrong = try await run("\(url), key_file: \(path("other.key"))")
    #expect(wrong.status == 78)
    #expect(wrong.errors.contains("our key (key_file)") || wrong.errors.contains("do not belong together"))
    let configuration = try file("broker: { \(url), key_file: \(path("one.key")) }\n", "yaml")
    let gateway = try Command(["run", "--config", configuration, "--capture", "config/walk.jsonl"])
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    #expect(
      gateway.outputSoFar.contains(
        "--cafile \(path("one.pem")) --cert \(path("one.pem")) --key \(path("one.key"))"))
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }
}
