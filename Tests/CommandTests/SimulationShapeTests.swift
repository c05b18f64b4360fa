import Foundation
import TestSupport
import Testing

/// `simulate --json` has one shape, whatever was asked for.
@Suite struct SimulationShapeTests {
  private struct Document: Decodable {
    struct Result: Decodable {
      var approach: String
      var phone: String?
      var os: String
      var strategy: String
      var outcome: String?
    }
    struct Profile: Decodable { var strategy: String }
    struct Expectation: Decodable {
      var met: Bool
      var message: String?
    }
    struct Comparison: Decodable { var visits_per_day: Int }
    var version: Int
    var kind: String
    var approaches: Int
    var results: [Result]
    var results_left_out: Int
    var profiles: [Profile]
    var expectations: [Expectation]
    var expectations_left_out: Int
    var comparison: Comparison?
  }

  /// Runs it and holds what it wrote to the schema.
  private static func simulate(_ arguments: String..., status: Int32 = 0) async throws -> Document {
    let result = try await Command(["simulate", "--json"] + arguments).end()
    #expect(result.status == status, "\(result.errors)")
    #expect(try MessageSchemas.faults(simulation: result.output) == [])
    return try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
  }

  @Test func oneProfileAndOneApproachMakeOneResult() async throws {
    let document = try await Self.simulate("--approach", "50m@1m/s", "--os", "ios7", "--strategy", "stock")
    #expect(document.version == 1 && document.kind == "simulation" && document.comparison == nil)
    #expect(document.results.map(\.outcome) == ["GRACE_EXPIRED"] && document.profiles.count == 1)
    #expect(document.expectations.isEmpty && document.results_left_out == 0)
  }

  @Test func everyProfileOnEveryApproachHasAResult() async throws {
    let document = try await Self.simulate("--approach", "50m@1m/s", "--approach", "50m@0.2m/s")
    #expect(document.approaches == 2 && document.results.count == 2 * document.profiles.count)
    #expect(Set(document.results.map(\.approach)) == ["50m@1m/s", "50m@0.2m/s"])
  }

  @Test func aComparisonStandsBesideTheResults() async throws {
    let document = try await Self.simulate(
      "--compare", "--approach", "50m@1m/s", "--os", "ios7", "--visits-per-day", "3")
    #expect(document.comparison?.visits_per_day == 3 && document.results.count == document.profiles.count)
  }

  @Test func expectationsAreListedWithTheirMessages() async throws {
    let document = try await Self.simulate(
      "--approach", "50m@1m/s", "--os", "ios7", "--strategy", "stock", "--expect", "delivered", "--expect",
      "missed", status: 1)
    #expect(document.expectations.map(\.met) == [false, true])
    #expect(document.expectations[0].message?.contains("GRACE_EXPIRED") == true)
    #expect(document.expectations[1].message == nil)
  }

  @Test func aRecordingHasTheSameShape() async throws {
    let document = try await Self.simulate(
      "--capture", "config/walk.jsonl", "--config", "config/demo.yaml", "--os", "ios7", "--expect",
      "no trigger",
      status: 1)
    #expect(document.approaches > 0 && document.results.contains { $0.phone != nil })
  }

  @Test func resultsAreBoundedAndTheRestIsCounted() async throws {
    var arguments = ["simulate", "--json", "--expect", "late"]
    for number in 1...60 { arguments += ["--approach", "\(number)m@1m/s"] }
    let output = try await Command(arguments).end().output
    #expect(try MessageSchemas.faults(simulation: output) == [])
    let document = try JSONDecoder().decode(Document.self, from: Data(output.utf8))
    #expect(document.results.count == 1000)
    let all = 60 * document.profiles.count
    #expect(document.results_left_out == all - 1000)
    #expect(document.expectations.count { !$0.met } == 1000)
    #expect(document.expectations.count + document.expectations_left_out == all)
  }

  @Test func theSchemaRefusesUnknownKeys() async throws {
    let output = try await Command.run(
      "simulate", "--json", "--approach", "50m@1m/s", "--os", "ios7", "--strategy", "stock"
    ).output
    for (old, new) in [
      ("\"version\":1", "\"version\":2"), ("\"near_at\":46", "\"near_at\":\"46\""),
      ("\"results_left_out\"", "\"left_out\""), ("\"kind\"", "\"x\":1,\"kind\""),
    ] {
      #expect(try MessageSchemas.faults(simulation: output.replacing(old, with: new)) != [], "\(new)")
    }
  }
}
