import Foundation
import TestSupport
import Testing

/// Receivers that hang elsewhere, against a real broker: what they publish there moves beacons.
@Suite(.serialized) struct ScannerCommandTests {
  private static let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"
  private static let places = """
    telemetry: { health: 1 s, beacon_state: 100 ms }
    beacons:
      - { name: van, ibeacon: { uuid: \(uuid), major: 1, minor: 2 } }
      - { name: key, address: "C1:00:00:00:00:05" }
    zones:
      - { name: kitchen, receivers: [kitchen], enter: { signal: -70 dBm, dwell: 300 ms }, exit: { signal: -80 dBm, dwell: 500 ms, lost: 20 s } }
      - { name: cellar, receivers: [hall/hci0], enter: { signal: -70 dBm, dwell: 300 ms }, exit: { signal: -80 dBm, dwell: 500 ms, lost: 20 s } }
    """

  private func publish(_ broker: Broker, _ topic: String, _ payload: String, retained: Bool = false)
    async throws
  {
    try await run(
      ["mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", topic, "-m", payload]
        + (retained ? ["-r"] : []))
  }

  private func esp(rssi: Double) -> String {
    """
    {"mac":"c10000000001","id":"iBeacon:\(Self.uuid)-1-2","name":"van","disc":"ibeacon","rssi@1m":-59,"rssi":\(rssi),"raw":2.1,"distance":2.1,"int":1000}
    """
  }

