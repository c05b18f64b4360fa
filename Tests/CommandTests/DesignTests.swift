import Foundation
import TestSupport
import Testing

/// `design` as a user runs it.
@Suite struct DesignTests {
  private func design(_ arguments: String...) async throws -> Command.Result {
    try await Command(["design", "--near", "2m", "--os", "ios17", "--strategy", "stock"] + arguments).end()
  }

  @Test func `powers are mostly negative, and the same one twice is one`() async throws {
    let once = try await design("--power", "-12")
    let twice = try await design("--power", "-12", "--power", "-12")
    #expect(once.status == 0 && once.output.contains("-12 dBm"), "\(once.errors)")
    #expect(once.output == twice.output)
  }

  @Test func `what takes too long is refused at once, with a configuration, too`() async throws {
    let hours = ["--places", "100", "--stay", "1h", "--spacing", "100m", "--speed", "0.1m/s"]
    let path = try file("gateway: { name: x }\nreceivers: [{ name: hci0 }]\n", "yaml")
    for more in [[], ["--config", path]] {
      let result = try await Command(["design", "--os", "ios17"] + hours + more).end()
      #expect(result.status == 64 && result.errors.contains("too much to try at once"), "\(result.errors)")
    }
  }

  @Test func `an advertising interval is no constant here`() async throws {
    let result = try await design("--set", "advertising_interval=5s")
    #expect(result.status == 64 && result.errors.contains("--interval 5s"), "\(result.errors)")
  }

  @Test func `JSON has a schema, what changing one thing does, and the battery of a day`() async throws {
    let result = try await design("--places", "2", "--power", "-12", "--json")
    #expect(try MessageSchemas.faults(design: result.output) == [])
    #expect(result.output.contains(#""changes":[{"#) && result.output.contains(#""dwell_s":2,"#))
    #expect(result.output.contains(#""battery_factor_day":1."#))
  }

  @Test func `the check that it prints for CI passes`() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("design-\(UUID()).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try await design("--places", "3", "--spacing", "8m", "--ci", path)
    let printed = try #require(result.output.split(separator: "In your CI:").last)
    let words = printed.split { $0.isWhitespace || $0 == "\\" }.map(String.init)
    #expect(words.first == "beaconkeeper")
    #expect(
      result.output.contains("The check ends where the app first ranges the beacon near; it fires 5 s later"))
    let check = try await Command(Array(words.dropFirst())).end()
    #expect(check.status == 0, "\(words): \(check.errors)")
    let odd = path.replacing("design-", with: "a visit-")
    defer { try? FileManager.default.removeItem(atPath: odd) }
    #expect(try await design("--ci", odd).output.contains("--timeline '\(odd)'"))
  }
}
