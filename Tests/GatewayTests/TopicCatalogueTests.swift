import Configuration
import Contract
import Core
import Foundation
import InMemoryLogging
import Logging
import Mosquitto
import Pipeline
import Scenes
import Testing

@testable import Gateway

/// The catalogue of topics, what the features read, and the access list that ships.
@Suite struct TopicCatalogueTests {
  /// With everything that has a topic.
  private static let rules = """
    gateway: { name: home }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: Anna's key, address: "C1:00:00:00:00:05" }
    zones: [{ name: pump 3, enter: 6 m }]
    rooms: [{ name: living room, receivers: [esp] }]
    phones: [{ name: anna, beacon: "fleet:1.2", os: ios17, strategy: background-task }]
    publish: { observations: true }
    scanners: [{ kind: espresense }, { kind: theengs }, { kind: beaconkeeper }]

    """
  private static let homeAssistant = "home_assistant: { room_presence: on, zones: { pump 3: zone.home } }"

  /// Whether a filter covers a topic or another filter.
  private func covers(_ filter: Substring, _ topic: String) -> Bool {
    let (wanted, levels) = (filter.split(separator: "/"), topic.split(separator: "/"))
    for (place, level) in wanted.enumerated() {
      if level == "#" { return true }
      guard place < levels.count, level == "+" || level == levels[place] else { return false }
    }
    return wanted.count == levels.count
  }

  /// Also the lines that are commented out, which say what they are for.
  @Test func `the access list that ships allows all that a gateway publishes and reads`() throws {
    let list = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../deploy/mosquitto.acl"), encoding: .utf8)
    var rights: [String: [Substring]] = [:]
    for line in list.prefix(upTo: try #require(list.firstRange(of: "user homeassistant")).lowerBound).split(
      separator: "\n")
    {
      let words = line.drop { $0 == "#" || $0 == " " }.split(separator: " ")
      guard words.count == 3, words[0] == "topic" else { continue }
      for right in words[1] == "readwrite" ? ["read", "write"] : [String(words[1])] {
        rights[right, default: []].append(words[2])
      }
    }
    let catalogue = TopicCatalogue(try Scene.configuration(Self.rules + Self.homeAssistant))
    for (right, topics) in [("write", catalogue.published), ("read", catalogue.filters)] {
      let missing = topics.filter { topic in !rights[right, default: []].contains { covers($0, topic) } }
      #expect(missing == [], "\(right)")
    }
    #expect(catalogue.published.contains("room_presence/hci0"))
    #expect(catalogue.published.contains("beaconkeeper/home/beacon/Anna%27s%20key/place"))
  }

  @Test(arguments: [homeAssistant, "home_assistant: { prefix: ha }", "home_assistant: off"])
  func `doctor asks about all that features read`(homeAssistant: String) throws {
    let configuration = try Scene.configuration(Self.rules + homeAssistant)
    let logger = Logger(label: "test") { _ in InMemoryLogHandler() }
    let pipeline = Pipeline(configuration)
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics,
      listener: GatewayRun.Listener(),
      logger: logger)
    let decisions = DecisionLoop(pipeline, delivery: delivery, logger: logger)
    let features: [any Feature] = [
      delivery, decisions, Rivals(delivery, .beginning(at: .init(nanoseconds: 0)), broker: ""),
      HomeAssistantLink(configuration, decisions, logger),
      MendingService(configuration, decisions, logger), ScannerLink(configuration, decisions, logger),
    ]
    let read = Set(features.flatMap(\.filters).map(\.topics)).union(Leftovers(configuration).filters)
    #expect(Set(TopicCatalogue(configuration).filters) == read)
  }
}
