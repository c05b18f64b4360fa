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

  @Test(arguments: [
    ("advertising_interval=5s", "--interval 5s"), ("heard_distance=3m", "--power -12"),
    ("near_spread=1", "simulate --compare"), ("entry_latency_most=20s", "simulate --compare"),
  ]) func `what would change nothing here is no constant`(set: String, hint: String) async throws {
    let result = try await design("--set", set)
    #expect(result.status == 64 && result.errors.contains(hint), "\(result.errors)")
  }

  @Test func `the check for CI loses as many callbacks as the trial did`() async throws {
    let path = try file("", "jsonl")
    for (set, wanted) in [("1", "3"), ("6", "6")] {
      let result = try await design(
        "--interval", "1s", "--set", "empty_ticks_per_ten=\(set)", "--set", "grace=9s", "--ci", path)
      let told = result.output.matches(of: #/empty_ticks_per_ten=(\d)/#).map { String($0.output.1) }
      #expect(told == [wanted], "\(result.output)")
      #expect(result.output.contains("--set grace=9s"))
    }
  }

  @Test func `the page names a profile in one cell, and its codes may break`() async throws {
    let page = try await design("--strategy", "location-always", "--report", "-").output
    #expect(page.contains("<th scope=\"row\">ios17, location-always</th>"), "\(page.count)")
    #expect(page.contains("LOCATION_<wbr/>CONFIG_<wbr/>REJECTED"))
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
