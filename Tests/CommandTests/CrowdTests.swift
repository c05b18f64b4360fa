import Foundation
import Testing

/// A simulated site with real connections.
@Suite struct CrowdCommandTests {
  @Test func everythingThatGatewaysHearReachesTheBroker() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let (site, truth) = (try file("", "yaml"), try file("", "jsonl"))
    let result = try await Command.run(
      "crowd", "--gateways", "4", "--tags", "10", "--partitions", "2", "--seconds", "3", "--interval", "0.2",
      "--broker", "mqtt://127.0.0.1:\(broker.port)", "--json", "--truth", truth, "--config-out", site)
    #expect(result.status == 0 && result.isCalm)
    let end = try #require(
      try JSONSerialization.jsonObject(with: Data(result.lines.last?.utf8 ?? "".utf8)) as? [String: Any])
    #expect(end["acknowledged"] as? Int == end["observations"] as? Int)
    #expect(end["lost"] as? Int == 0 && end["connected"] as? Int == 4)
    var batches: Int { broker.messages.count { $0.topic.contains("/observations/") } }
    // The last wills and what replaces them.
    var states: [String] {
      broker.messages.filter { $0.topic == "beaconkeeper/g002/status" }
        .map { String(decoding: $0.payload, as: UTF8.self) }
    }
    try await until("all has come") { batches == end["batches"] as? Int && states.count >= 2 }
    #expect(states == ["online", "offline"])
    let places = try String(contentsOfFile: truth, encoding: .utf8).split(separator: "\n")
    #expect(places.count >= 10 && places[0].hasPrefix(#"{"beacon":"tag:0.0","room":"r001","time":"2"#))
    #expect(try await Command.run("check", "--config", site).status == 0)
  }

  /// The first two commands of the manual's page *Fleet*.
  @Test func `one gateway hears nothing itself and decides from what the crowd publishes`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let site = try file("", "yaml")
    let url = "mqtt://127.0.0.1:\(broker.port)"
    let crowd = ["crowd", "--gateways", "8", "--rooms", "4", "--tags", "20", "--interval", "0.2"]
    #expect(try await Command(crowd + ["--config-out", site, "--output-broker", url]).end().status == 0)
    let gateway = try Command(["run", "--config", site])
    defer { gateway.signal(SIGKILL) }
    try await until("it is there") { broker.messages.contains { $0.topic == "beaconkeeper/site/status" } }
    let walkers = try Command(crowd + ["--broker", url, "--seconds", "300"])
    defer { walkers.signal(SIGKILL) }
    try await until("tags are in rooms") {
      broker.messages.contains { $0.topic.wholeMatch(of: #/beaconkeeper/site/room/r00[1-4]/enter/#) != nil }
    }
  }

  @Test func whatWorkersWouldGetCanBeReplayed() async throws {
    let site = try file("", "yaml")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crowd-\(UUID())")
    let result = try await Command.run(
      "crowd", "--gateways", "4", "--tags", "10", "--partitions", "2", "--seconds", "120", "--stay", "20",
      "--duplicates", "0.1", "--journal", folder.path, "--config-out", site, "--rabbitmq", "amqp://127.0.0.1")
    #expect(result.status == 0 && result.isCalm)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    let replayed = try await Command.run("replay", "--config", site, "--journal", folder.path)
    #expect(replayed.status == 0)
    let entries = replayed.lines.filter { $0.contains(#""event":"enter""#) }
    let beacons = Set(entries.compactMap { $0.firstMatch(of: #/"beacon":"([^"]+)"/#)?.1 })
    // Each of them in some room, and some went to another.
    #expect(beacons.count == 10 && entries.count > 15)
  }

  @Test(arguments: [256, 257, 1000]) func asManyGatewaysAsASiteMayHave(gateways: Int) async throws {
    let site = try file("", "yaml")
    let written = try await Command.run(
      "crowd", "--gateways", "\(gateways)", "--config-out", site, "--rabbitmq", "amqp://127.0.0.1")
    #expect(written.status == 0)
    #expect(try String(contentsOfFile: site, encoding: .utf8).contains("outline") == (gateways <= 256))
    #expect(try await Command.run("check", "--config", site).status == 0)
  }

  @Test(arguments: [
    ["--gateways", "0"], ["--broker", "amqp://localhost"], ["--rooms", "30"], ["--journal", "j"], [],
    // More receivers than a configuration may have.
    ["--gateways", "4097", "--config-out", "/dev/null"],
  ])
  func whatCannotBeIsRefused(options: [String]) async throws {
    #expect(try await Command(["crowd"] + options).end().status == 64)
  }
}
