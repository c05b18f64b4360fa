import Foundation
import Testing

/// The counters that Prometheus scrapes, asked for as it does.
@Suite struct MetricsTests {
  private func folder(metrics port: Int, broker: Int, name: String) throws -> String {
    try file(
      """
      gateway: { name: \(name) }
      broker: { url: "mqtt://127.0.0.1:\(broker)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      zones: [{ name: shop }]
      metrics: { listen: "127.0.0.1:\(port)" }
      """, "yaml")
  }

  private func ask(_ path: String, _ port: Int) async throws -> String {
    let request = "GET \(path) HTTP/1.1\\r\\nHost: gateway\\r\\nConnection: close\\r\\n\\r\\n"
    return try await Command(
      ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port) && printf '\(request)' >&3 && cat <&3"],
      executable: URL(fileURLWithPath: "/bin/bash")
    ).end(within: 10).output
  }

  @Test func areServedAndAPortThatIsTakenCostsNothingElse() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let port = Int.random(in: 40_000..<60_000)
    let capture = ["--capture", "config/walk.jsonl"]
    let gateway = try Command(
      ["run", "--config", folder(metrics: port, broker: broker.port, name: "one")] + capture)
    #expect(try await gateway.wait(60) { gateway.outputSoFar.contains("watch: ") })
    var answer = ""
    for _ in 0..<20 where !answer.contains("beaconkeeper_broker_connected 1\n") {
      try await Task.sleep(for: .milliseconds(500))
      answer = try await ask("/metrics", port)
    }
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(answer.contains(#"beaconkeeper_receiver_state{receiver="hci0",state="ok"} 1"#))
    #expect(try await ask("/else", port).hasPrefix("HTTP/1.1 404"))

    let second = try Command(
      ["run", "--config", folder(metrics: port, broker: broker.port, name: "two")] + capture)
    let notice = "the port is taken; the gateway goes on"
    #expect(try await second.wait(60) { second.errorsSoFar.contains(notice) })
    #expect(try await second.wait(60) { second.outputSoFar.contains("watch: ") })
    for gateway in [gateway, second] {
      kill(gateway.process.processIdentifier, SIGINT)
      #expect(try await gateway.end(within: 10).status == 0)
    }
  }
}
