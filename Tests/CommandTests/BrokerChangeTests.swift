import Foundation
import TestSupport
import Testing

/// Another broker in the file, and SIGHUP: the gateway goes there without a restart of its process.
@Suite struct BrokerChangeTests {
  private let configuration: String

  init() throws { configuration = try file("", "yaml") }

  private func write(_ port: Int, _ login: String = "") throws {
    let text = """
      gateway: { name: g }
      beacons: [{ name: tag, address: "C1:00:00:00:00:05" }]
      zones: [{ name: hall, enter: { distance: 6 m, dwell: 0 s }, exit: { distance: 8 m, dwell: 0 s, lost: 3 s } }]
      broker: { url: "mqtt://127.0.0.1:\(port)"\(login) }

      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
  }

  /// The tag comes and goes every ten seconds.
  private func start() throws -> Command {
    let lines = (0..<3000).map { tick in
      let rssi = tick / 50 % 2 == 0 ? -50 : -95
      return
        #"{"t": \#(1_795_211_340 + Double(tick) / 5), "receiver": "hci0", "address": "C1:00:00:00:00:05", "address_type": "random", "rssi": \#(rssi), "payload": "020106"}"#
    }
    return try Command([
      "run", "--config", configuration, "--capture", try file(lines.joined(separator: "\n"), "jsonl"),
    ])
  }

  private func retained(at port: Int) async throws -> [String: String] {
    let output = try await Command(
      ["-p", String(port), "-t", "#", "-W", "1", "--retained-only", "-F", "%t %p"],
      executable: URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
    ).end().output
    return Dictionary(
      output.split(separator: "\n").map { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }, uniquingKeysWith: { $1 })
  }

  private func until(_ port: Int, _ isRight: ([String: String]) -> Bool) async throws {
    var last: [String: String] = [:]
    for _ in 0..<200 {
      last = try await retained(at: port)
      if isRight(last) { return }
    }
    Issue.record("\(last)")
  }

  /// The transitions that somebody hears at a broker from now on.
  private struct Listener {
    let child: Command

    init(_ port: Int) throws {
      child = try Command(
        [
          "-oL", "mosquitto_sub", "-d", "-p", String(port), "-q", "1", "-t", "beaconkeeper/g/zone/hall/enter",
          "-t", "beaconkeeper/g/zone/hall/exit", "-F", "%p",
        ], executable: URL(fileURLWithPath: "/usr/bin/stdbuf"))
    }

    var isSubscribed: Bool { child.outputSoFar.contains("Subscribed (mid") }

    /// Epoch and number of each, as they came.
    var heard: [[Int]] {
      child.outputSoFar.split(separator: "\n").compactMap { line in
        guard let tree = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          let epoch = tree["epoch"] as? Int, let seq = tree["seq"] as? Int
        else { return nil }
        return [epoch, seq]
      }
    }
  }

  private func listener(_ port: Int) async throws -> Listener {
    let listener = try Listener(port)
    #expect(try await listener.child.wait { listener.isSubscribed })
    return listener
  }

  private enum Former: CaseIterable { case alive, dead, hanging }

  @Test(arguments: Former.allCases)
  private func `the next broker gets everything, and the former one keeps nothing if it answers`(
    former: Former
  ) async throws {
    let (old, new) = (try TestBroker(), try TestBroker())
    try await old.start()
    try await new.start()
    let (atOld, atNew) = (try await listener(old.port), try await listener(new.port))
    try write(old.port)
    let gateway = try start()
    let status = "beaconkeeper/g/status"
    try await until(old.port) {
      $0[status] == "online" && $0.keys.contains { $0.hasPrefix("homeassistant/") }
    }
    #expect(try await gateway.wait { atOld.heard.count >= 2 })
    switch former {
    case .alive: break
    case .dead: old.kill()
    case .hanging: old.pause()
    }
    if former != .alive {
      let before = gateway.outputSoFar.count { $0 == "\n" }
      #expect(try await gateway.wait { gateway.outputSoFar.count { $0 == "\n" } > before + 1 })
    }
    try write(new.port)
    gateway.signal(SIGHUP)
    try await until(new.port) {
      $0[status] == "online" && $0["beaconkeeper/g/zone/hall/occupancy"] != nil
        && $0.keys.contains { $0.hasPrefix("homeassistant/") }
    }
    let errors = gateway.errorsSoFar + gateway.outputSoFar
    #expect(errors.contains("begins anew with another broker"))
    #expect(errors.contains("has not taken leave") == (former != .alive), "\(errors)")
    if former == .alive { #expect(try await retained(at: old.port).isEmpty) }
    let count = atNew.heard.count
    #expect(try await gateway.wait { atNew.heard.count >= count + 2 })
    if former == .hanging { old.resume() }
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    #expect(try await retained(at: new.port)[status] == "offline")
    // What a broker with MQTT 3.1.1 has taken, perhaps without the right to it, comes to the other one, too, with the same number.
    for one in [atOld, atNew] { #expect(Set(one.heard).count == one.heard.count, "nothing comes twice") }
    // Between them nothing is missing.
    for (epoch, all) in Dictionary(grouping: Set(atOld.heard + atNew.heard), by: { $0[0] }) {
      #expect(all.map { $0[1] }.sorted() == Array(1...all.count), "epoch \(epoch)")
    }
    for one in [atOld, atNew] { one.child.signal(SIGKILL) }
  }

  @Test func `a broker that refuses the gateway leaves it at the former one`() async throws {
    let users = try await passwordFile("gw:right\n")
    let (old, new) = (
      try TestBroker(), try TestBroker("allow_anonymous false\npassword_file \(users)\nuser root")
    )
    try await old.start()
    try await new.start()
    try write(old.port)
    let gateway = try start()
    let status = "beaconkeeper/g/status"
    try await until(old.port) { $0[status] == "online" }
    try write(new.port)
    gateway.signal(SIGHUP)
    #expect(
      try await gateway.wait {
        (gateway.errorsSoFar + gateway.outputSoFar).contains("goes back to the former broker")
      })
    try await until(old.port) {
      $0[status] == "online" && $0["beaconkeeper/g/zone/hall/occupancy"] != nil
        && $0.keys.contains { $0.hasPrefix("homeassistant/") }
    }
    // With a password it is taken after all.
    let password = try file("right\n", "password", mode: 0o600)
    try write(new.port, ", username: gw, password_file: \(password)")
    gateway.signal(SIGHUP)
    try await until(old.port) { $0.isEmpty }
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
  }
}
