import Beacons
@testable import Contract
import Core
import Foundation
import Phones
import Testing

@Suite struct MetricsTextTests {
  private let health: HealthMessage = {
    var message = HealthMessage(
      time: WallTime(nanoseconds: 0), version: "1.2",
      receivers: [
        .init(
          name: "hci0", state: "deaf", isBlind: true, reason: "why", advertisementsPerSecond: 1.5,
          lastHeard: nil,
          heard: 10, empty: 2, lost: 3, recoveries: 4),
        .init(
          name: "attic \"a\\b\"\n", state: "ok", isBlind: false, reason: "", advertisementsPerSecond: 0,
          lastHeard: nil),
      ], advertisements: 11, sightings: 5, transitions: 6, queued: 7, beacons: 8, refusedReports: 9)
    message.diskFault = "the disk is full"
    message.lostTransitions = 12
    message.lostObservations = 13
    message.droppedForRooms = 14
    var scanner = HealthMessage.Scanner(kind: "espresense", topic: "espresense/devices/+/+")
    scanner.messages = 15
    scanner.observations = 16
    scanner.withoutSignal = 23
    scanner.refused = ["signal": 17]
    // Another kind may listen to the same topic.
    let other = HealthMessage.Scanner(kind: "json", topic: scanner.topic)
    message.remote = HealthMessage.Remote(
      scanners: [scanner, other],
      gateways: [
        .init(
          name: "barn", boot: "1", offset: nil, batches: 18, observations: 19, lost: 20, refused: 21,
          hasTwin: false, lastRefusal: nil)
      ], lostMessages: 22)
    return message
  }()

