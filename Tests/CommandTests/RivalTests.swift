import Foundation
import TestSupport
import Testing

/// Two gateways of one name at one broker.
@Suite(.serialized) struct RivalTests {
  private func gateway(_ broker: Broker, _ more: String) throws -> Command {
    let path = try file(
      """
      gateway: { name: twin }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)", \(more) }
      home_assistant: off
      """, "yaml")
    return try Command(["run", "--config", path, "--capture", "config/walk.jsonl"])
  }

  private func count(_ topic: String, at broker: Broker) -> Int {
    broker.messages.count { $0.topic == "beaconkeeper/twin/\(topic)" }
  }

  @Test(arguments: [
    ("protocol: 5", "protocol: 5"), ("protocol: 3.1.1", "protocol: 3.1.1"), ("client_id: a", "client_id: b"),
  ])
  func aSecondGatewayOfTheSameNameStopsWithAReason(first: String, second: String) async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let one = try gateway(broker, first)
    defer { one.signal(SIGKILL) }
    #expect(try await one.wait { one.outputSoFar.contains("watch: ") })
    try await until("the first has said who it is") { count("instance", at: broker) == 1 }
    let other = try await gateway(broker, second).end()
    #expect(other.status == 69)
    #expect(
      other.errors.contains("another gateway with this name (beaconkeeper/twin/instance)"), "\(other.errors)")
    try await until("the first has said so again") { count("instance", at: broker) >= 3 }
    // The second may have said that it is offline, by its last will.
    let isOnline = try await one.wait {
      broker.messages.last { $0.topic == "beaconkeeper/twin/status" }?.payload == Array("online".utf8)
    }
    #expect(isOnline)
    one.signal(SIGINT)
    #expect(try await one.end().status == 0)
  }

  /// As the last will of a connection that was given up does, which comes when it likes.
  @Test func aFalseOfflineStatusIsCorrected() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let one = try gateway(broker, "protocol: 5")
    #expect(try await one.wait { one.outputSoFar.contains("watch: ") })
    func statuses() -> [String] {
      broker.messages.filter { $0.topic == "beaconkeeper/twin/status" }.map {
        String(decoding: $0.payload, as: UTF8.self)
      }
    }
    #expect(try await one.wait { statuses().last == "online" })
    for lie in ["offline", "offline"] {
      let told = statuses().count
      try await run([
        "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-r", "-t", "beaconkeeper/twin/status", "-m", lie,
      ])
      #expect(
        try await one.wait { statuses().count >= told + 2 && statuses().last == "online" }, "\(lie)")
    }
    // Who lies without end is told of, and put right still, though not as often.
    let told = statuses().count
    _ = try await Command(
      ["-p", "\(broker.port)", "-q", "1", "-r", "-t", "beaconkeeper/twin/status", "-l"],
      input: String(repeating: "offline\n", count: 50),
      executable: URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
    ).end()
    #expect(try await one.wait { statuses().count >= told + 51 && statuses().last == "online" })
    #expect(statuses().count < told + 70)
    #expect(one.errorsSoFar.contains("keeps publishing `offline` on beaconkeeper/twin/status"))
    one.signal(SIGINT)
    #expect(try await one.end().status == 0)
    #expect(try await one.wait { statuses().last == "offline" })
  }

  @Test func aGatewayThatIsStartedAgainIsNoRivalOfItself() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    for (run, signal) in [SIGKILL, SIGINT, SIGINT].enumerated() {
      let one = try gateway(broker, "protocol: 5")
      try await until("run \(run) has said who it is") { count("instance", at: broker) > run }
      // What stood at the broker has come to it by then.
      try await until("the health of run \(run)") { count("health", at: broker) > run }
      one.signal(signal)
      #expect(try await one.end().status == (signal == SIGINT ? 0 : 128 + SIGKILL))
    }
  }
}
