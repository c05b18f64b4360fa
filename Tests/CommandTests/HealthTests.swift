import Foundation
import Testing

/// `health`: whether a gateway is alive, for containers and scripts.
@Suite struct HealthTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("health-\(UUID())")

  private func health() async throws -> Command.Result {
    try await Command.run("health", "--directory", folder.path)
  }

  private func bootTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func leave(_ text: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appendingPathComponent("alive"))
  }

  @Test func aGatewayIsAliveUntilItIsStopped() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }", "yaml")
    let pipe = Pipe()
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading,
      environment: ["RUNTIME_DIRECTORY": folder.path])
    #expect(try await gateway.wait { FileManager.default.fileExists(atPath: folder.path + "/alive") })
    let alive = try await health()
    #expect(alive.status == 0, "\(alive.errors)")
    #expect(alive.output.contains(" s ago: 0 beacons known; "), "\(alive.output)")
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    let gone = try await health()
    #expect(gone.status == 69)
    #expect(gone.errors.contains("no gateway runs here"), "\(gone.errors)")
    try pipe.fileHandleForWriting.close()
  }

  @Test func oneThatHasSaidNothingFor75SecondsIsNot() async throws {
    // A busy machine may take seconds to ask.
    try leave("\(bootTime() - 50_000_000_000) 3 beacons known")
    #expect(try await health().status == 0)
    try leave("\(bootTime() - 80_000_000_000) 3 beacons known")
    let result = try await health()
    #expect(result.status == 69)
    #expect(result.errors.contains("its last record: 3 beacons known"), "\(result.errors)")
  }

  @Test func anAliveFileFromBeforeTheBootIsIgnored() async throws {
    try leave("\(bootTime() + 3_600_000_000_000) 3 beacons known")
    #expect(try await health().status == 69)
  }

  @Test(arguments: ["", "alive", "x y", "12", String(repeating: "9", count: 40) + " z", "\0\0\0"])
  func anInvalidAliveFileIsRefused(text: String) async throws {
    try leave(text)
    let result = try await health()
    #expect(result.status == 65 && result.isCalm, "\(result.errors)")
  }
}
