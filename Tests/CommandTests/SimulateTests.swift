import Foundation
import Testing

/// `simulate` as a user runs it: on paper and over recordings.
@Suite struct SimulateTests {
  private struct Profile: Decodable {
    var os: String
    var strategy: String
    var phone: String?
    var triggers: Int
    var delivered: Int
    var late: Int
    var missed: [String: Int]
    var share: Double?
  }
  private struct Recorded: Decodable {
    var approaches: Int
    var names: [String]
    var profiles: [Profile]
  }

  private static func walk(_ more: String...) async throws -> Recorded {
    let arguments = ["simulate", "--capture", "config/walk.jsonl", "--json"] + more
    let result = try await Command(arguments).end()
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Recorded.self, from: Data(result.output.utf8))
  }

  /// A van's region and a pump, with two phones in the van or without.
  private static func site(phones: Bool) throws -> String {
    let carried = """
      phones:
        - { name: anna, beacon: "fleet:1.2", os: ios13, strategy: background-task }
        - { name: ben, beacon: "fleet:1.2", os: ios7, strategy: stock }

      """
    return try file(Forecourt.rules + (phones ? carried : ""), "yaml")
  }

  @Test func everyApproachOfARecordingIsFollowedUnderEveryProfile() async throws {
    let walk = try await Self.walk("--config", try Self.site(phones: false))
    #expect(walk.approaches == 2)
    #expect(walk.names.contains { $0.hasPrefix("fleet:1.2 at pump-3, 2026-11-20T21:49:00") })
    let stock = try #require(walk.profiles.first { $0.os == "ios7" && $0.strategy == "stock" })
    #expect(stock.triggers == 1 && stock.delivered == 0 && stock.missed == ["GRACE_EXPIRED": 1])
    let task = try #require(walk.profiles.first { $0.os == "ios7" && $0.strategy == "background-task" })
    #expect(task.delivered == 1 && task.missed.isEmpty && task.share == 1)
  }

  @Test func phonesComeFirstWithTheirOwnProfileAndTheirOwnBeaconOnly() async throws {
    let walk = try await Self.walk("--config", try Self.site(phones: true), "--os", "ios17")
    #expect(walk.approaches == 1)
    #expect(walk.profiles.prefix(2).map(\.phone) == ["anna", "ben"])
    #expect(walk.profiles.dropFirst(2).allSatisfy { $0.phone == nil && $0.os == "ios17" })
    #expect(walk.profiles[0].delivered == 1)
    #expect(walk.profiles[1].missed == ["GRACE_EXPIRED": 1])
  }

  @Test func aRecordingGivesTheSameVerdictsAsTheLiveGateway() async throws {
    let replay = try await Command([
      "replay", "--config", try Self.site(phones: true), "--capture", "config/walk.jsonl", "--format", "mqtt",
    ]).end()
    let verdicts = replay.lines.filter { $0.contains("/verdict ") }
    #expect(verdicts.contains { $0.contains("phone/anna/") && $0.contains("\"outcome\":\"DELIVERED\"") })
    #expect(verdicts.contains { $0.contains("phone/ben/") && $0.contains("\"outcome\":\"GRACE_EXPIRED\"") })
  }

  @Test func theNearOptionOverridesTheZones() async throws {
    let near = try await Self.walk("--config", try Self.site(phones: false), "--near", "16m", "--os", "ios7")
    let stock = try #require(near.profiles.first { $0.strategy == "stock" })
    #expect(stock.delivered + stock.late >= 1)
  }

  @Test func aRegionNamesItsMembers() async throws {
    let walk = try await Self.walk(
      "--config", try Self.site(phones: false), "--beacon", "fleet", "--os", "ios7")
    #expect(walk.approaches == 1)
    let unknown = try await Command.run(
      "simulate", "--capture", "config/walk.jsonl", "--config", try Self.site(phones: false), "--beacon",
      "flet")
    #expect(unknown.status == 64 && unknown.errors.contains("--beacon flet is none of fleet, fridge"))
  }

  @Test func theSameRecordingMakesTheSamePage() async throws {
    let site = try Self.site(phones: false)
    let page = { () async throws -> String in
      try await Command([
        "simulate", "--capture", "config/walk.jsonl", "--config", site, "--compare",
        "--report",
        "-",
      ]).end().output
    }
    let first = try await page()
    #expect(first.hasPrefix("<!DOCTYPE html>") && first.hasSuffix("</html>"))
    #expect(try await page() == first)
  }

  @Test func aDamagedRecordingYieldsItsGoodPart() async throws {
    let walk = try String(
      contentsOf: Command.package.appendingPathComponent("config/walk.jsonl"), encoding: .utf8)
    let path = try file(walk + "{\"t\":\n", "jsonl")
    let result = try await Command.run(
      "simulate", "--capture", path, "--config", try Self.site(phones: false))
    #expect(result.status == 65 && result.output.contains("GRACE_EXPIRED 1"))
  }

  @Test func aReportIsNeverWrittenInPart() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a&b <c>.html").path
    let good = try await Command.run("simulate", "--approach", "50m@1m/s", "--os", "ios7", "--report", path)
    #expect(good.status == 0)
    let page = try String(contentsOfFile: path, encoding: .utf8)
    #expect(page.hasSuffix("</html>") && page.contains("GRACE_EXPIRED"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    let nowhere = try await Command.run(
      "simulate", "--approach", "50m@1m/s", "--report", folder.path + "/none/a.html")
    #expect(nowhere.status == 73 && nowhere.isCalm)
  }

  @Test func strategiesAreRankedWithTheirFront() async throws {
    let result = try await Command.run(
      "simulate", "--compare", "--approach", "50m@1m/s", "--approach", "50m@0.2m/s", "--os", "ios7", "--json")
    struct Ranking: Decodable {
      struct System: Decodable {
        struct Strategy: Decodable {
          var strategy: String
          var share: Double
          var share_mean: Double
          var share_low: Double
          var share_high: Double
          var pareto: Bool
          var battery_factor: Double
        }
        var strategies: [Strategy]
      }
      var systems: [System]
    }
    struct Whole: Decodable { var comparison: Ranking }
    let ranking = try JSONDecoder().decode(Whole.self, from: Data(result.output.utf8)).comparison
    let strategies = try #require(ranking.systems.first).strategies
    #expect(strategies.map(\.share_mean) == strategies.map(\.share_mean).sorted(by: >))
    #expect(strategies.allSatisfy { ($0.share_low...$0.share_high).contains($0.share_mean) })
    #expect(strategies.first { $0.strategy == "background-task" }?.share == 0.5)
    #expect(strategies.first { $0.strategy == "location-always" }?.battery_factor == 2)
    #expect(strategies.contains { $0.pareto } && strategies.contains { !$0.pareto })
  }

  @Test func `a phone in the pocket, a device and a condition change the answer`() async throws {
    func run(_ os: String, _ option: String, _ value: String) async throws -> Command.Result {
      try await Command.run(
        "simulate", "--approach", "5m@1m/s", "--near", "2m", "--os", os, option, value, "--strategy",
        "altbeacon-legacy")
    }
    let pocket = try await run("android14", "--near", "2m")
    #expect(pocket.output.contains("TASK_EXPIRED") && pocket.output.contains("an hour before the walk"))
    let fresh = try await run("android14", "--since", "0s")
    #expect(fresh.output.contains("DELIVERED") && fresh.output.contains("0 s before the walk"))
    let unknown = try await run("android14", "--device", "nokia")
    #expect(unknown.status == 64 && unknown.errors.contains("--device nokia is none of iphone-4s"))
    let other = try await run("android14", "--device", "iphone-4s")
    #expect(other.status == 64 && other.errors.contains("goes with iphone-4s"))
    let device = try await Command.run(
      "simulate", "--approach", "50m@1m/s", "--os", "ios7", "--strategy", "stock", "--device", "iphone-4s")
    #expect(device.output.contains("NOT_DETECTED") && device.output.contains("iphone-4s"))
    // A visitor's Samsung beside another's iPhone.
    let both = try await Command.run(
      "simulate", "--approach", "50m@1m/s", "--os", "ios17", "--os", "android14", "--strategy", "stock",
      "--strategy", "altbeacon-intent", "--device", "samsung-android14")
    #expect(both.status == 0, "\(both.errors)")
    #expect(
      both.output.contains("ios17") && both.output.contains("samsung-android14: Samsung Galaxy on Android 14")
    )
  }

  @Test func everyCodeOfATableIsExplained() async throws {
    let result = try await Command.run("simulate", "--approach", "50m@1m/s")
    for code in ["GRACE_EXPIRED", "TASK_EXPIRED", "TIMER_FROZEN", "RANGING_UNSUPPORTED", "BETWEEN_SCANS"] {
      #expect(result.lines.contains { $0.hasPrefix("  \(code) ") }, "\(code)")
    }
    #expect(!result.lines.contains { $0.hasPrefix("  AUTH_DENIED") })
  }

  @Test func theTableOfAllProfilesSaysWhichIOSAndFitsAScreen() async throws {
    let result = try await Command.run("simulate", "--approach", "50m@1m/s")
    #expect(result.lines.first == "iOS as observed in the field (observed)")
    #expect(result.lines.count <= 50)
    #expect(result.lines.contains { $0.hasPrefix("ios7.0 to ios26 (10 alike) ") && $0.contains(" stock ") })
    let seed = try await Command.run("simulate", "--approach", "50m@1m/s", "--variant", "seed")
    #expect(seed.lines.first == "as the original documents describe iOS (seed)")
  }

  @Test func aStrategyBringsItsOwnPermission() async throws {
    let profile = ["--os", "ios17", "--strategy", "location-when-in-use"]
    let walk = try await Command(["simulate", "--approach", "50m@6m/s"] + profile).end()
    #expect(walk.output.contains("LOCATION_CONFIG_REJECTED"), "\(walk.output)")
    let plan = try await Command(["plan"] + profile).end()
    #expect(plan.status == 1 && plan.output.contains("wake regions do not help"), "\(plan.output)")
  }

  @Test func ofSeveralNearsTheTableSaysWhichWereMissed() async throws {
    let visit = try file(
      #"""
      {"t":0,"event":"foreground"}
      {"t":5,"event":"background"}
      {"t":0,"beacon":"A","distance_m":20}
      {"t":20,"beacon":"A","distance_m":1}
      {"t":60,"beacon":"A","distance_m":20}
      {"t":0,"beacon":"B","distance_m":30}
      {"t":60,"beacon":"B","distance_m":11}
      {"t":80,"beacon":"B","distance_m":1}
      """#, "jsonl")
    let result = try await Command.run(
      "simulate", "--timeline", visit, "--near", "2m", "--os", "ios17", "--strategy", "background-task")
    #expect(result.output.contains("1 of 2: missed B at 78 s (TASK_EXPIRED)"), "\(result.output)")
  }

  @Test
  func
    `what kept an app from ranging is no miss where nothing was near, and reasons come in the order of the misses`()
    async throws
  {
    let far = try file("{\"t\":0,\"distance_m\":60}\n{\"t\":60,\"distance_m\":10}\n", "jsonl")
    let profile = ["--os", "ios17", "--strategy", "stock"]
    let none = try await Command(["simulate", "--timeline", far] + profile).end()
    #expect(none.output.contains("never near (GRACE_EXPIRED)"), "\(none.output)")
    let visit = try file(
      #"""
      {"t":0,"event":"foreground"}
      {"t":10,"event":"background"}
      {"t":0,"distance_m":null}
      {"t":40,"distance_m":1}
      {"t":100,"distance_m":1}
      {"t":110,"distance_m":null}
      {"t":200,"event":"reboot"}
      {"t":300,"distance_m":20}
      {"t":320,"distance_m":1}
      {"t":330,"distance_m":1}
      """#, "jsonl")
    let result = try await Command.run(
      "simulate", "--timeline", visit, "--os", "android14", "--strategy", "altbeacon-legacy")
    #expect(result.output.contains("(BETWEEN_SCANS, REBOOT)"), "\(result.output)")
  }

  @Test func `of all systems the newest are compared first`() async throws {
    let result = try await Command.run(
      "simulate", "--compare", "--approach", "50m@1m/s", "--strategy", "stock", "--strategy",
      "altbeacon-legacy")
    let systems = result.lines.filter { $0.hasPrefix("ios") || $0.hasPrefix("android") }
    #expect(systems.first?.hasSuffix("ios26") ?? false, "\(systems)")
    #expect(systems.last == "android5" && systems.contains("ios8"), "\(systems)")
  }

  @Test func tasksAreCalledAsTheAppCallsThem() async throws {
    let visit = try file(
      #"""
      {"t":0,"event":"foreground"}
      {"t":1,"event":"begin-task","id":"upload"}
      {"t":2,"event":"background"}
      {"t":0,"distance_m":20}
      {"t":20,"distance_m":1}
      """#, "jsonl")
    let result = try await Command.run(
      "simulate", "--timeline", visit, "--os", "ios17", "--strategy", "stock", "--json")
    #expect(result.output.contains(#""what":"task begun","task":"upload""#), "\(result.output)")
  }

  @Test func everyProfileIsListedAndNamedInTheHelp() async throws {
    let list = try await Command.run("simulate", "--list")
    let help = try await Command.run("simulate", "--help")
    for name in ["ios16.4", "android12", "task-list-sampled", "altbeacon-foreground-service"] {
      #expect(list.lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
      #expect(help.output.contains(name), "\(name)")
    }
  }

  @Test(arguments: [
    ["--approach", "50x"], ["--approach", "50m@1m/s", "--os", "ios5"], [],
    ["--approach", "50m@1m/s", "--set", "x=1"],
    ["--approach", "50m@1m/s", "--timeline", "x"], ["--capture", "x", "--for", "3s"],
    ["--approach", "50m@1m/s", "--visits-per-day", "0"],
    ["--approach", "50m@1m/s", "--near", "4m", "--rearm", "2m"],
  ])
  func wrongUsageShowsTheUsageOfSimulate(arguments: [String]) async throws {
    let result = try await Command(["simulate"] + arguments).end()
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("Usage: beaconkeeper simulate "), "\(result.errors)")
  }

  private static let walk = ["simulate", "--approach", "50m@1m/s"]

  @Test(arguments: [
    (["--set", "tick_period=0s"], "tick_period: 0s is less than 0.001 s"),
    (["--set", "sample_interval=1ms"], "sample_interval: 1ms is less than 1 s"),
    (
      ["--os", "android8", "--os", "ios13", "--strategy", "stock"],
      "--os android8 fits none of the strategies"
    ),
    (
      ["--os", "ios7", "--strategy", "stock", "--strategy", "activity-session"],
      "--strategy activity-session fits none of the systems"
    ),
    (["--os", "ios5"], "--os ios5 is none of ios6, "),
    (["--since", "8d"], "--since 8d is longer than a week"),
    (["--compare", "--draws", "19"], "--draws 19 is not one of 10, 20, 30"),
  ])
  func unusableOptionsAreRefused(arguments: [String], words: String) async throws {
    let result = try await Command(Self.walk + arguments).end()
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(arguments: [("ios20", "ios18"), ("iOS 12", "ios9"), ("Android 17", "android16")])
  func aVersionWithoutAProfileTakesTheNewestUpToItAndSaysSo(version: String, name: String) async throws {
    let result = try await Command(Self.walk + ["--os", version]).end()
    #expect(result.status == 0 && result.output.contains(name))
    #expect(result.errors.contains("there is no profile of \(version) alone: \(name) is used"))
    let plain = try await Command(Self.walk + ["--os", name]).end()
    #expect(plain.output == result.output && plain.errors.isEmpty)
  }

  @Test func aReportGoesThroughALinkAndDoesNotReplaceIt() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (page, link) = (
      folder.appendingPathComponent("page.html"), folder.appendingPathComponent("link.html")
    )
    try Data("old and long enough to see what is left of it".utf8).write(to: page)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: page)
    let result = try await Command(Self.walk + ["--report", link.path]).end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == page.path)
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.hasPrefix("<!DOCTYPE html>") && text.contains("</html>") && !text.contains("left of it"))
  }

  @Test func anApproachOfCenturiesIsRefused() async throws {
    let result = try await Command(["simulate", "--approach", "1000000m@0.001m/s"]).end()
    #expect(result.status == 64 && result.errors.contains("takes longer than a year"))
  }

  @Test(arguments: [("Android 16", "android16"), ("iOS 26", "ios26")])
  func aSystemMayBeWrittenAsPeopleDo(written: String, name: String) async throws {
    let result = try await Command(Self.walk + ["--os", written]).end()
    #expect(result.status == 0 && result.output.contains(name) && result.errors.isEmpty)
  }

  @Test func theAppsBackgroundTimeIsGivenForAnyInstant() async throws {
    let walk = ["simulate", "--approach", "50m@1m/s", "--os", "ios7", "--strategy", "background-task"]
    let table = try await Command(walk + ["--at", "5s", "--at", "50s", "--at", "200s"]).end()
    #expect(table.output.contains("BACKGROUND TIME REMAINING"))
    #expect(table.output.contains("unlimited") && table.output.contains("141 s"))
    #expect(table.output.contains("TASK_EXPIRED"))
    let json = try await Command(walk + ["--at", "50s", "--json"]).end()
    #expect(
      json.output.contains(#""at":[{"t":50,"state":"ranging","background_time_remaining":141,"why":null}]"#))
  }

  @Test func `a walk that begins in earshot is told from one that comes into it`() async throws {
    let note = "The walk begins in earshot"
    let near = try await Command(["simulate", "--approach", "5m@1m/s", "--near", "2m", "--os", "ios17"]).end()
    #expect(near.output.hasPrefix(note))
    let far = try await Command(["simulate", "--approach", "60m@1m/s", "--os", "ios17"]).end()
    #expect(!far.output.contains(note))
  }

  @Test func `two sources disagree on a service after a reboot, and both can be had`() async throws {
    let arguments = [
      "simulate", "--timeline", "-", "--os", "android15", "--strategy", "altbeacon-foreground-service",
    ]
    let reboot = """
      {"t":0,"event":"foreground"}
      {"t":1,"event":"background"}
      {"t":10,"event":"reboot"}
      {"t":0,"distance_m":60}
      {"t":20,"distance_m":60}
      {"t":80,"distance_m":0}
      """
    #expect(try await Command(arguments, input: reboot).end().output.contains("DELIVERED"))
    let refused = try await Command(arguments + ["--condition", "no-start-at-boot"], input: reboot).end()
    #expect(refused.output.contains("FGS_START_DENIED"), "\(refused.output)")
  }

  @Test func eachBeaconHasItsResultAndAForeignUUIDIsNeverSeen() async throws {
    let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    let timeline = """
      {"t":0,"distance_m":30,"beacon":"door","uuid":"\(uuid)"}
      {"t":30,"distance_m":0,"beacon":"door"}
      {"t":0,"distance_m":40,"beacon":"theirs","uuid":"00000000-0000-0000-0000-000000000001"}
      {"t":40,"distance_m":0,"beacon":"theirs"}
      """
    let arguments = [
      "simulate", "--timeline", "-", "--os", "ios7", "--strategy", "background-task", "--json",
    ]
    let ours = try await Command(arguments, input: timeline).end()
    #expect(ours.status == 0, "\(ours.errors)")
    #expect(
      ours.output.contains(
        #""outcome":"DELIVERED","near_at":26,"delivered_at":26,"late_s":0,"beacon":"door""#))
    #expect(!ours.output.contains(#""near_at":36"#) && ours.output.contains(#""triggers":1,"#))
    let expected = try await Command(arguments + ["--expect", "delivered"], input: timeline).end()
    #expect(expected.status == 0, "\(expected.errors)")
    let wrong = try await Command(arguments + ["--uuid", "no"], input: timeline).end()
    #expect(wrong.status == 64 && wrong.errors.contains("--region no is not 2f234454-"))
    let both = try await Command(
      arguments + ["--region", uuid, "--region", "00000000-0000-0000-0000-000000000001"], input: timeline
    ).end()
    #expect(both.output.contains(#""triggers":2,"#), "\(both.errors)")
  }

  @Test(arguments: [
    (#"{"t":1,"event":"background","id":"x"}"#, #"-:1:29: error: background has no "id"; it takes nothing"#),
    (#"{"t":1,"distance_m":4,"value":2}"#, #"-:1:23: error: "value" goes with "event""#),
    (#"{"t":1,"event":"reboot","beacon":"x"}"#, #"-:1:25: error: "beacon" goes with "distance_m""#),
    (#"{"t":1,"distance_m":4,"uuid":"x"}"#, #"-:1:30: error: "uuid" is one such as"#),
  ])
  func aMemberThatALineDoesNotTakeIsRefused(line: String, message: String) async throws {
    let result = try await Command(["simulate", "--timeline", "-"], input: line).end()
    #expect(result.status == 65 && result.errors.contains(message), "\(result.errors)")
  }

  @Test func unreadableAndUnwritableFilesAreReported() async throws {
    let folder = FileManager.default.temporaryDirectory.path
    for (arguments, status) in [
      (Self.walk + ["--os", "ios7", "--report", folder], Int32(73)),
      (Self.walk + ["--os", "ios7", "--report", folder + "/nowhere/page.html"], 73),
      (["simulate", "--timeline", folder], 74), (["simulate", "--timeline", folder + "/nowhere"], 74),
    ] {
      let result = try await Command(arguments).end()
      #expect(result.status == status && !result.errors.contains("Cocoa"), "\(result.errors)")
    }
  }

  @Test func theListIsThereForMachines() async throws {
    struct List: Decodable {
      struct Entry: Decodable { var name: String }
      var systems: [Entry]
      var strategies: [Entry]
    }
    let result = try await Command(["simulate", "--list", "--json"]).end()
    let list = try JSONDecoder().decode(List.self, from: Data(result.output.utf8))
    #expect(list.systems.contains { $0.name == "ios17" } && list.strategies.contains { $0.name == "stock" })
  }

  @Test func aDrawingEndsWhereItsRecordingDoes() async throws {
    let recording = try String(
      contentsOf: Command.package.appendingPathComponent("config/walk.jsonl"), encoding: .utf8)
    let cut = try file(recording.split(separator: "\n").prefix(300).joined(separator: "\n") + "\n", "jsonl")
    let result = try await Command([
      "simulate", "--capture", cut, "--config", try Self.site(phones: false), "--os", "ios7", "--strategy",
      "background-task", "--report", "-",
    ]).end()
    #expect(result.status == 0 && result.output.contains("cut off"), "\(result.errors)")
    #expect(result.output.contains("end of the recording"))
  }
}
