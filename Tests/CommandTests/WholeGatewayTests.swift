import Foundation
import TestSupport
import Testing

/// The gateway as a whole: `run` and `replay` against a real broker.
@Suite(.serialized) struct WholeGatewayTests {
  /// A child of the gateway's own that is still there.
  private func brokers(of parent: Int32) -> [String] {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return folders.filter { Int32($0) != nil }.filter { folder in
      guard let status = try? String(contentsOfFile: "/proc/\(folder)/status", encoding: .utf8) else {
        return false
      }
      return status.contains("PPid:\t\(parent)\n") && status.contains("Name:\tmosquitto")
    }
  }

  /// Whether it ignores SIGHUP, as at first, or listens to it already.
  private func survivesHangup(_ process: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    return status.matches(of: #/Sig(?:Ign|Cgt):\t([0-9a-f]+)/#).contains {
      UInt64($0.output.1, radix: 16).map { $0 & 1 == 1 } ?? false
    }
  }

  /// What the `watch:` line sets, so that mosquitto_sub and mosquitto_pub come in at the gateway's own broker.
  private func watcher(of gateway: Command) throws -> [String: String] {
    let folder = try #require(gateway.outputSoFar.firstMatch(of: #/watch: XDG_CONFIG_HOME=(\S+) /#)).output.1
    return ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": String(folder)]) { $1 }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func theDemonstrationEndsSoonAndLeavesNothing(
    signal: Int32
  ) async throws {
    let gateway = try Command(["run", "--demo"])
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: XDG_CONFIG_HOME=") })
    #expect(try await gateway.wait { gateway.outputSoFar.contains("enter  shop") })
    let children = brokers(of: gateway.processIdentifier)
    #expect(children.count == 1)
    gateway.signal(signal)
    let result = try await gateway.end()
    #expect(result.status == 0)
    #expect(result.errors.contains("plays the recorded walk"))
    #expect(children.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0)") })
  }

