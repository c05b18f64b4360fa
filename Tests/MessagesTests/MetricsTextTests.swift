import Beacons
import Messages
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
    return message
  }()

  @Test func tellsWhatHealthTells() {
    let lines = MetricsText.text(health, isConnected: true).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    let expected = [
      "build_info{version=\"1.2\"} 1", "receiver_state{receiver=\"hci0\",state=\"deaf\"} 1",
      "receiver_state{receiver=\"hci0\",state=\"ok\"} 0", "receiver_blind{receiver=\"hci0\"} 1",
      "receiver_advertisements_total{receiver=\"hci0\"} 10", "receiver_empty_total{receiver=\"hci0\"} 2",
      "receiver_lost_total{receiver=\"hci0\"} 3", "receiver_recoveries_total{receiver=\"hci0\"} 4",
      "advertisements_total 11", "sightings_total 5", "transitions_total 6", "queued_messages 7", "beacons 8",
      "outbox_durable 0", "outbox_lost_total 12", "app_set_refused_total 9", "broker_connected 1",
    ]
    for line in expected { #expect(lines.contains("beaconkeeper_" + line), "\(line)") }
  }

  @Test func keepsEverySampleOnALineOfItsOwnWhateverAReceiverIsCalled() {
    let text = MetricsText.text(health, isConnected: false)
    #expect(text.contains(#"beaconkeeper_receiver_blind{receiver="attic \"a\\b\"\n"} 0"# + "\n"))
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      #expect(line.hasPrefix("beaconkeeper_") || line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE "))
    }
  }

  @Test func explainsEachFamilyOnceBeforeItsSamples() {
    var explained: Set<Substring> = []
    for line in MetricsText.text(health, isConnected: true).split(separator: "\n") {
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