  private func texts(_ broker: Broker, _ topic: String) -> [String] {
    broker.messages.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  /// Without power it says nothing, and its last will comes only after 1.5 times its keepalive.
  @Test func `nobody leaves because a board falls silent, until it shows that it lives`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      scanners: [{ kind: espresense }]
      \(Self.places.replacing("lost: 20 s", with: "lost: 15 s"))
      """, "yaml")
    let gateway = try Command(["run", "--config", configuration])
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    let life = "espresense/rooms/kitchen/telemetry"
    try await until("it enters") {
      for (topic, text) in [(life, "{}"), ("espresense/devices/x/kitchen", esp(rssi: -55))] {
        try? pub(["mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", topic, "-m", text])
      }
      return !texts(broker, "beaconkeeper/home/zone/kitchen/enter").isEmpty
    }
    for _ in 0..<5 { try await publish(broker, "espresense/devices/x/kitchen", esp(rssi: -55)) }
    try await Task.sleep(for: .seconds(22))
    #expect(texts(broker, "beaconkeeper/home/zone/kitchen/exit").isEmpty)
    #expect(texts(broker, "beaconkeeper/home/zone/kitchen/occupancy").last?.contains("occupied") == true)
    try await publish(broker, life, "{}")
    try await until("it leaves") { !texts(broker, "beaconkeeper/home/zone/kitchen/exit").isEmpty }
  }

  @Test func aWalkPastAnESPresenseGivesTransitions() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let topic = "espresense/devices/iBeacon:\(Self.uuid)-1-2/kitchen"
    // Somebody made the scanner retain: this was heard yesterday.
    try await publish(broker, topic, esp(rssi: -40), retained: true)
    let configuration = try file(
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      scanners: [{ kind: espresense }]
      \(Self.places)
      """, "yaml")
    let gateway = try Command(["run", "--config", configuration])
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    try await until("health tells of the retained message") {
      texts(broker, "beaconkeeper/home/health").contains { $0.contains("\"retained\":1") }
    }
    #expect(texts(broker, "beaconkeeper/home/zone/kitchen/enter").isEmpty)
    for _ in 0..<8 { try await publish(broker, topic, esp(rssi: -55.4)) }
    try await until("it enters") {
      try? pub([
        "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", topic, "-m", esp(rssi: -55),
      ])
      return !texts(broker, "beaconkeeper/home/zone/kitchen/enter").isEmpty
    }
    let enter = try #require(texts(broker, "beaconkeeper/home/zone/kitchen/enter").first)
    #expect(enter.contains("\"receiver\":\"kitchen\""))
    #expect(enter.contains("\"beacon\":\"van\""))
    try await until("it leaves") {
      try? pub([
        "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", topic, "-m", esp(rssi: -95),
      ])
      return !texts(broker, "beaconkeeper/home/zone/kitchen/exit").isEmpty
    }
    // Foreign messages are named and survived.
    try await publish(broker, topic, "{\"mac\":")
    try await publish(broker, topic, String(repeating: "[", count: 5000))
    try await publish(broker, "espresense/devices/irk:00/kitchen", "{\"rssi\":-50}")
    try await until("they are counted") {
      texts(broker, "beaconkeeper/home/health").contains {
        $0.contains("\"malformed\":2") && $0.contains("\"identity\":1")
      }
    }
    #expect(gateway.errorsSoFar.contains("refused on espresense/devices/+/+: messages that are not what"))
    // Its last will blinds it, and the zone says that it knows nothing.
    try await publish(broker, "espresense/rooms/kitchen/status", "offline", retained: true)
    try await until("the zone is unknown") {
      texts(broker, "beaconkeeper/home/zone/kitchen/occupancy").last?.contains("\"unknown\"") == true
    }
    try await until("health says so") {
      texts(broker, "beaconkeeper/home/health").last?.contains("\"gone\"") == true
    }
    try await publish(broker, "espresense/rooms/kitchen/status", "online", retained: true)
    try await until("it sees again") {
      texts(broker, "beaconkeeper/home/zone/kitchen/occupancy").last?.contains("\"unknown\"") == false
    }
    gateway.signal(SIGINT)
    let result = try await gateway.end()
    #expect(result.status == 0 && result.isCalm)
  }

  @Test func `a reload with another prefix of a scanner moves nobody, and leaves no receiver behind`()
    async throws
  {
    let broker = try await Broker()
    defer { broker.stop() }
    func yaml(_ prefix: String) -> String {
      """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      scanners: [{ kind: espresense, prefix: \(prefix) }]
      \(Self.places.replacing("receivers: [kitchen]", with: "receivers: [\(prefix)kitchen]"))
      """
    }
    let configuration = try file(yaml("esp-"), "yaml")
    let gateway = try Command(["run", "--config", configuration])
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    func hear(until what: String, _ condition: () -> Bool) async throws {
      try await until(what) {
        try? pub([
          "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t",
          "espresense/devices/iBeacon:\(Self.uuid)-1-2/kitchen", "-m", esp(rssi: -55),
        ])
        return condition()
      }
    }
    try await hear(until: "it enters") {
      !texts(broker, "beaconkeeper/home/zone/kitchen/enter").isEmpty
    }
    try yaml("x-").write(toFile: configuration, atomically: true, encoding: .utf8)
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("configuration reloaded") })
    try await hear(until: "the receiver has its new name") {
      texts(broker, "beaconkeeper/home/health").last?.contains("\"x-kitchen\",\"state\":\"ok\"") == true
    }
    #expect(texts(broker, "beaconkeeper/home/zone/kitchen/exit") == [])
    #expect(texts(broker, "beaconkeeper/home/zone/kitchen/enter").count == 1)
    #expect(texts(broker, "beaconkeeper/home/health").last?.contains("esp-kitchen") == false)
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  @Test func oneGatewaysObservationsMoveABeaconAtAnother() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    func configuration(_ name: String, _ more: String) throws -> String {
      try file(
        """
        gateway: { name: \(name) }
        broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
        \(more)
        \(Self.places)
        """, "yaml")
    }
    let far = try Command(
      [
        "run", "--capture", "-", "--config",
        configuration("hall", "publish: { observations: { interval: 100 ms, partitions: 3 } }"),
      ],
      standardInput: pipe.fileHandleForReading)
    let near = try Command(
      ["run", "--config", configuration("home", "radio: { duty: off }\nscanners: [{ kind: beaconkeeper }]")])
    defer {
      far.signal(SIGKILL)
      near.signal(SIGKILL)
    }
    for gateway in [far, near] {
      #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    }
    let line =
      #"{"t":0,"receiver":"hci0","address":"C1:00:00:00:00:05","address_type":"random","rssi":-50,"payload":"020106"}"#
      + "\n"
    try await until("it enters at the other gateway") {
      try? pipe.fileHandleForWriting.write(contentsOf: Data(line.utf8))
      return !texts(broker, "beaconkeeper/home/zone/cellar/enter").isEmpty
    }
    let enter = try #require(texts(broker, "beaconkeeper/home/zone/cellar/enter").first)
    #expect(enter.contains("\"receiver\":\"hall/hci0\""))
    try await until("health tells of the gateway and its clock") {
      texts(broker, "beaconkeeper/home/health").contains {
        $0.contains("\"gateways\":[{\"name\":\"hall\"") && $0.contains("\"clock_offset_s\":0")
      }
    }
    far.signal(SIGKILL)
    try await until("its last will blinds its receivers") {
      texts(broker, "beaconkeeper/home/zone/cellar/occupancy").last?.contains("\"unknown\"") == true
    }
    near.signal(SIGINT)
    let result = try await near.end()
    #expect(result.status == 0 && result.isCalm)
  }

  @Test func aScannerThatAReloadAddsIsHeard() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let rest = """
      gateway: { name: home }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      radio: { duty: off }
      \(Self.places)
      """
    let configuration = try file(rest, "yaml")
    let gateway = try Command(["run", "--config", configuration])
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    try Data((rest + "\nscanners: [{ kind: theengs, receivers: { OMG1: kitchen } }]\n").utf8)
      .write(to: URL(fileURLWithPath: configuration))
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("configuration reloaded") })
    try await until("it enters") {
      try? pub([
        "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "home/OMG1/BTtoMQTT/C10000000005",
        "-m", #"{"id":"C1:00:00:00:00:05","rssi":-50}"#,
      ])
      return !texts(broker, "beaconkeeper/home/zone/kitchen/enter").isEmpty
    }
    gateway.signal(SIGINT)
    #expect(try await gateway.end().isCalm)
  }

  private let pipe = Pipe()

  private func pub(_ arguments: [String]) throws {
    let child = try Child(arguments)
    while child.isRunning { usleep(2000) }
  }
}