  @Test func killedItLeavesNoBroker() async throws {
    let gateway = try Command(["run", "--demo"])
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    let children = brokers(of: gateway.processIdentifier)
    #expect(children.count == 1)
    gateway.signal(SIGKILL)
    #expect(
      try await gateway.wait {
        children.allSatisfy { child in
          let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
          return status?.contains("State:\tZ") ?? true
        }
      })
    _ = try await gateway.end()
  }

  @Test func aRefusedPasswordIsReported() async throws {
    let users = try file("", "users")
    let broker = try await Broker("allow_anonymous false\npassword_file \(users)")
    defer { broker.stop() }
    let password = try file("wrong-secret", "password", mode: 0o600)
    let configuration = try file(
      """
      broker: { url: "mqtt://127.0.0.1:\(broker.port)", username: gw, password_file: \(password) }
      beacons: [{ name: key, address: "C1:00:00:00:00:05" }]
      """, "yaml")
    let result = try await Command.run(
      "replay", "--config", configuration, "--capture", "config/walk.jsonl", "--publish")
    #expect([69, 77].contains(result.status))
    #expect(result.errors.contains("password"))
    #expect(!result.errors.contains("wrong-secret"))
    #expect(result.isCalm)
  }

  @Test func aReloadThatIsAskedForBeforeItListensIsNoEndAndNotForgotten() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }", "yaml")
    for _ in 0..<5 {
      let gateway = try Command(["run", "--config", configuration, "--capture", "config/walk.jsonl"])
      // As soon as it says that it does not mind.
      _ = try await gateway.wait {
        survivesHangup(gateway.processIdentifier) || !gateway.isRunning
      }
      gateway.signal(SIGHUP)
      #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
      #expect(gateway.isRunning)
      gateway.signal(SIGINT)
      #expect(try await gateway.end().status == 0)
    }
  }

  @Test func aReplayReachesTheBrokerInOrder() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let demo = try String(
      contentsOf: Command.package.appendingPathComponent("config/demo.yaml"), encoding: .utf8)
    let configuration = try file(
      demo.replacing("broker: embedded", with: "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }"), "yaml"
    )
    let result = try await Command.run(
      "replay", "--config", configuration, "--capture", "config/walk.jsonl", "--publish")
    #expect(result.status == 0)
    func transitions() -> [String] {
      broker.messages.map(\.topic)
        .filter { $0.hasPrefix("beaconkeeper/forecourt/zone/") && !$0.hasSuffix("occupancy") }
        .map { $0.replacing("beaconkeeper/forecourt/zone/", with: "") }
    }
    try await until("the last transition is there") { transitions().count >= 4 }
    #expect(transitions() == ["shop/enter", "pump-3/enter", "pump-3/near", "pump-3/exit"])
    // What stays retained counts only while a gateway is online.
    try await until("the end is told") { broker.messages.last?.topic.hasSuffix("/status") == true }
    let status = broker.messages.filter { $0.topic == "beaconkeeper/forecourt/status" }
    #expect(status.map { String(decoding: $0.payload, as: UTF8.self) } == ["online", "offline"])
    #expect(broker.messages.first?.topic == "beaconkeeper/forecourt/status")
  }

  @Test func verdictsOnPhonesReachTheBrokerAndStandardOutput() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let demo = try String(
      contentsOf: Command.package.appendingPathComponent("config/demo.yaml"), encoding: .utf8)
    let configuration = try file(
      demo.replacing("broker: embedded", with: "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }"), "yaml"
    )
    let arguments = ["replay", "--config", configuration, "--capture", "config/walk.jsonl"]
    let result = try await Command(arguments + ["--verdicts", "--publish"]).end()
    #expect(result.status == 0)
    func phones() -> [String] {
      broker.messages.filter { $0.topic.contains("/phone/") }
        .map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }
    try await until("both verdicts are there") { phones().count { $0.contains("/verdict ") } >= 2 }
    let lines = phones()
    let verdicts = lines.filter { $0.contains("/verdict ") }
    #expect(verdicts.map { $0.contains("/anna/") } == [true, false])
    #expect(verdicts[0].contains(#""outcome":"DELIVERED""#))
    #expect(verdicts[1].contains(#""outcome":"GRACE_EXPIRED""#))
    #expect(lines.contains { $0.contains("/anna/window ") && $0.contains(#""state":"ranging""#) })
    // On standard output the same bytes, and without --verdicts the transitions alone.
    let told = result.lines.filter { $0.contains(#""outcome""#) }
    #expect(told == verdicts.map { String($0.drop { $0 != "{" }) })
    let plain = try await Command(arguments).end().lines
    #expect(plain == result.lines.filter { !$0.contains(#""outcome""#) })
    #expect(plain.count > 4)
  }

  @Test func appReportsAreAcceptedAndGarbageIsRefused() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("phones-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Command.package.appendingPathComponent("config"), to: folder.appendingPathComponent("config"))
    let gateway = try Command(["run", "--demo"], directory: folder)
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: XDG_CONFIG_HOME=") })
    let environment = try watcher(of: gateway)
    func tell(_ text: String, _ phone: String) async throws {
      let topic = "beaconkeeper/forecourt/phone/\(phone)/app/set"
      try await run(["mosquitto_pub", "-q", "1", "-t", topic, "-m", text], environment: environment)
    }
    try await tell("nonsense", "ben")
    try await tell("nonsense", "nobody")
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("no event is called \"nonsense\"") })
    let heard = try file("", "heard")
    let subscriber = try Child(
      ["mosquitto_sub", "-t", "beaconkeeper/forecourt/phone/ben/window", "-F", "%p"],
      environment: environment,
      output: FileHandle(forWritingTo: URL(fileURLWithPath: heard)))
    defer { subscriber.signal(SIGKILL) }
    func windows() -> String { (try? String(contentsOfFile: heard, encoding: .utf8)) ?? "" }
    #expect(try await gateway.wait { windows().contains(#""os":"ios7""#) })
    #expect(!windows().contains(#""state":"foreground""#))
    try await tell(#"{"event":"foreground"}"#, "ben")
    #expect(try await gateway.wait { windows().contains(#""state":"foreground""#) })
    #expect(!gateway.errorsSoFar.contains("nobody"))
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  @Test func `what an app noticed is in the record, also after a restart`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("record-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = try file(
      """
      gateway: { name: home, state_directory: \(folder.path) }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      beacons: [{ name: van, address: "C1:00:00:00:00:01" }]
      zones: [{ name: pump, near: { distance: 2 m }, enter: { distance: 6 m }, exit: { distance: 9 m } }]
      phones: [{ name: anna, beacon: van, os: ios17, strategy: stock }]
      """, "yaml")
    func last(_ topic: String) -> String {
      broker.messages.last { $0.topic == "beaconkeeper/home/" + topic }
        .map { String(decoding: $0.payload, as: UTF8.self) } ?? ""
    }
    let topic = "beaconkeeper/home/phone/anna/app/seen"
    func tell(_ text: String) async throws {
      try await run(
        ["mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", topic, "-m", text], environment: [:])
    }
    let first = try Command(["run", "--config", configuration])
    try await until("the record is empty") { last("phone/anna/record").contains(#""since":null"#) }
    try await tell("nonsense")
    #expect(try await first.wait { first.errorsSoFar.contains("rejected a message on \(topic)") })
    try await tell(#"{"event":"near","beacon":"van"}"#)
    try await until("it is told") { last("phone/anna/record").contains(#""since":"20"#) }
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    let told = last("phone/anna/record")
    #expect(
      MessageSchemas.faults(topic: "beaconkeeper/home/phone/anna/record", payload: Array(told.utf8)) == [])
    let second = try Command(["run", "--config", configuration])
    try await until("it is told again") { last("phone/anna/record") != told && last("status") == "online" }
    let since = #/"since":"[^"]+"/#
    #expect(last("phone/anna/record").firstMatch(of: since)?.output == told.firstMatch(of: since)?.output)
    second.signal(SIGTERM)
    #expect(try await second.end().status == 0)
  }

  @Test func aBadFileAtReloadChangesNothingAndAGoodOneTakesEffect() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reload-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Command.package.appendingPathComponent("config"), to: folder.appendingPathComponent("config"))
    let configuration = folder.appendingPathComponent("config/demo.yaml")
    let good = try String(contentsOf: configuration, encoding: .utf8)
    // The demonstration reads a copy.
    let gateway = try Command(
      ["run", "--config", "config/demo.yaml", "--capture", "config/walk.jsonl"], directory: folder)
    #expect(try await gateway.wait { gateway.outputSoFar.contains("enter  shop") })
    try Data(good.replacing("near:", with: "naer:").utf8).write(to: configuration)
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("keeping the old configuration") })
    #expect(gateway.errorsSoFar.contains("demo.yaml:"))
    // The log says how grave each line is, so the line does not.
    #expect(!gateway.errorsSoFar.contains(": error: ") && !gateway.errorsSoFar.contains(": warning: "))
    // As an editor leaves it for a moment.
    try Data().write(to: configuration)
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("the file is empty") })
    try Data(good.replacing("name: shop", with: "name: kiosk").utf8).write(to: configuration)
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.outputSoFar.contains("enter  kiosk") })
    // Of the zone that is no more, nothing stays at the broker.
    let watch = try #require(watcher(of: gateway)["XDG_CONFIG_HOME"])
    func kept() async throws -> String {
      try await Command(
        [
          "XDG_CONFIG_HOME=\(watch)", "mosquitto_sub", "-t", "beaconkeeper/+/zone/+/occupancy", "-W", "1",
          "-F",
          "%t",
        ],
        executable: URL(fileURLWithPath: "/usr/bin/env")
      ).end().output
    }
    // A subscriber on a busy machine may not hear everything in its second.
    var states = try await kept()
    for _ in 0..<60 where !states.contains("/kiosk/") || states.contains("/shop/") {
      states = try await kept()
    }
    #expect(states.contains("/kiosk/") && !states.contains("/shop/"))
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  @Test func theSameRecordingMakesTheSameBytesAtAnySpeedAndInAnyOrder() async throws {
    let walk = try String(
      contentsOf: Command.package.appendingPathComponent("config/walk.jsonl"), encoding: .utf8)
    let lines = walk.split(separator: "\n")
    let odd = try file(
      lines.enumerated().filter { $0.offset % 2 == 1 }.map(\.element).joined(separator: "\n"), "jsonl")
    let even = try file(
      lines.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "\n"), "jsonl")
    let first = try file(lines.prefix(40).joined(separator: "\n"), "jsonl")
    func replay(_ captures: [String], _ more: String...) async throws -> String {
      let arguments =
        ["replay", "--config", "config/demo.yaml"] + captures.flatMap { ["--capture", $0] } + more
      return try await Command(arguments).end().output
    }
    let whole = try await replay(["config/walk.jsonl"])
    #expect(!whole.isEmpty)
    #expect(try await replay(["config/walk.jsonl"]) == whole)
    #expect(try await replay([odd, even]) == whole)
    #expect(try await replay([even, odd]) == whole)
    #expect(try await replay([first], "--speed", "real") == replay([first]))
  }

  @Test func verboseTellsOfEachMessage() async throws {
    let gateway = try Command(["run", "--demo", "--verbose"])
    #expect(
      try await gateway.wait {
        gateway.errorsSoFar.split(separator: "\n").contains {
          $0.contains("published") && $0.contains("topic=beaconkeeper/forecourt/status")
            && $0.contains("qos=1")
        }
      })
    gateway.signal(SIGINT)
    let result = try await gateway.end()
    #expect(result.status == 0 && result.errors.contains("notice: stopped"))
  }

  /// The tag falls silent after 20 s; so does its receiver, which may have failed from 22 s on.
  @Test(arguments: [(nil as Int?, ["enter", "exit 47"]), (60, ["enter", "exit 21"]), (1000, ["enter"])])
  func `replay decides as the gateway did that doubted a receiver`(until: Int?, told: [String]) async throws {
    var lines: [(Double, String)] = []
    func hear(_ receiver: String, _ address: String, at second: Double) {
      let sender = #""address":"\#(address)","address_type":"random""#
      lines.append((second, #""receiver":"\#(receiver)",\#(sender),"rssi":-60,"payload":"020106""#))
    }
    for second in 0..<100 {
      if second < 20 { hear("bath", "C1:00:00:00:00:01", at: Double(second)) }
      hear("hall", "C1:00:00:00:00:02", at: Double(second) + 0.5)
    }
    if let until {
      lines.append((22.2, #""receiver":"bath","health":"doubted""#))
      if until < 100 { lines.append((Double(until) + 0.2, #""receiver":"bath","health":"ok""#)) }
    }
    let recording = lines.sorted { $0.0 < $1.0 }.map { #"{"t":\#(1_700_000_000 + $0.0),\#($0.1)}"# }
    let site = """
      gateway: { name: g }
      beacons: [{ name: tag, address: C1:00:00:00:00:01 }]
      zones: [{ name: home, enter: 5 m, exit: { distance: 8 m, lost: 8 s } }]

      """
    let result = try await Command.run(
      "replay", "--config", try file(site, "yaml"), "--capture",
      try file(recording.joined(separator: "\n") + "\n", "jsonl"))
    #expect(result.status == 0, "\(result.errors)")
    let events = result.lines.map { line in
      let exit = line.firstMatch(of: #/"event":"exit","time":"[^"]*:(\d\d)\./#)
      return exit.map { "exit \($0.1)" } ?? (line.contains(#""event":"enter""#) ? "enter" : String(line))
    }
    #expect(events == told)
  }
}