  @Test(arguments: [
    "config/examples/prometheus-alerts.yaml", "config/examples/grafana.json",
    "Sources/beaconkeeper/Documentation.docc/OtherPrograms.md",
  ])
  func `examples and manual for Prometheus and Grafana name metrics that there are`(file: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let example = try String(
      contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    let places = [PlaceKind.zone, .room].map {
      MetricsText.Place(kind: $0, name: "hall", state: "empty", beacons: 0, longestStay: 0, transitions: [])
    }
    let text = MetricsText.text(health, places, gateway: "home", isConnected: true)
    let known = Set(text.matches(of: /# TYPE (beaconkeeper_\w+)/).map { String($0.1) })
    let named = Set(example.matches(of: /beaconkeeper_\w+/).map { String($0.0) })
    #expect(named.count > 3 && named.isSubset(of: known), "\(named.subtracting(known))")
  }

  @Test func holdsTheFiguresOfHealth() {
    let lines = MetricsText.text(health, gateway: "home", isConnected: true).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    let expected = [
      "build_info{version=\"1.2\"} 1", "receiver_state{receiver=\"hci0\",state=\"deaf\"} 1",
      "receiver_state{receiver=\"hci0\",state=\"ok\"} 0", "receiver_blind{receiver=\"hci0\"} 1",
      "receiver_advertisements_total{receiver=\"hci0\"} 10", "receiver_empty_total{receiver=\"hci0\"} 2",
      "receiver_lost_total{receiver=\"hci0\"} 3", "receiver_recoveries_total{receiver=\"hci0\"} 4",
      "advertisements_total 11", "sightings_total 5", "transitions_total 6", "queued_messages 7", "beacons 8",
      "outbox_durable 0", "outbox_lost_total 12", "app_set_refused_total 9", "app_seen_refused_total 0",
      "broker_connected 1",
      "observations_lost_total 13", "rooms_dropped_total 14",
      "scanner_messages_total{topic=\"espresense/devices/+/+\"} 15",
      "scanner_observations_total{topic=\"espresense/devices/+/+\"} 16",
      "scanner_without_signal_total{topic=\"espresense/devices/+/+\"} 23",
      "scanner_refused_total{topic=\"espresense/devices/+/+\",cause=\"signal\"} 17",
      "remote_gateway_batches_total{remote=\"barn\"} 18", "remote_gateway_lost_total{remote=\"barn\"} 20",
      "remote_gateway_refused_total{remote=\"barn\"} 21", "scanner_messages_lost_total 22",
    ]
    #expect(Set(lines).count == lines.count)
    for line in expected {
      let name = line.prefix { $0 != "{" && $0 != " " }
      let rest =
        line.hasPrefix(name + "{") ? "," + line.dropFirst(name.count + 1) : "}" + line.dropFirst(name.count)
      #expect(lines.contains("beaconkeeper_\(name){gateway=\"home\"\(rest)"), "\(line)")
    }
  }

  @Test func saysWhoIsInEachZoneAndRoom() {
    let places: [MetricsText.Place] = [
      .init(
        kind: .zone, name: "gate", state: "occupied", beacons: 2, longestStay: 61,
        transitions: [("enter", 3), ("near", 2), ("exit", 1)]),
      .init(kind: .zone, name: "yard", state: "unknown", beacons: 0, longestStay: 0, transitions: []),
      .init(
        kind: .room, name: "hall", state: "empty", beacons: 0, longestStay: 0, transitions: [("enter", 4)]),
    ]
    let text = MetricsText.text(health, places, gateway: "home", isConnected: true)
    for line in [
      "zone_state{gateway=\"home\",zone=\"gate\",state=\"occupied\"} 1",
      "zone_state{gateway=\"home\",zone=\"gate\",state=\"unknown\"} 0",
      "zone_state{gateway=\"home\",zone=\"yard\",state=\"unknown\"} 1",
      "zone_beacons{gateway=\"home\",zone=\"gate\"} 2",
      "zone_longest_stay_seconds{gateway=\"home\",zone=\"gate\"} 61",
      "zone_transitions_total{gateway=\"home\",zone=\"gate\",event=\"near\"} 2",
      "zones{gateway=\"home\",state=\"unknown\"} 1", "rooms{gateway=\"home\",state=\"empty\"} 1",
      "room_transitions_total{gateway=\"home\",room=\"hall\",event=\"enter\"} 4",
      "refusals_unseen{gateway=\"home\"} 0", "broker_lacks{gateway=\"home\",feature=\"retained\"} 0",
    ] {
      #expect(text.contains("\nbeaconkeeper_\(line)\n"), "\(line)")
    }
  }

  @Test func `a phone is counted once its app has reported`() {
    func text(_ record: PhoneRecord) -> String {
      let message = RecordMessage(
        phone: "anna", beacon: "van", os: "ios7", strategy: "stock", time: WallTime(nanoseconds: 0),
        record: record,
        wallOffset: .zero)
      return MetricsText.text(health, [], [message], gateway: "home", isConnected: true)
    }
    var record = PhoneRecord()
    #expect(!text(record).contains("phone_"))
    record.report(
      seen: .zero, offset: nil, at: .zero, wallTime: WallTime(nanoseconds: 0), isNear: true, isBlind: false)
    #expect(text(record).contains("\nbeaconkeeper_phone_uncounted{gateway=\"home\",phone=\"anna\"} 1\n"))
    #expect(text(record).contains("# TYPE beaconkeeper_phone_missed gauge\n"))
  }

  @Test func everySampleIsOneLineForAnyReceiverName() {
    let text = MetricsText.text(health, gateway: "home", isConnected: false)
    #expect(
      text.contains(#"beaconkeeper_receiver_blind{gateway="home",receiver="attic \"a\\b\"\n"} 0"# + "\n"))
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      #expect(line.hasPrefix("beaconkeeper_") || line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE "))
    }
  }

  /// A collector reads both files: a series that is in both, or a family that each explains otherwise, is an error.
  @Test func twoGatewaysShareFamiliesAndNoSeries() {
    func lines(_ gateway: String) -> (series: Set<Substring>, words: [Substring]) {
      let lines = MetricsText.text(health, gateway: gateway, isConnected: true).split(separator: "\n")
      let series = lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: "} ").first }
      return (Set(series), lines.filter { $0.hasPrefix("#") })
    }
    let (one, two) = (lines("home"), lines("barn \"2\""))
    #expect(one.series.isDisjoint(with: two.series) && one.series.count == two.series.count)
    #expect(one.words == two.words)
  }

  @Test func explainsEachFamilyOnceBeforeItsSamples() {
    var explained: Set<Substring> = []
    for line in MetricsText.text(health, gateway: "home", isConnected: true).split(separator: "\n") {
      if line.hasPrefix("# TYPE ") {
        let words = line.split(separator: " ")
        #expect(explained.insert(words[2]).inserted)
        #expect(words[3] == (words[2].hasSuffix("_total") ? "counter" : "gauge"))
      } else if !line.hasPrefix("#") {
        #expect(explained.contains(line.prefix { $0 != "{" && $0 != " " }))
      }
    }
  }
}
