import Foundation
import TestSupport
import Testing

/// What stays at the broker agrees with what happened, whatever became of the gateway in between.
@Suite struct RetainedStateTests {
  private static let rules = """
    gateway: { name: g }
    beacons:
      - { name: tag, address: "C1:00:00:00:00:05" }
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
    zones:
      - name: Living room
        near:  { distance: 5 m, dwell: 0 s, rearm: 6 m }
        enter: { distance: 6 m, dwell: 0 s }
        exit:  { distance: 8 m, dwell: 0 s, lost: 3 s }

    """

  private func configuration(_ broker: Broker, _ more: String = "", rules: String = rules) throws -> String {
    try file(
      rules + "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }\nhome_assistant: off\n" + more, "yaml")
  }

  /// Strangers without end, and for some seconds the tag and a member of the fleet; or one after the other by another plan.
  private func recording(tagFor seconds: Double, rssi: (Double) -> Int = { _ in -60 }) throws -> String {
    var lines: [String] = []
    func hear(_ time: Double, _ address: String, _ rssi: Int, _ payload: String) {
      lines.append(
        #"{"t": \#(time), "receiver": "hci0", "address": "\#(address)", "address_type": "random", "rssi": \#(rssi), "payload": "\#(payload)"}"#
      )
    }
    for tick in 0..<3000 {
      let time = Double(tick) / 5
      hear(1_795_211_340 + time, "C9:00:00:00:00:01", -80, "020106")
      if time < seconds {
        hear(1_795_211_340.05 + time, "C1:00:00:00:00:05", rssi(time), "020106")
        hear(
          1_795_211_340.1 + time, "C2:00:00:00:00:07", rssi(time),
          "0201061aff4c000215f29dc74adbbd12de318ac8b046dd442500010002c5")
      }
    }
    return try file(lines.joined(separator: "\n"), "jsonl")
  }

  private func kept(_ broker: Broker) async throws -> [String: String] { try await kept(at: broker.port) }

