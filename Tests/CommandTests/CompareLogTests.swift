import Foundation
import TestSupport
import Testing

/// `compare-log` as a user runs it, with the example as it ships.
@Suite struct CompareLogTests {
  private static let folder = Command.package.appendingPathComponent("config/examples/app-log")
  private static let visit = ["--timeline", "visit.jsonl", "--os", "ios17", "--strategy", "background-task"]

  private func compare(_ arguments: [String], input: String = "") async throws -> Command.Result {
    try await Command(["compare-log"] + arguments, input: input, directory: Self.folder).end()
  }

  @Test func `The example's first log agrees, and the second diverges as its README shows`() async throws {
    let good = try await compare(["agrees.log"] + Self.visit)
    #expect(good.status == 0, "\(good.output)\(good.errors)")
    let bad = try await compare(["diverges.log"] + Self.visit)
    #expect(bad.status == 1)
    let readMe = try String(contentsOf: Self.folder.appendingPathComponent("README.md"), encoding: .utf8)
    let shown = readMe.split(separator: "\n").drop { !$0.hasPrefix("    at ") }
      .prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
    #expect(shown.count == 4)
    #expect(bad.output.contains("FIRST DIVERGENCE\n" + shown.joined(separator: "\n")), "\(bad.output)")
    let fixed = try await compare(["diverges.log"] + Self.visit + ["--set", "task_cap=20s"])
    #expect(fixed.status == 0, "\(fixed.output)")
  }

