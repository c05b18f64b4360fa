import Foundation
import Testing

/// `simulate` as a test of an app: what it expects, and what it says where that does not come true.
@Suite struct ExpectationCommandTests {
  private static let stock = ["simulate", "--approach", "50m@1m/s", "--os", "ios7", "--strategy", "stock"]

  @Test func aMetExpectationChangesNothingAndExitsWith0() async throws {
    let plain = try await Command(Self.stock).end()
    let result = try await Command(
      Self.stock + ["--expect", "missed: GRACE_EXPIRED", "--expect", "ranging at 5 s"]
    )
    .end()
    #expect(result.status == 0 && result.errors.isEmpty && result.output == plain.output)
  }

  @Test func aMissedExpectationExitsWith1AndNamesItsCause() async throws {
    let plain = try await Command(Self.stock).end()
    let result = try await Command(Self.stock + ["--expect", "delivered within 2 s"]).end()
    #expect(result.status == 1 && result.output == plain.output)
    for line in [
      "--expect: error: not met by ios7 stock on 50m@1m/s", "  expected: delivered within 2 s",
      "    11 s: suspended", "    grace = 10 s (certain; Radius Networks 2014, D. G. Young 2023)",
      "beaconkeeper: 1 of 1 expectation was not met (1 of 1 check)",
    ] {
      #expect(result.errors.contains(line + "\n"), "\(line) in \(result.errors)")
    }
  }

  @Test func aTimeAfterTheEndNamesTheRemedy() async throws {
    let short = try await Command(Self.stock + ["--expect", "suspended at 120 s"]).end()
    #expect(short.status == 1 && short.errors.contains("hint: --for 120s simulates that long"))
    let long = try await Command(Self.stock + ["--expect", "suspended at 120 s", "--for", "120s"]).end()
    #expect(long.status == 0)
  }

