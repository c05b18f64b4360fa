import Foundation
import Testing

/// What `fuse` refuses before it connects to anything.
@Suite struct FuseCommandTests {
  private static let fleet = """
    gateway: { name: site }
    broker: { url: "mqtt://127.0.0.1:1" }
    beacons: [{ name: tag, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }]
    fleet: { rabbitmq: "amqp://127.0.0.1:1" }
    """

  @Test func aFolderThatTakesNoJournalEndsItAtOnce() async throws {
    let config = try file(Self.fleet, "yaml")
    let result = try await Command(["fuse", "--config", config, "--journal", "/proc/none"]).end()
    #expect(result.status == 73)
    #expect(
      result.errors.contains("beaconkeeper: cannot write journals to /proc/none: No such file or directory"))
    #expect(result.isCalm)
  }

  @Test func aConfigurationWithoutAFleetIsRefused() async throws {
    let config = try file(Self.fleet.replacing(#/\nfleet:.*/#, with: ""), "yaml")
    let result = try await Command(["fuse", "--config", config]).end()
    #expect(result.status == 78)
    #expect(result.errors.contains("the configuration has no section fleet"))
  }
}