  private func kept(at port: Int) async throws -> [String: String] {
    let output = try await Command(
      ["-p", String(port), "-t", "beaconkeeper/#", "-W", "1", "--retained-only", "-F", "%t %p"],
      executable: URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
    ).end().output
    return Dictionary(
      output.split(separator: "\n").map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (String(parts[0].dropFirst("beaconkeeper/g/".count)), parts.count > 1 ? String(parts[1]) : "")
      }, uniquingKeysWith: { $1 })
  }

  private func kept(_ broker: Broker, _ isRight: ([String: String]) -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
      if isRight(try await kept(broker)) { return true }
    }
    return false
  }

  /// More at once than the client takes in: what it dropped is read again.
  @Test func thousandsOfLeftoversAreAllCleared() async throws {
    let broker = try await Broker("allow_anonymous true\nmax_queued_messages 0")
    defer { broker.stop() }
    let script = """
      import socket, struct, sys
      peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      peer.sendall(bytes([0x10, 13, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 60, 0, 1]) + b"z")
      for number in range(5000):
          topic = b"beaconkeeper/g/beacon/old%d/zone" % number
          body = struct.pack(">H", len(topic)) + topic + b"house"
          peer.sendall(bytes([0x31, len(body)]) + body)
      peer.sendall(bytes([0xC0, 0]))
      while peer.recv(4)[-2:] != bytes([0xD0, 0]): pass
      """
    let filled = try await Command(
      ["-c", script, "\(broker.port)"], executable: URL(fileURLWithPath: "/usr/bin/python3")
    ).end()
    #expect(filled.status == 0, "\(filled.errors)")
    func left(_ kept: [String: String]) -> Int { kept.keys.count { $0.hasPrefix("beacon/old") } }
    #expect(try await kept(broker) { left($0) == 5000 })
    let gateway = try Command(
      ["run", "--config", try configuration(broker), "--capture", try recording(tagFor: 600)])
    defer { gateway.signal(SIGKILL) }
    #expect(try await kept(broker) { left($0) == 0 })
  }

  /// RabbitMQ returns nothing of what it retains to a subscription with wildcards. Here the access list keeps it.
  @Test func whatIsRenamedWhileTheGatewayIsOffIsClearedWhereItCannotBeRead() async throws {
    let access = try file(
      """
      topic read #
      user gateway
      topic write beaconkeeper/g/#
      topic write homeassistant/#
      topic read beaconkeeper/g/status
      topic read beaconkeeper/g/instance
      """, "acl")
    let broker = try await Broker(
      "allow_anonymous true\npassword_file \(try await passwordFile("gateway:secret\n"))\nacl_file \(access)\nuser root"
    )
    defer { broker.stop() }
    let password = try file("secret", "password", mode: 0o600)
    let state = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    func configuration(_ beacon: String, _ zone: String) throws -> String {
      try file(
        """
        gateway: { name: g, state_directory: \(state) }
        broker: { url: "mqtt://127.0.0.1:\(broker.port)", username: gateway, password_file: \(password) }
        beacons: [{ name: \(beacon), address: "C1:00:00:00:00:05" }]
        zones: [{ name: \(zone), enter: { distance: 6 m }, exit: { distance: 8 m } }]
        """, "yaml")
    }
    func run(_ path: String, until isRight: ([String: String]) -> Bool) async throws {
      let gateway = try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
      #expect(try await kept(broker, isRight))
      gateway.signal(SIGINT)
      #expect(try await gateway.end().status == 0)
    }
    try await run(configuration("tag", "old")) {
      $0["zone/old/occupancy"] != nil && $0["beacon/tag/zone"] != nil
    }
    try await run(configuration("key", "new")) {
      $0["zone/new/occupancy"] != nil && $0["zone/old/occupancy"] == nil && $0["beacon/tag/zone"] == nil
        && $0["beacon/tag/state"] == nil
    }
    let path = try configuration("key", "new")
    let result = try await Command.run("doctor", "--config", path)
    #expect(!result.output.contains("warning  retained"), "\(result.output)")
  }

  private static let beacons = ["beacon/tag/state", "beacon/fleet%3A1.2/state"]

  private func isHome(_ kept: [String: String]) -> Bool {
    Self.beacons.allSatisfy { kept[$0]?.contains(#""zones":["Living room"]"#) == true }
  }

  private func isAway(_ kept: [String: String]) -> Bool {
    Self.beacons.allSatisfy { kept[$0]?.contains(#""zones":[]"#) == true }
      && kept["zone/Living%20room/occupancy"]?.contains(#""count":0"#) == true
  }

  /// Whoever has left while the gateway was off stays home for ever, if this fails; also where the state folder was lost.
  @Test(arguments: [(SIGKILL, true), (SIGTERM, true), (SIGKILL, false)])
  func aBeaconThatLeftWhileTheGatewayWasOffIsAway(signal: Int32, keepsState: Bool) async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    let configuration = try configuration(broker)
    func named(_ folder: String) throws -> String {
      try file(
        String(contentsOfFile: configuration, encoding: .utf8)
          .replacing("name: g", with: "name: g, state_directory: \(folder)"), "yaml")
    }
    let first = try Command(
      ["run", "--config", try named(folder), "--capture", try recording(tagFor: 600)])
    #expect(try await kept(broker, isHome))
    first.signal(signal)
    _ = try await first.end()
    if !keepsState { try FileManager.default.removeItem(atPath: folder) }
    let second = try Command(["run", "--config", try named(folder), "--capture", try recording(tagFor: 0)])
    #expect(try await kept(broker, isAway))
    second.signal(SIGTERM)
    #expect(try await second.end().status == 0)
  }

  /// Everybody "leaves" when a threshold is edited, if this fails.
  @Test func anEditedThresholdCausesNoTransition() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let path = try configuration(broker, "telemetry: { health: 1 s }\n")
    let gateway = try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    #expect(try await kept(broker, isHome))
    func sightings() -> Int {
      let health = broker.messages.last { $0.topic.hasSuffix("/health") }
      return health.map { String(decoding: $0.payload, as: UTF8.self) }?
        .firstMatch(of: #/"sightings":(\d+)/#).flatMap { Int($0.1) } ?? 0
    }
    let before = broker.messages.count
    let edited = try String(contentsOfFile: path, encoding: .utf8).replacing(
      "distance: 8 m", with: "distance: 8.5 m")
    try Data(edited.utf8).write(to: URL(fileURLWithPath: path))
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("configuration reloaded") })
    // Both are heard five times a second; after 3 s without them they would be lost.
    let heard = sightings()
    #expect(try await gateway.wait { sightings() > heard + 40 })
    let told = broker.messages.dropFirst(before)
    #expect(
      !told.contains {
        $0.topic.hasSuffix("/enter") || $0.topic.hasSuffix("/exit") || $0.topic.hasSuffix("/near")
      })
    let occupancies = told.filter { $0.topic.hasSuffix("/occupancy") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(!occupancies.isEmpty && occupancies.allSatisfy { $0.contains(#""count":2"#) })
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }

  /// Somebody tried something out, or another program uses our topics.
  @Test func `what another client changed is true again soon, and told once`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let gateway = try Command([
      "run", "--config", try configuration(broker), "--capture", try recording(tagFor: 600),
    ])
    #expect(try await kept(broker, isHome))
    func publish(_ topic: String, _ payload: String?) async throws {
      let what = payload.map { ["-m", $0] } ?? ["-n"]
      let result = try await Command(
        ["-p", String(broker.port), "-r", "-t", "beaconkeeper/g/\(topic)"] + what,
        executable: URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
      ).end()
      #expect(result.status == 0, "\(result.errors)")
    }
    let occupancy = try #require(try await kept(broker)["zone/Living%20room/occupancy"])
    let instance = try await kept(broker)["instance"]
    try await publish("zone/Living%20room/occupancy", nil)
    try await publish("beacon/tag/zone", "Garage")
    try await publish("beacon/tag/state", nil)
    try await publish("beacon/stranger/zone", "Living room")
    // Not heard in this run.
    try await publish("beacon/fleet%3A9.9/zone", "Garage")
    try await publish(
      "beacon/fleet%3A9.9/state",
      #"{"v":1,"gateway":"g","beacon":"fleet:9.9","zones":["Garage"],"distance_m":1,"distance_sd_m":1,"rssi_dbm":-60,"#
        + #""interval_s":1,"last_seen":"2026-11-20T21:49:20.541Z","receiver":"hci0","readings":{"temperature_c":99}}"#
    )
    try await publish("zone/Garage/occupancy", occupancy.replacing("Living room", with: "Garage"))
    try await publish("instance", nil)
    let isMended = try await kept(broker) { kept in
      kept["zone/Living%20room/occupancy"] == occupancy && kept["beacon/tag/zone"] == "Living room"
        && isHome(kept) && kept["beacon/stranger/zone"] == nil && kept["zone/Garage/occupancy"] == nil
        && kept["beacon/fleet%3A9.9/state"] == nil
        && kept["beacon/fleet%3A9.9/zone"] == "not_home"
        && kept["instance"]?.prefix(30) == instance?.prefix(30)
    }
    let now = try await kept(broker)
    #expect(isMended, "\(now)")
    try await publish("beacon/tag/zone", "Garage")
    #expect(try await kept(broker) { $0["beacon/tag/zone"] == "Living room" })
    #expect(gateway.errorsSoFar.components(separatedBy: "another client publishes to").count == 2)
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }

  @Test func `a broker that forgot everything has health again with the rest`() async throws {
    let broker = try await TestBroker().start()
    let path = try file(
      Self.rules + "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }\nhome_assistant: off\n", "yaml")
    let gateway = try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    func kept(_ topic: String) async throws -> Bool {
      let end = ContinuousClock.now + .seconds(300)
      while ContinuousClock.now < end {
        if try await self.kept(at: broker.port)[topic] != nil { return true }
      }
      return false
    }
    #expect(try await kept("health"))
    broker.kill()
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("lost the broker") })
    try await broker.start()
    #expect(try await kept("zone/Living%20room/occupancy"))
    // Its interval is a minute.
    let health = try await self.kept(at: broker.port)["health"]
    #expect(health?.contains(#""state":"ok""#) == true, "\(String(describing: health))")
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }

  enum FormerName { case isFree, lostItsPower, isTaken }

  /// Zones of the former name would stay occupied for ever. Somebody else may have that name by now. After a power cut our own
  /// `online` is retained.
  @Test(arguments: [FormerName.isFree, .lostItsPower, .isTaken])
  func `a renamed gateway clears its former name, unless somebody else has it`(name former: FormerName)
    async throws
  {
    let isTaken = former == .isTaken
    let broker = try await Broker()
    defer { broker.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    let path = try configuration(broker)
    func name(_ gateway: String) throws {
      let text =
        Self.rules.replacing("name: g", with: "name: \(gateway), state_directory: \(folder)")
        + "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    func all(_ filter: String) async throws -> [String] {
      try await Command(
        ["-p", String(broker.port), "-t", filter, "-W", "1", "--retained-only", "-F", "%t"],
        executable: URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
      ).end().lines
    }
    let filters = ["beaconkeeper/g/#", "homeassistant/+/beaconkeeper_g/+/config"]
    try name("g")
    let first = try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    #expect(try await kept(broker, isHome))
    while try await all(filters[1]).count < 3 {}
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    func retain(_ topic: String, _ payload: String) async throws {
      try await run([
        "mosquitto_pub", "-p", "\(broker.port)", "-r", "-t", "beaconkeeper/g/\(topic)", "-m", payload,
      ])
    }
    if former != .isFree { try await retain("status", "online") }
    if isTaken {
      let time = "2026-11-20T21:49:20.541Z"
      try await retain("instance", #"{"v":1,"instance":"0f","started":"\#(time)","time":"\#(time)"}"#)
    }
    try name("h")
    let second = try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    let words = isTaken ? "another gateway is online as g" : "this gateway was called g"
    #expect(try await second.wait { second.errorsSoFar.contains(words) }, "\(second.errorsSoFar)")
    for filter in filters { #expect(try await all(filter).isEmpty != isTaken) }
    #expect(try await !all("beaconkeeper/h/zone/+/occupancy").isEmpty)
    second.signal(SIGTERM)
    #expect(try await second.end().status == 0)
    #expect(FileManager.default.fileExists(atPath: folder + "/g.sqlite") == isTaken)
    #expect(FileManager.default.fileExists(atPath: folder + "/h.sqlite"))
  }

  /// RabbitMQ returns nothing of what it retains to a subscription with wildcards. Here the access list keeps it.
  /// Without Home Assistant, members of a region have no device.
  @Test(arguments: ["", "home_assistant: off\n"])
  func `a former name is cleared where the broker keeps back what it retains`(more: String) async throws {
    let access = try file(
      """
      topic read #
      user gateway
      topic write beaconkeeper/#
      topic write homeassistant/#
      topic read beaconkeeper/+/status
      """, "acl")
    let broker = try await Broker(
      "allow_anonymous true\npassword_file \(try await passwordFile("gateway:secret\n"))\nacl_file \(access)\nuser root"
    )
    defer { broker.stop() }
    let password = try file("secret", "password", mode: 0o600)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    let path = try file("", "yaml")
    func start(_ gateway: String) throws -> Command {
      let text =
        Self.rules.replacing("name: g", with: "name: \(gateway), state_directory: \(folder)")
        + "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", username: gateway, password_file: \(password) }\n\(more)"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    }
    let first = try start("g")
    #expect(try await kept(broker, isHome))
    #expect(
      try await first.wait {
        (try? String(contentsOfFile: folder + "/g.topics", encoding: .utf8))?.contains("fleet%3A") == true
      })
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    let second = try start("h")
    #expect(try await second.wait { second.errorsSoFar.contains("this gateway was called g") })
    let left = try await Command(
      ["-p", "\(broker.port)", "-t", "beaconkeeper/g/#", "-W", "1", "--retained-only", "-F", "%t"],
      executable: URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
    ).end().output
    #expect(left.isEmpty, "\(left)")
    second.signal(SIGTERM)
    #expect(try await second.end().status == 0)
    #expect(!FileManager.default.fileExists(atPath: folder + "/g.topics"))
  }

  /// Where the state directory was emptied, too: else it stays at the broker once `base_topic` is another.
  @Test func `what the broker retains of this gateway is remembered, though no run here retained it`()
    async throws
  {
    let broker = try await Broker()
    defer { broker.stop() }
    let published = try await Command(
      ["-p", "\(broker.port)", "-r", "-t", "beaconkeeper/g/beacon/fleet%3A9.9/zone", "-m", "not_home"],
      executable: URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
    ).end()
    #expect(published.status == 0)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    let rules = Self.rules.replacing("name: g", with: "name: g, state_directory: \(folder)")
    let gateway = try Command([
      "run", "--config", try configuration(broker, rules: rules), "--capture", try recording(tagFor: 600),
    ])
    defer { gateway.signal(SIGKILL) }
    #expect(
      try await gateway.wait {
        (try? String(contentsOfFile: folder + "/g.topics", encoding: .utf8))?
          .contains("beaconkeeper/g/beacon/fleet%3A9.9/zone") == true
      })
  }

  /// Starts one gateway, with one state directory and one configuration file, under different names and bases.
  private func mover(
    _ broker: Broker, _ more: String = ""
  ) throws -> (_ name: String, _ base: String) throws -> Command {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID())").path
    let path = try file("", "yaml")
    return { name, base in
      let text =
        Self.rules.replacing("name: g", with: "name: \(name), state_directory: \(folder)")
        + "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", \(more)base_topic: \(base) }\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try Command(["run", "--config", path, "--capture", try recording(tagFor: 600)])
    }
  }

  /// A gateway that lost its power is missed by the broker one and a half keepalives later, when another base or name is cleared.
  @Test(arguments: ["g", "h"])
  func `a last will that comes after a move is cleared, too`(name: String) async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let start = try mover(broker, "keepalive: 5 s, ")
    let first = try start("g", "beaconkeeper")
    #expect(try await kept(broker, isHome))
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    let second = try start(name, "elsewhere")
    defer { second.signal(SIGKILL) }
    #expect(try await kept(broker) { $0.isEmpty })
    try await run([
      "mosquitto_pub", "-p", "\(broker.port)", "-r", "-t", "beaconkeeper/g/status", "-m", "offline",
    ])
    #expect(try await kept(broker) { $0["status"] != nil })
    #expect(try await kept(broker) { $0.isEmpty })
  }

  /// mosquitto writes what it retains down every half hour. Killed, it comes back with what it wrote last.
  @Test func `what was cleared below a former base is cleared again if the broker brings it back`()
    async throws
  {
    let broker = try await Broker()
    defer { broker.stop() }
    let start = try mover(broker)
    let first = try start("g", "beaconkeeper")
    #expect(try await kept(broker, isHome))
    let occupancy = try #require(try await kept(broker)["zone/Living%20room/occupancy"])
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    let second = try start("g", "elsewhere")
    defer { second.signal(SIGKILL) }
    #expect(try await kept(broker) { $0.isEmpty })
    // Each look forgets what an earlier one has cleared.
    for count in 1...2 {
      second.signal(SIGHUP)
      let reloads = "configuration reloaded"
      #expect(
        try await second.wait { second.errorsSoFar.components(separatedBy: reloads).count > count })
      try await Task.sleep(for: .seconds(7))
    }
    try await run([
      "mosquitto_pub", "-p", "\(broker.port)", "-r", "-t", "beaconkeeper/g/zone/Living%20room/occupancy",
      "-m",
      occupancy,
    ])
    #expect(try await kept(broker) { !$0.isEmpty })
    second.signal(SIGHUP)
    #expect(try await kept(broker) { $0.isEmpty })
  }

  @Test func aMissingReceiverIsReported() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let rules = Self.rules.replacing(
      "- name: Living room", with: "- name: Living room\n    receivers: [hci9]")
    let gateway = try Command([
      "run", "--config", try configuration(broker, rules: rules), "--capture", try recording(tagFor: 600),
    ])
    #expect(
      try await kept(broker) {
        $0["health"]?.contains(#""state":"partial""#) == true
          && $0["health"]?.contains(#""name":"hci9","state":"missing""#) == true
          && $0["zone/Living%20room/occupancy"]?.contains(#""state":"unknown""#) == true
      })
    #expect(gateway.errorsSoFar.contains("nothing heard from receiver hci9"))
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }

  /// A verdict falls at once, while its near is still on its way to the disk.
  @Test func noVerdictOvertakesItsNear() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let rules =
      Self.rules + """
        phones:
          - { name: anna, beacon: tag, os: ios17, strategy: location-always }

        """
    let path = try configuration(broker, rules: rules)
    let gateway = try Command([
      "run", "--config", path, "--capture",
      try recording(tagFor: 600, rssi: { Int($0 / 2) % 2 == 0 ? -55 : -95 }),
    ])
    #expect(
      try await gateway.wait { broker.messages.count { $0.topic.hasSuffix("/verdict") } >= 6 })
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    var nears: Set<String> = []
    struct Payload: Decodable {
      var id: String?
      var transition: String?
    }
    for message in broker.messages
    where message.topic.hasSuffix("/near") || message.topic.hasSuffix("/verdict") {
      let payload = try JSONDecoder().decode(Payload.self, from: Data(message.payload))
      if let id = payload.id { nears.insert(id) }
      if let near = payload.transition { #expect(nears.contains(near)) }
    }
    #expect(nears.count > 5)
  }
}
