import Configuration
import Contract
import Core
import Foundation
import Glibc
import InMemoryLogging
import Logging
import Scenes
import Synchronization
import Testing

@testable import Gateway
@testable import Mosquitto

/// What the link to the broker and the reload do for features.
// The signal of one test reaches the others, too.
@Suite(.serialized) struct FeatureTests {
  /// Remembers its configurations, and reads a topic of the name of each beacon.
  private final class Remembering: Feature {
    let all = Mutex<[Configuration]>([])

    func configure(_ new: Configuration) { all.withLock { $0.append(new) } }
    var filters: [Filter] {
      all.withLock { $0.last?.beacons.map { Filter(topics: "notes/\($0.name)", qos: .atMostOnce) } ?? [] }
    }
  }

  private static func rules(_ gateway: String, _ beacon: String) -> String {
    "gateway: { name: \(gateway) }\nbeacons: [{ name: \(beacon), address: \"C1:00:00:00:00:01\" }]\n"
  }

  private let logger = Logger(label: "test") { _ in InMemoryLogHandler() }

  @Test func `every feature gets the same configuration, whether the page asks or SIGHUP`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "features-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    func write(_ rules: String) throws -> Configuration.Loaded {
      try Data(rules.utf8).write(to: file)
      return try Configuration.load(path: file.path())
    }
    let first = try write(Self.rules("home", "key"))
    let features = [Remembering(), Remembering(), Remembering()]
    let reloads = await ReloadRequests(of: file.path())
    let service = Task { [logger] in
      try await ReloadService(
        reloads: reloads, configuration: first.configuration, features: features, notifier: nil,
        logger: logger
      ).run()
    }
    defer { service.cancel() }
    func told(_ count: Int) async throws -> [[Configuration]] {
      func all() -> [[Configuration]] { features.map { feature in feature.all.withLock { $0 } } }
      for _ in 0..<3000 where !all().allSatisfy({ $0.count >= count }) {
        try await Task.sleep(for: .milliseconds(20))
      }
      return all()
    }

    // A gateway keeps its name until it is restarted; all must keep it.
    let saved = try write(Self.rules("elsewhere", "bag"))
    reloads.ask(saved)
    var expected = [saved.configuration]
    expected[0].gatewayName = "home"
    #expect(try await told(1) == [expected, expected, expected])
    #expect(reloads.revision.current == saved.revision)

    var edited = try write(Self.rules("anywhere", "van")).configuration
    kill(getpid(), SIGHUP)
    edited.gatewayName = "home"
    expected.append(edited)
    #expect(try await told(2) == [expected, expected, expected])
  }

  @Test func `with another broker the gateway begins anew, unless something stands against it`() async throws
  {
    func loaded(_ rules: String) throws -> Configuration.Loaded {
      try Configuration.read(
        Array(rules.utf8), path: "site.yaml", environment: [:], hostName: "pi", connects: false)
    }
    let first = try loaded(Self.rules("home", "key"))
    let other = try loaded(
      Self.rules("elsewhere", "bag") + "broker: { url: mqtt://broker.lan }\nhttp: on\nradio: { duty: off }\n")
    let isFull = Mutex(true)
    let feature = Remembering()
    let reloads = await ReloadRequests(of: "/no/such/file.yaml")
    func told(_ count: Int) async throws -> [Configuration] {
      for _ in 0..<3000 where feature.all.withLock(\.count) < count {
        try await Task.sleep(for: .milliseconds(20))
      }
      return feature.all.withLock { $0 }
    }
    let service = Task { [logger] in
      try await ReloadService(
        reloads: reloads, configuration: first.configuration, features: [feature], notifier: nil,
        logger: logger
      ) { isFull.withLock { $0 } ? "the disk is full" : nil }.run()
    }
    defer { service.cancel() }
    reloads.ask(other)
    #expect(try await told(1).last?.beacons.map(\.name) == ["bag"])
    isFull.withLock { $0 = false }
    // A zone that is saved does not try again what has refused the gateway.
    reloads.refusedBroker = other.configuration.broker
    reloads.ask(other)
    #expect(try await told(2).count == 2)
    #expect(!reloads.isRestarting)
    reloads.refusedBroker = nil
    // Nor does what lacks its password.
    reloads.ask(
      try loaded("broker: { url: mqtt://broker.lan, username: gw, password_file: /no/such/file }\n"))
    #expect(try await told(3).count == 3)
    #expect(!reloads.isRestarting)
    reloads.ask(other)
    try await service.value
    #expect(feature.all.withLock(\.count) == 3)
    let next = try #require(reloads.takeNext())
    #expect(next.configuration.broker == other.configuration.broker)
    #expect(next.configuration.beacons == other.configuration.beacons)
    #expect(next.configuration.gatewayName == "home" && next.configuration.http == nil)
    #expect(next.configuration.radio == first.configuration.radio && next.revision == other.revision)
    #expect(!reloads.isRestarting)
  }

  @Test func `what features read is subscribed to, and given up when they read it no more`() throws {
    let client = try Client(Options(host: "127.0.0.1", port: 1))
    let listener = GatewayRun.Listener()
    let delivery = try Delivery(client, Topics(gateway: "home"), listener: listener, logger: logger)
    let features = [Remembering(), Remembering()]
    let link = BrokerLink(
      features, delivery, logger, onReady: { _ in }, watch: "", broker: "127.0.0.1:1", clientID: "x")
    func read(_ names: [String]) throws -> [String: QoS] {
      for (feature, name) in zip(features, names) {
        feature.configure(try Scene.configuration(Self.rules("home", name)))
      }
      link.configure(Configuration(gatewayName: "home"))
      return client.session.state.withLock { $0.subscriptions.mapValues(\.qos) }
    }
    #expect(try read(["key", "bag"]) == ["notes/key": .atMostOnce, "notes/bag": .atMostOnce])
    #expect(try read(["bag", "bag"]) == ["notes/bag": .atMostOnce])
    #expect(try read(["van", "bag"]) == ["notes/van": .atMostOnce, "notes/bag": .atMostOnce])
  }

  @Test func `the command that watches a broker is one command, whatever the broker is called`() throws {
    let yaml = "broker: { url: \"mqtt://a;id\", username: \"it's $me\" }\n"
    guard case .remote(let broker) = try Scene.configuration(yaml).broker else { return }
    #expect(broker.subscriber == #"mosquitto_sub -h 'a;id' -p 1883 -u 'it'\''s $me' -P …"#)
  }

  /// MQTT 3.1.1 does not say that another client came with the same id.
  @Test func `connections that end at once are told as a quarrel about the id, once`() {
    var quarrel = Quarrel()
    var time = MonotonicTime.zero
    func ends(after seconds: Double) -> Bool {
      quarrel.connected(at: time)
      time = time + .seconds(seconds)
      return quarrel.isOne(lostAt: time)
    }
    #expect((0..<10).map { _ in ends(after: 1) } == (0..<10).map { $0 == 4 })
    #expect(!ends(after: 60))
    #expect((0..<4).allSatisfy { _ in !ends(after: 1) })
    #expect(!ends(after: 60) && !ends(after: 1))
  }
}
