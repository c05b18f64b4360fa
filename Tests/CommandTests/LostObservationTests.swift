import Foundation
import Testing

/// Observations that the broker refuses.
@Suite struct LostObservationTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lost-\(UUID())").path

  private func configuration(_ broker: Broker, buffer: String) -> String {
    """
    gateway: { name: g, state_directory: \(folder) }
    broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: 5 }
    beacons: [ { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } } ]
    publish: { observations: { interval: 500 ms\(buffer) } }
    telemetry: { health: 1 s }
    home_assistant: off
    """
  }

  /// A counter that falls back looks like a restart.
  @Test func theyStayCountedWhenNoneAreToWaitAnyMore() async throws {
    let access = try file("topic readwrite #\ntopic deny beaconkeeper/g/observations/#\n", "acl")
    let broker = try await Broker(
      "allow_anonymous true\nacl_file \(access)\nuser root\nmax_queued_messages 10000")
    defer { broker.stop() }
    let path = try file(configuration(broker, buffer: ", buffer: 1 MB"), "yaml")
    let gateway = try Command(["run", "--config", path, "--capture", "config/walk.jsonl"])
    defer { gateway.signal(SIGKILL) }
    struct Health: Decodable {
      struct Waiting: Decodable {}
      var observations_lost: Int
      var observations_waiting: Waiting?
    }
    func healths() -> [Health] {
      broker.messages.filter { $0.topic.hasSuffix("/health") }.compactMap {
        try? JSONDecoder().decode(Health.self, from: Data($0.payload))
      }
    }
    #expect(
      try await gateway.wait { (healths().last?.observations_lost ?? 0) > 0 }, "\(gateway.errorsSoFar)")
    try Data(configuration(broker, buffer: "").utf8).write(to: URL(fileURLWithPath: path))
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("configuration reloaded") })
    #expect(try await gateway.wait { healths().last.map { $0.observations_waiting == nil } ?? false })
    let counts = healths().map(\.observations_lost)
    #expect(counts == counts.sorted() && counts.last ?? 0 > 0)
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }
}