  @Test func `JSON has the same divergences, with their constants and the clock`() async throws {
    let result = try await compare(["diverges.log"] + Self.visit + ["--json"])
    #expect(try MessageSchemas.faults(logComparison: result.output) == [])
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let log = try #require((root["logs"] as? [[String: Any]])?.first)
    #expect(log["clock_events"] as? Int == 4)
    let first = try #require((log["divergences"] as? [[String: Any]])?.first)
    #expect(first["kind"] as? String == "expiration")
    #expect(
      (first["constants"] as? [[String: Any]])?.contains { $0["name"] as? String == "task_cap" } == true)
  }

  @Test func `What --fit writes is a configuration that check accepts and compare-log uses`() async throws {
    let few = try await compare(["diverges.log"] + Self.visit + ["--fit", "-"])
    #expect(few.errors.contains("task_cap: 20 s from 2, too few for --fit-least 5"))
    #expect(few.output.contains("tick_period: { value: 1 s,") && !few.output.contains("task_cap"))
    let all = try await compare(
      ["diverges.log"] + Self.visit + ["--fit", "-", "--fit-least", "1", "--fit-device", "an \"iPhone\""])
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("fit-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: path) }
    try Data(("gateway: { name: x }\nreceivers: [{ name: hci0 }]\n" + all.output).utf8).write(to: path)
    let check = try await Command(["check", path.path]).end()
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    let again = try await compare(
      [
        "diverges.log", "--timeline", "visit.jsonl", "--os", "ios17-seen", "--strategy", "background-task",
        "--config", path.path,
      ])
    #expect(again.status == 0, "\(again.output)\(again.errors)")
  }

  @Test func `A recording of the gateway tells where the beacon was, and how far the phone's clock is off`()
    async throws
  {
    // The van of the README's walk is first heard at 21:49:00.274 UTC; the phone writes local time, and is 0.7 s ahead.
    let lines = (2..<40).map { "2026-11-20 22:49:\($0 < 10 ? "0" : "")\($0).974 Shop[3:4] didRangeBeacons" }
    let log = (["2026-11-20 22:49:01.974 Shop[3:4] didEnterRegion"] + lines).joined(separator: "\n")
    let result = try await compare(
      ["-", "--phone", "anna", "--capture", "../../walk.jsonl", "--config", "../../demo.yaml"], input: log)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      result.output.contains("the log's clock is 3600.7 s ahead of the gateway's (from 1 event, ± 0 s)"))
    #expect(!result.output.contains("entry_latency"))
  }

  @Test func `A log is read from standard input, and other lines do no harm`() async throws {
    let log = """
      2014-10-14 13:49:33.808 Demo[341:37691] applicationDidEnterBackground
      \u{1B}[31mnonsense
      2014-10-14 13:49:33.839 Demo[341:37703] background time remaining:   179.97
      2014-10-14 13:52:29.812 Demo[341:37691] Background task expired by iOS
      """
    let result = try await compare(["-", "--os", "ios8", "--strategy", "background-task"], input: log)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      try await compare(["-", "--os", "ios13", "--strategy", "background-task"], input: log).status == 1)
  }

  @Test func `A log without events, a malformed line and wrong usage have statuses of their own`()
    async throws
  {
    let profile = ["--os", "ios17", "--strategy", "stock"]
    #expect(try await compare(["-"] + profile, input: "nothing\n").status == 65)
    let idle = try await compare(["-"] + profile, input: "{\"time\":1,\"event\":\"background\"}\n")
    #expect(idle.status == 65)
    #expect(!idle.output.contains("agrees"))
    let bad = try await compare(
      ["-"] + profile, input: "{\"time\":1,\"event\":\"near\"}\n{\"time\":1,\"event\":3}\n")
    #expect(bad.status == 65)
    #expect(bad.errors.contains("-:2:19: error: "))
    #expect(try await compare(["agrees.log"]).status == 64)
    let phone = ["agrees.log", "--phone", "anna", "--config", "../../demo.yaml"]
    #expect(try await compare(phone + profile).status == 64)
    #expect(try await compare(phone + ["--variant", "seed"]).status == 64)
    #expect(try await compare(["agrees.log", "--tolerance", "soon"] + profile).status == 64)
    #expect(try await compare(["there-is-none.log"] + profile).status == 74)
  }

  /// The demonstration's van is near after twenty seconds.
  @Test func `What an app reports to a running gateway is read out from the broker`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let demo = try String(
      contentsOf: Command.package.appendingPathComponent("config/demo.yaml"), encoding: .utf8)
    let configuration = try file(
      demo.replacing("broker: embedded", with: "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }")
        .replacing(#/http: .*/#, with: ""), "yaml")
    let gateway = try Command(["run", "--config", configuration, "--capture", "config/walk.jsonl"])
    let phone = "beaconkeeper/forecourt/phone/anna"
    try await until("near") { broker.messages.contains { $0.topic.hasSuffix("/near") } }
    try await run([
      "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "\(phone)/app/seen", "-m",
      #"{"event":"near"}"#,
    ])
    func record() -> String {
      let last = broker.messages.last { $0.topic == "\(phone)/record" }
      return String(decoding: last?.payload ?? [], as: UTF8.self)
    }
    try await until("the near is counted") { record().contains("\"seen\":1") }
    let result = try await compare(["--record", "-"], input: record())
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    #expect(result.output.contains("ios7 background-task, fleet:1.2: one near since"), "\(result.output)")
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  @Test func `A gateway's record is read out without a log`() async throws {
    let record = #"""
      {"v":1,"time":"2026-11-28T10:00:00.000Z","since":"2026-11-28T09:00:00.000Z","beacon":"van","os":"ios17","strategy":"stock",
      "nears":3,"predicted":2,"seen":1,"missed":1,"unpredicted":0,"false":0,"late":1,"uncounted":0,"pending":1,"seen_pct":50,
      "late_s":2.5,"median_late_s":2.5,"worst_late_s":2.5,"offset_s":0.1,"latest":[{"result":"missed","zone":"pump",
      "near_at":"2026-11-28T09:30:00.000Z","outcome":"DELIVERED","delivered_at":"2026-11-28T09:30:01.000Z","seen_at":null,"late_s":null}]}
      """#
    let result = try await compare(["--record", "-"], input: record)
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains("ios17 stock, van: 3 nears since 2026-11-28T09:00:00.000Z"))
    #expect(result.output.contains("at most 2.5 s") && result.output.contains("missed"))
    #expect(try await compare(["--record", "-"], input: "{}").status == 65)
    let vast = record.replacing("\"missed\":1", with: "\"missed\":9223372036854774784")
    #expect(try await compare(["--record", "-"], input: vast).status == 65)
    #expect(try await compare([]).status == 64)
  }
}