  @Test func aTimelineContainsItsExpectations() async throws {
    let text = """
      {"t":0,"distance_m":50}
      {"t":50,"distance_m":0}
      {"t":200,"expect":"suspended"}
        {"expect":"delivered","strategy":"background-task"}
      {"expect":"delivered","strategy":"stock","os":"ios7"}

      """
    let path = try file(text, "jsonl")
    let profiles = ["--os", "ios7", "--strategy", "stock", "--strategy", "background-task"]
    let result = try await Command(["simulate", "--timeline", path] + profiles).end()
    #expect(result.status == 1)
    #expect(
      result.errors.contains("\(path):5:1: error: not met by ios7 stock on \(path)\n"), "\(result.errors)")
    #expect(!result.errors.contains("\(path):4:"))
    let spoilt = try await Command(
      ["simulate", "--timeline", "-"] + profiles, input: text + "{\"expect\":\"deliverd\"}\n"
    ).end()
    #expect(spoilt.status == 65 && spoilt.errors.hasPrefix("-:6:11: error: \"deliverd\" is no expectation"))
  }

  @Test func anExpectationThatAppliesToNothingIsAMiss() async throws {
    let path = try file(
      """
      {"os":"ios7","expect":"missed"}
      {"os":"iso17","expect":"missed"}
      {"approach":"30m@1m/s","expect":"missed"}

      """, "jsonl")
    let result = try await Command(Self.stock + ["--expect-file", path]).end()
    #expect(result.status == 1)
    #expect(result.errors.contains("\(path):2:1: error: not met\n  expected: missed (os iso17)\n"))
    #expect(
      result.errors.contains(
        "  happened: it applied to nothing that was simulated\n  simulated: os ios7; strategy stock; approach 50m@1m/s"
      ))
    #expect(result.errors.contains("2 of 3 expectations were not met (2 of 3 checks)"))
  }

  @Test func theJUnitFileHasACaseForEachExpectationProfileAndApproach() async throws {
    let path = try file("", "xml")
    let result = try await Command(
      Self.stock + ["--approach", "5m@1m/s", "--os", "ios17", "--expect", "delivered", "--junit", path]
    ).end()
    #expect(result.status == 1 && result.output.contains("MISSED BECAUSE"))
    let junit = try #require(JUnit(try String(contentsOfFile: path, encoding: .utf8)))
    #expect(junit.counts["tests"] == "4" && junit.counts["failures"] == "2")
    let failed = try #require(junit.cases.first { $0.name == "ios17.stock: delivered, 50m@1m/s" })
    #expect(failed.message?.hasPrefix("near at 46 s, missed: GRACE_EXPIRED, ") == true)
    #expect(failed.text.contains("11 s: suspended"))
    #expect(junit.cases.contains { $0.name == "ios7.stock: delivered, 5m@1m/s" && $0.message == nil })
  }

  @Test func withoutExpectationsEachTriggerIsACase() async throws {
    let text = """
      {"t":0,"distance_m":30}
      {"t":5,"distance_m":0}
      {"t":35,"distance_m":30}
      {"t":60,"distance_m":0}

      """
    let profile = ["--os", "ios7", "--strategy", "stock", "--junit", "-"]
    let visits = try await Command(["simulate", "--timeline", "-"] + profile, input: text).end()
    #expect(visits.status == 0)
    let junit = try #require(JUnit(visits.output))
    #expect(junit.cases.map { $0.message == nil } == [true, false])
    let passing = try await Command(
      ["simulate", "--timeline", "-"] + profile,
      input: "{\"t\":0,\"distance_m\":30}\n{\"t\":5,\"distance_m\":20}\n"
    ).end()
    #expect(try #require(JUnit(passing.output)).counts["skipped"] == "1")
  }

  @Test func aRecordingIsHeldToItsExpectations() async throws {
    let result = try await Command([
      "simulate", "--capture", "config/walk.jsonl", "--config", "config/demo.yaml", "--os", "ios7",
      "--strategy",
      "stock", "--expect", "late", "--junit", "-",
    ]).end()
    #expect(result.status == 1 && result.errors.contains("GRACE_EXPIRED"))
    let junit = try #require(JUnit(result.output))
    #expect(!junit.cases.isEmpty && junit.cases.allSatisfy { $0.name.contains(": late, ") })
  }

  @Test func hostileNamesStayText() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("<a&\"b'>\u{7}-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("visit.jsonl").path
    try Data("{\"t\":0,\"distance_m\":30}\n{\"expect\":\"missed\"}\n".utf8).write(
      to: URL(fileURLWithPath: path))
    let result = try await Command([
      "simulate", "--timeline", path, "--os", "ios7", "--strategy", "stock", "--junit", "-",
    ]).end()
    #expect(result.status == 1)
    let junit = try #require(JUnit(result.output))
    #expect(junit.cases[0].name.contains("<a&\"b'>\u{FFFD}-"))
  }

  @Test(arguments: [
    (["--expect", "soon"], "--expect: \"soon\" is no expectation; the forms are delivered, "),
    (["--junit", "-", "--json"], "--junit - and --json both write to standard output"),
    (["--junit", "-", "--report", "-"], "--report - and --junit - both write to standard output"),
    (["--junit", "x", "--report", "x"], "--report and --junit both write to x"),
  ])
  func wrongUseIsRefused(arguments: [String], words: String) async throws {
    let result = try await Command(Self.stock + arguments).end()
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(words), "\(result.errors)")
  }

  @Test func unusableFilesAreReported() async throws {
    let bad = try file("{\"expect\":\"late\"}\n{\"expect\":\"missed: TASK\"}\n", "jsonl")
    for (arguments, status, words) in [
      (["--expect-file", bad], Int32(65), "\(bad):2:11: error: \"task\" is no reason for a miss; one of "),
      (["--expect-file", try file("\n", "jsonl")], 65, "there is no expectation in this file"),
      (["--expect-file", bad + ".none"], 74, "cannot be read: No such file"),
      (["--junit", bad + ".none/x.xml"], 73, "cannot write the report"),
    ] {
      let result = try await Command(Self.stock + arguments).end()
      #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
    }
  }
}
