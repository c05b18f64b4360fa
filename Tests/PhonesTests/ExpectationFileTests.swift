import Phones
import TestSupport
import Testing

/// Expectations in timelines and in files of their own.
@Suite struct ExpectationFileTests {
  private func timeline(_ text: String) -> TimelineFile { TimelineFile(Array(text.utf8)) }
  private func file(_ text: String) -> ExpectationFile { ExpectationFile(Array(text.utf8)) }

  @Test func expectationsInATimelineHavePositions() throws {
    let file = timeline(
      """
      {"t":0,"distance_m":50}
      {"t":50,"distance_m":0}
        {"expect":"delivered within 2 s","os":"ios17","strategy":"background-task"}
      {"t":300,"expect":"suspended"}
      """)
    #expect(file.faults.isEmpty)
    #expect(file.expectations.map(\.line) == [3, 4] && file.expectations.map(\.column) == [3, 1])
    #expect(file.expectations[0].scope == "os ios17, strategy background-task")
    #expect(file.expectations[1].expectation.claim == .state(.suspended, at: 300_000))
    #expect(file.timeline().end == 300_000, "as long as something is expected")
    #expect(file.timeline(until: 60_000).end == 60_000)
  }

  @Test func expectationsAloneAreNoTimeline() {
    #expect(timeline(#"{"expect":"delivered"}"#).isEmpty)
  }

  @Test(arguments: [
    (#"{"expect":"delivered soon"}"#, 11, "is no expectation"), (#"{"expect":3}"#, 11, "in double quotes"),
    (#"{"t":5,"expect":"delivered"}"#, 17, "goes with a state"),
    (#"{"t":-1,"expect":"ranging"}"#, 6, "seconds"),
    (#"{"expect":"late","expect":"late"}"#, 18, "twice"), (#"{"expect":"late","os":7}"#, 23, "a name"),
    (#"{"expect":"late","distance_m":7}"#, 18, "no member of an expectation"),
    (#"{"expect":"ranging"}"#, 11, "when is missing"),
  ])
  func aBadExpectationIsReportedWithItsPosition(line: String, column: Int, words: String) {
    for faults in [timeline("{\"t\":0,\"distance_m\":1}\n\(line)\n").faults, file("\n\(line)\n").faults] {
      #expect(faults.map(\.line) == [2])
      #expect(faults.map(\.column) == [column])
      #expect(faults.allSatisfy { $0.message.contains(words) }, "\(faults)")
    }
  }

  @Test func aLineMayBeRestricted() throws {
    let text =
      #"{"approach":"visit.jsonl","os":"iOS 17.4","strategy":"stock","phone":"anna","expect":"missed"}"#
    let expectation = try #require(file(text).expectations.first)
    let profile = Walk(os: "ios17").profile
    func applies(_ approach: String, _ phone: String?, _ systems: Set<String> = ["ios17"]) -> Bool {
      expectation.applies(to: profile, of: phone, on: approach, among: systems)
    }
    #expect(applies("visit.jsonl", "anna") && applies("ci/visit.jsonl", "anna"))
    #expect(
      !applies("revisit.jsonl", "anna") && !applies("visit.jsonl", "ben") && !applies("visit.jsonl", nil))
    #expect(!applies("visit.jsonl", "anna", ["ios17", "iOS 17.4"]), "a profile of that very name goes first")
    let other = Walk(os: "ios17", strategy: "low-power").profile
    #expect(!expectation.applies(to: other, of: "anna", on: "visit.jsonl", among: ["ios17"]))
    #expect(ScopedExpectation(Simulation.Expectation(.late)).applies(to: other, of: nil, on: "x", among: []))
  }

  @Test func aFileWithoutExpectIsReported() {
    #expect(file(#"{"os":"ios17"}"#).faults.map(\.message).first?.hasPrefix("\"expect\" is missing") == true)
    #expect(file("").expectations.isEmpty && file("\n \n").faults.isEmpty)
  }

  @Test func howManyIsBounded() {
    let line = "{\"expect\":\"late\"}\n"
    let many = file(String(repeating: line, count: 10_001))
    #expect(many.expectations.count == 10_000 && many.faults.map(\.line) == [10_001])
    #expect(file(String(repeating: "x\n", count: 1000)).faults.count == 20)
  }

  @Test func bytesThatAreNoTextDoNoHarm() {
    var random = SeededGenerator(3)
    let seed = Array(#"{"t":50,"approach":"a","os":"ios17","strategy":"stock","expect":"ranging"}"#.utf8)
    for _ in 0..<3000 {
      var bytes = seed
      for _ in 0..<3 { bytes[random.pick(Array(bytes.indices))] = UInt8.random(in: 0...255, using: &random) }
      let file = ExpectationFile(bytes)
      #expect(file.faults.isEmpty != file.expectations.isEmpty || bytes.contains(0x0A))
      _ = TimelineFile(bytes)
    }
  }
}
