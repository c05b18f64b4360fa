import Foundation
import Testing

/// The log of `run`, for people and for machines.
@Suite struct LogTests {
  private let entry =
    #"{"t":1,"receiver":"attic","address":"C1:00:00:00:00:01","address_type":"random","rssi":-60,"payload":"020106"}"#
    + "\n"

  /// Runs until the broker knows that a beacon has come into the house, and it is said as it should be.
  private func log(_ options: String..., until isSaid: (Command) -> Bool) async throws -> Command.Result {
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file(
      """
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      zones: [{ name: house, enter: { signal: -70 dBm, dwell: 200 ms }, exit: { signal: -80 dBm, lost: 1 min } }]
      """, "yaml")
    let pipe = Pipe()
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"] + options, standardInput: pipe.fileHandleForReading
    )
    #expect(
      try await gateway.wait {
        try? pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
        usleep(100_000)
        return isSaid(gateway) && broker.messages.contains { $0.topic.hasSuffix("/enter") }
      })
    gateway.signal(SIGTERM)
    let result = try await gateway.end()
    #expect(result.status == 0)
    try pipe.fileHandleForWriting.close()
    return result
  }

  @Test func jsonLinesHaveTimeLevelAndFields() async throws {
    let result = try await log("--log-format", "json") { $0.outputSoFar.contains("\"event\":\"enter\"") }
    let objects = try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
    }
    let enter = try #require(objects.first { $0["event"] == "enter" })
    #expect(enter["level"] == "info" && enter["beacon"] == "key" && enter["zone"] == "house")
    #expect(enter["receiver"] == "attic" && enter["message"]?.hasPrefix("enter house key ") == true)
    #expect(objects.allSatisfy { $0["time"]?.count == 24 })
    #expect(objects.last?["message"] == "stopped" && objects.last?["level"] == "notice")
  }

  @Test func aLineInAFileHasItsDateAndLevel() async throws {
    let result = try await log { $0.outputSoFar.contains("enter  house") }
    let date = #/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ  /#
    #expect(result.lines.contains { $0.contains(date) && $0.contains("enter  house") })
    #expect(
      result.errors.split(separator: "\n").contains { $0.contains(date) && $0.hasSuffix("notice: stopped") })
  }

  @Test func aLevelHidesLowerLevels() async throws {
    let result = try await log("--log-level", "warning") { _ in true }
    #expect(result.output == "" && !result.errors.contains("stopped"))
  }

  @Test func debugShowsEveryMessage() async throws {
    let result = try await log("--log-level", "debug") { $0.errorsSoFar.contains("zone/house/enter") }
    #expect(result.errors.contains("debug: published"))
  }

  @Test func anUnknownLevelIsRefused() async throws {
    let result = try await Command.run("run", "--log-level", "loud")
    #expect(result.status == 64 && result.errors.contains("notice"))
  }
}
