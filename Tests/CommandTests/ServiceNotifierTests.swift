import Foundation
import Testing

/// `run` as a service: what systemd is told.
@Suite struct ServiceNotifierTests {
  @Test func itSaysWhenItIsReadyAliveReloadingAndStopping() async throws {
    let manager = try NotifySocket()
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }", "yaml")
    let pipe = Pipe()
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading,
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "300000"])
    var heard: [String] = []
    func hears(_ line: String, times count: Int = 1) async throws -> Bool {
      try await gateway.wait {
        heard += manager.lines()
        return heard.count { $0.hasPrefix(line) } >= count
      }
    }
    #expect(try await hears("READY=1"))
    #expect(try await hears("WATCHDOG=1", times: 3))
    #expect(heard.contains { $0.hasPrefix("STATUS=0 beacons known; ") })
    heard = []
    gateway.signal(SIGHUP)
    #expect(try await hears("READY=1"))
    let words = heard.filter { !$0.hasPrefix("WATCHDOG") && !$0.hasPrefix("STATUS") }
    #expect(words.first == "RELOADING=1" && words.last == "READY=1")
    #expect(words.contains { $0.hasPrefix("MONOTONIC_USEC=") })
    gateway.signal(SIGTERM)
    #expect(try await hears("STOPPING=1"))
    let result = try await gateway.end()
    #expect(result.status == 0, "\(result.errors)")
    try pipe.fileHandleForWriting.close()
  }

  /// A gateway without its broker decides nevertheless; a restart would not help it.
  @Test func withoutABrokerItIsReadyAndAlive() async throws {
    let manager = try NotifySocket()
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:1\" }", "yaml")
    let pipe = Pipe()
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading,
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "300000"])
    var heard: [String] = []
    #expect(
      try await gateway.wait {
        heard += manager.lines()
        return heard.first == "READY=1" && heard.count { $0 == "WATCHDOG=1" } >= 3
      })
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    try pipe.fileHandleForWriting.close()
  }
}
