import Foundation
import Testing

/// A gateway at a broker that does not allow all that it says.
@Suite struct AccessListTests {
  /// The demonstration with the pump alone, at another broker.
  private func gateway(at broker: String, _ more: String = "", health: String = "30 s") throws -> Command {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("access-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Command.package.appendingPathComponent("config"), to: folder.appendingPathComponent("config"))
    let rest = "broker: \(broker)\ntelemetry: { beacon_state: 5 s, health: \(health) }\n"
    try Data((Forecourt.rules + rest + more).utf8)
      .write(to: folder.appendingPathComponent("config/demo.yaml"))
    return try Command(["run", "--demo"], directory: folder)
  }

  /// What needs no answer has none that would tell; and the broker drops the connection at it all the same.
  @Test(arguments: [
    ("max_queued_messages 0", "5"), ("max_queued_messages 10000", "5"), ("max_queued_messages 0", "3.1.1"),
    ("max_queued_messages 10000", "3.1.1"),
  ])
  func aForbiddenQoS0TopicDelaysNoOtherMessage(queue: String, version: String) async throws {
    let access = try file(
      "topic readwrite beaconkeeper/#\ntopic readwrite homeassistant/#\ntopic deny beaconkeeper/forecourt/health\n",
      "acl")
    let broker = try await Broker("allow_anonymous true\nacl_file \(access)\nuser root\n\(queue)")
    defer { broker.stop() }
    let gateway = try gateway(
      at: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: \(version) }",
      "home_assistant: { room_presence: on }\n", health: "1 s")
    defer { gateway.signal(SIGKILL) }
    func count(_ topic: String) -> Int { broker.messages.count { $0.topic.hasSuffix(topic) } }
    #expect(try await gateway.wait { count("zone/pump-3/enter") > 0 })
    let lost = gateway.errorsSoFar.split(separator: "\n").count { $0.contains("lost the broker") }
    #expect(lost <= 9, "\(gateway.errorsSoFar)")
    #expect(count("room_presence/hci0") == 0 && count("/health") == 0)
    for topic in ["beaconkeeper/forecourt/health", "room_presence/hci0"] {
      let told = gateway.errorsSoFar.split(separator: "\n").filter {
        $0.contains("refuses messages to \(topic) from")
      }
      #expect(told.count == 1, "\(gateway.errorsSoFar)")
    }
    #expect(!gateway.errorsSoFar.contains("messages to beaconkeeper/forecourt/zone"))
    // Mended, and read again.
    try Data("topic readwrite #\n".utf8).write(to: URL(fileURLWithPath: access))
    try await broker.reload()
    gateway.signal(SIGHUP)
    let isBack = try await gateway.wait { count("room_presence/hci0") > 3 && count("/health") > 3 }
    #expect(isBack, "\(count("room_presence/hci0")) \(count("/health")) \(gateway.errorsSoFar.suffix(1500))")
    #expect(gateway.errorsSoFar.contains("accepts messages to room_presence/hci0 again"))
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  private static let closed = "topic deny beaconkeeper/forecourt/zone/shop/enter\n"
  /// Nothing of discovery either.
  private static let open = "topic readwrite beaconkeeper/#\n"

  /// mosquitto before 2.0.22 drops who publishes what it does not allow, where `max_queued_messages` is 0.
  @Test(arguments: [
    ("max_queued_messages 0", "5"), ("max_queued_messages 10000", "5"), ("max_queued_messages 0", "3.1.1"),
    ("max_queued_messages 10000", "3.1.1"),
  ])
  func aForbiddenTopicDelaysNoOtherMessage(queue: String, version: String) async throws {
    let access = try file(Self.open + Self.closed, "acl")
    let broker = try await Broker("allow_anonymous true\nacl_file \(access)\nuser root\n\(queue)")
    defer { broker.stop() }
    let gateway = try gateway(at: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: \(version) }")
    defer { gateway.signal(SIGKILL) }
    func count(_ topic: String) -> Int {
      broker.messages.count { $0.topic == "beaconkeeper/forecourt/" + topic }
    }
    #expect(try await gateway.wait { count("zone/pump-3/near") > 0 && count("zone/pump-3/exit") > 0 })
    #expect(count("zone/pump-3/enter") == 1 && count("zone/shop/enter") == 0)
    // Each costs the connection at most three times, and the other topics of its kind none.
    let lost = gateway.errorsSoFar.split(separator: "\n").count { $0.contains("lost the broker") }
    #expect(lost <= 8, "\(gateway.errorsSoFar)")
    #expect(gateway.errorsSoFar.contains("refuses messages to beaconkeeper/forecourt/zone/shop/enter"))
    #expect(gateway.errorsSoFar.split(separator: "\n").count { $0.contains("zone/shop/enter") } == 1)
    #expect(gateway.errorsSoFar.contains("/config from a client without user name"))
    // Mended, and read again.
    try Data("topic readwrite #\n".utf8).write(to: URL(fileURLWithPath: access))
    try await broker.reload()
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { count("zone/shop/enter") == 1 })
    let lifted = "accepts messages to beaconkeeper/forecourt/zone/shop/enter again"
    #expect(try await gateway.wait { gateway.errorsSoFar.contains(lifted) })
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }

  /// With MQTT 3.1.1 the broker acknowledges what it drops, and nobody reloads the gateway or ends its connection.
  @Test func aTopicForbiddenWhileRunningIsNoticedAndItsMessagesComeLater() async throws {
    let access = try file("topic readwrite #\n", "acl")
    let broker = try await Broker("allow_anonymous true\nacl_file \(access)\nuser root")
    defer { broker.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("forbidden-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(DiskStage.recording.utf8).write(to: folder.appendingPathComponent("walk.jsonl"))
    try Data(
      """
      gateway: { name: yard, state_directory: state }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: 3.1.1 }
      beacons:
        - { name: tag-0, address: "C1:00:00:00:00:00" }
        - { name: tag-1, address: "C1:00:00:00:00:01" }
      zones:
        - { name: shop, enter: { distance: 4 m, dwell: 0 s }, exit: { distance: 6 m, dwell: 0 s } }
      """.utf8
    ).write(to: folder.appendingPathComponent("yard.yaml"))
    let gateway = try Command(["run", "--config", "yard.yaml", "--capture", "walk.jsonl"], directory: folder)
    defer { gateway.signal(SIGKILL) }
    var numbers: Set<Int> {
      Set(
        broker.messages.filter { $0.topic.contains("/zone/shop/e") && !$0.topic.hasSuffix("occupancy") }
          .compactMap {
            String(decoding: $0.payload, as: UTF8.self).firstMatch(of: /"seq":(\d+)/).flatMap { Int($0.1) }
          })
    }
    #expect(try await gateway.wait { numbers.count > 12 })
    try Data("topic readwrite #\ntopic deny beaconkeeper/yard/zone/shop/enter\n".utf8)
      .write(to: URL(fileURLWithPath: access))
    try await broker.reload()
    let notice = "refuses messages to beaconkeeper/yard/zone/shop/enter"
    #expect(try await gateway.wait { gateway.errorsSoFar.contains(notice) }, "\(gateway.errorsSoFar)")
    try Data("topic readwrite #\n".utf8).write(to: URL(fileURLWithPath: access))
    try await broker.reload()
    gateway.signal(SIGHUP)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("zone/shop/enter again") })
    let last = numbers.max() ?? 0
    #expect(try await gateway.wait { (numbers.max() ?? 0) > last + 4 })
    // At most what was sent in the five seconds before the next question is missing.
    let missing = Set(1...last).subtracting(numbers)
    #expect(missing.count <= 12, "\(missing.sorted())")
  }

  private func unseen(in health: [UInt8]?) -> String? {
    health.flatMap { String(decoding: $0, as: UTF8.self).firstMatch(of: /"refusals_unseen":"([^"]*)"/) }
      .map { String($0.1) }
  }

  /// Who may write and not read is told of nothing that is well; nor is who is known by the client id, which nobody else can have.
  @Test(arguments: [
    ("topic write beaconkeeper/#\ntopic write homeassistant/#\n", "forecourt-1", false),
    ("pattern write beaconkeeper/%c/#\ntopic write homeassistant/#\n", "forecourt", true),
  ])
  func anAllowedTopicIsNeverReportedAsForbidden(list: String, id: String, isUnseen: Bool) async throws {
    let access = try file(list + "user watcher\ntopic read #\n", "acl")
    let accounts = try await passwordFile("watcher:w\n")
    let broker = try await Broker(
      "allow_anonymous true\npassword_file \(accounts)\nacl_file \(access)\nuser root",
      recordedAs: ["-u", "watcher", "-P", "w"])
    defer { broker.stop() }
    let gateway = try gateway(
      at: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: 3.1.1, client_id: \(id) }", health: "1 s")
    defer { gateway.signal(SIGKILL) }
    func health() -> [UInt8]? { broker.messages.last { $0.topic.hasSuffix("/health") }?.payload }
    #expect(
      try await gateway.wait { broker.messages.contains { $0.topic.hasSuffix("zone/pump-3/near") } })
    #expect(try await gateway.wait { (unseen(in: health()) != nil) == isUnseen })
    #expect(!gateway.errorsSoFar.contains("refuses messages"), "\(gateway.errorsSoFar)")
    if isUnseen { #expect(unseen(in: health())?.contains("client id") == true) }
  }

  /// It ends libmosquitto 2.0.11 with what it says in MQTT 5, or speaks none.
  @Test(arguments: [("inventive", "ended without an answer"), ("old", "speaks MQTT 3.1.1 only")])
  func aBrokerThatAnswersNoInquiryDoesNoHarm(habit: String, words: String) async throws {
    let broker = try await StrangeBroker(habit)
    defer { broker.stop() }
    let gateway = try gateway(
      at: "{ url: \"mqtt://127.0.0.1:\(broker.port)\", protocol: 3.1.1 }", health: "1 s")
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { broker.hasHeard("/zone/pump-3/near") })
    #expect(try await gateway.wait { broker.hasHeard("\"refusals_unseen\":\"") })
    // libmosquitto 2.0.21 notices it itself.
    #expect(broker.hasHeard(words) || broker.hasHeard("does not speak MQTT 5"))
    // It plays the walk, by a copy.
    #expect(gateway.errorsSoFar.split(separator: "\n").count == 2, "\(gateway.errorsSoFar)")
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
  }
}
