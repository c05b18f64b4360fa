import Foundation
import Testing

@Suite struct DoctorTests {
  @Test func everythingIsLookedAtAndTheStatusSaysWhetherItStandsInTheWay() async throws {
    let result = try await Command.run("doctor")
    #expect(result.isCalm)
    for subject in ["configuration", "kernel", "adapter", "clock", "disk", "broker"] {
      #expect(result.lines.contains { $0.dropFirst(9).hasPrefix(subject) }, "\(subject)")
    }
    #expect((result.status == 69) == result.lines.contains { $0.hasPrefix("FAULT") })
    #expect(result.status == 69 || result.status == 0)
  }

  @Test func asJSONItIsOneObject() async throws {
    let result = try await Command.run("doctor", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let checks = try #require(object["checks"] as? [[String: Any]])
    let faults = checks.filter { $0["state"] as? String == "fault" }
    #expect(object["ok"] as? Bool == faults.isEmpty)
    #expect(checks.count >= 6)
  }

  @Test func aBrokerThatIsNotThereIsAFaultInWords() async throws {
    let path = try file("broker: { url: \"mqtt://127.0.0.1:9\" }\n", "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.lines.contains { $0.hasPrefix("FAULT    broker") && $0.contains("127.0.0.1:9") })
    #expect(result.status == 69)
  }

  @Test func aFaultyConfigurationIsSaidAndTheRestIsLookedAt() async throws {
    let path = try file("zonnes: []\n", "yaml")
    let result = try await Command.run("doctor", "--config", path)
    #expect(result.status == 78)
    #expect(result.output.contains("beaconkeeper check \(path)"))
    #expect(result.output.contains("disk"))
  }
}
