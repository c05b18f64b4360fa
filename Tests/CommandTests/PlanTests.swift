import Foundation
import Testing

/// `plan` as a user runs it.
@Suite struct PlanTests {
  private struct Proposal: Decodable {
    struct Plan: Decodable {
      struct Broadcast: Decodable, Equatable {
        var region: Int
        var start_s: Double
        var duration_s: Double
      }
      struct Region: Decodable {
        var uuid: String?
        var minor: Int
      }
      var regions: Int
      var period_s: Double
      var broadcasts: [Broadcast]
      var register: [Region]
      var tight: Bool
    }
    var os: String
    var strategy: String
    var gap_free: Bool
    var needs_plan: Bool
    var why: String?
    var cover: Double
    var longest_gap_s: Double
    var first_window_s: Double?
    var first_window_by_s: Double
    var plan: Plan?
    var callbacks_per_minute: Double
    var battery_of_day: Double
    var battery_of_day_location_always: Double
    var review_risk: String
    var review_note: String
  }

  private static func plan(_ arguments: String..., status: Int32 = 0) async throws -> Proposal {
    let result = try await Command(["plan", "--json"] + arguments).end()
    #expect(result.status == status, "\(result.errors)")
    return try JSONDecoder().decode(Proposal.self, from: Data(result.output.utf8))
  }

  @Test func aPlanIsPrintedWithTimelineProofAndCost() async throws {
    let result = try await Command(["plan", "--os", "ios13", "--strategy", "background-task"]).end()
    #expect(result.status == 0 && result.errors.isEmpty)
    for words in [
      "ios13, background-task: one region keeps the app listening.",
      "Region 1 is on air for 4 s of every 37 s.", "region 1  ##", "100 % of an hour within reach, no gap",
      "at most 37 s after the phone came within reach", "with location-always x2 all day",
      "App review    high risk (2 or more wake-ups a minute: Radius Networks 2014 warns of rejection",
      "Apple's beginBackgroundTask: \"should not use this method simply to keep your app running\"",
      "S. Hu 2014: apps that hold tasks for nothing are refused",
      "exit_latency 30 s (region exit: up to 30 s; likely)", "- { region: 1, start: 0 s, duration: 4 s }",
    ] { #expect(result.output.contains(words), "\(words)") }
  }

  @Test func machinesGetTheSame() async throws {
    let proposal = try await Self.plan(
      "--os", "ios7", "--strategy", "background-task", "--reach", "50m", "--speed", "1m/s", "--uuid",
      "f29dc74a-dbbd-12de-318a-c8b046dd4425")
    let plan = try #require(proposal.plan)
    #expect(proposal.gap_free && proposal.cover == 1 && proposal.longest_gap_s == 0 && plan.tight)
    #expect(plan.broadcasts == [.init(region: 1, start_s: 0, duration_s: 181)] && plan.period_s == 227)
    #expect(proposal.callbacks_per_minute < 0.6 && proposal.review_risk == "medium")
    #expect(try #require(proposal.first_window_s) <= proposal.first_window_by_s)
    #expect(plan.register.map(\.uuid) == ["F29DC74A-DBBD-12DE-318A-C8B046DD4425"])
    #expect(proposal.battery_of_day < 1.1 && proposal.battery_of_day_location_always == 2)
  }

  @Test func aPlanWithAGapIsReportedAndChangesTheStatus() async throws {
    let proposal = try await Self.plan(
      "--os", "ios17", "--strategy", "stock", "--regions", "3", status: 1)
    #expect(!proposal.gap_free && proposal.cover < 0.6 && proposal.longest_gap_s == 6)
    #expect(proposal.why?.contains("that takes 6 regions, and 3 are to be had") == true)
    #expect(proposal.review_risk == "high" && proposal.review_note.contains("Apple's beginBackgroundTask"))
    let android = try await Self.plan("--os", "android8", "--strategy", "altbeacon-job", status: 1)
    #expect(android.plan == nil && android.why?.contains("whatever is on air") == true)
  }

  @Test func aStrategyThatAlwaysListensNeedsNoPlan() async throws {
    let proposal = try await Self.plan("--os", "ios7", "--strategy", "location-always")
    #expect(!proposal.needs_plan && proposal.plan == nil)
    #expect(
      proposal.review_risk == "high" && proposal.review_note.hasPrefix("needs a benefit that users see"))
  }

  @Test func severalPairsGetALineEach() async throws {
    let result = try await Command(["plan", "--os", "android8", "--os", "ios6"]).end()
    #expect(result.status == 0)
    #expect(result.lines.contains { $0.hasPrefix("android8  altbeacon-intent") && $0.contains("unneeded") })
    #expect(result.lines.contains { $0.hasPrefix("ios6") && $0.contains("never") })
    let none = try await Command(["plan", "--os", "ios6"]).end()
    #expect(none.status == 1 && none.output.contains("ios6 knows no beacons"))
  }

  @Test func `systems that come to the same share a line, and the newest come first`() async throws {
    let lines = try await Command(["plan", "--strategy", "stock"]).end().lines.filter {
      $0.contains(" stock ")
    }
    #expect(lines.first?.hasPrefix("ios8 to ios26 (7 alike)") ?? false, "\(lines)")
    #expect(lines.last?.hasPrefix("ios6 ") ?? false && lines.count == 3, "\(lines)")
  }

  @Test func aPageIsNeverWrittenInPart() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).html").path
    let pair = ["--os", "ios7", "--strategy", "stock"]
    let result = try await Command(["plan", "--report", path] + pair).end()
    #expect(result.status == 0)
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      page.contains("Two rounds of the plan for ios7, stock") && page.hasSuffix("</html>\n")
        || page.hasSuffix("</html>"))
    let nowhere = try await Command(["plan", "--report", "/nowhere/page.html"] + pair).end()
    #expect(nowhere.status == 73 && nowhere.isCalm)
  }

  @Test(arguments: [
    ["--reach", "0"], ["--reach", "-5m"], ["--reach", "1e9m"], ["--reach", "2km"], ["--speed", "0"],
    ["--speed", "1e300"], ["--slots", "0"], ["--slots", "-1"], ["--slots", "99999999999999999999"],
    ["--regions", "0"], ["--regions", "21"], ["--tolerance", "-1s"], ["--tolerance", "1h"],
    ["--tolerance", "nan"], ["--uuid", "1234"], ["--os", "ios99x"], ["--set", "grace"],
    ["--report", "-", "--json"], ["--os", "ios7", "--strategy", "altbeacon-job"],
  ])
  func nonsenseIsRefused(arguments: [String]) async throws {
    let result = try await Command(["plan"] + arguments).end()
    #expect(result.status == 64 && result.output.isEmpty && result.isCalm, "\(result.errors)")
    #expect(!result.errors.isEmpty)
  }

  @Test(arguments: [
    ["--cap", "3650d"], ["--set", "entry_latency=3650d"], ["--set", "exit_latency=10min"],
    ["--set", "grace=1ms", "--cap", "1ms"], ["--reach", "1m", "--speed", "1m/s", "--slots", "4"],
    ["--reach", "1km", "--speed", "0.01m/s"], ["--tolerance", "60s"],
  ])
  func extremesGetAnAnswer(arguments: [String]) async throws {
    let result = try await Command(["plan", "--os", "ios13", "--strategy", "background-task"] + arguments)
      .end()
    #expect(result.isCalm && (result.status == 0 || result.status == 1), "\(result.status) \(result.errors)")
    #expect(result.lines.first == "iOS as observed in the field (observed)")
    #expect(result.lines.contains { $0.hasPrefix("ios13, background-task: ") })
  }
}
