import Foundation
import Testing

/// The counters that node_exporter's textfile collector picks up.
@Suite struct MetricsTests {
  private func configuration(_ metrics: String, broker: Int) throws -> String {
    try file(
      """
      gateway: { name: one }
      broker: { url: "mqtt://127.0.0.1:\(broker)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      zones: [{ name: shop }]
      metrics: { file: \(metrics), every: 1 s }
      """, "yaml")
  }

  @Test func areWrittenWhileItRunsAndGoWithIt() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let metrics = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).prom")
    let gateway = try Command(
      ["run", "--config", configuration(metrics.path, broker: broker.port), "--capture", "config/walk.jsonl"])
    func text() -> String { (try? String(contentsOf: metrics, encoding: .utf8)) ?? "" }
    #expect(
      try await gateway.wait { text().contains(#"beaconkeeper_broker_connected{gateway="one"} 1"#) })
    let state = #"beaconkeeper_receiver_state{gateway="one",receiver="hci0",state="ok"} 1"#
    #expect(try await gateway.wait { text().contains(state) })
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
    #expect(!FileManager.default.fileExists(atPath: metrics.path))
  }

  @Test func anUnwritableMetricsFileDoesNotStopTheGateway() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let gateway = try Command(
      [
        "run", "--config", configuration("/proc/no/such.prom", broker: broker.port), "--capture",
        "config/walk.jsonl",
      ])
    #expect(
      try await gateway.wait {
        gateway.errorsSoFar.contains("cannot write metrics to /proc/no/such.prom: ")
      })
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }
}
