import Beacons
@testable import Contract
import Core
import Proximity
import TestSupport
import Testing

@Suite struct RoomMessageTests {
  private let topics = Topics(gateway: "flat")
  private let time = WallTime(nanoseconds: 1_795_211_403_120_000_000)

  private func faults(_ message: Message) -> [String] {
    MessageSchemas.faults(topic: message.topic, payload: message.payload)
  }

  @Test func saysWhereHowSureAndSinceWhen() {
    let message = RoomMessage(
      beacon: "fleet:1.2", displayName: "Bella", room: "kitchen", floor: "ground", probability: 0.9312,
      since: time, lastRoom: "kitchen", lastSeen: time, runnerUp: .init(room: "hall", probability: 0.05),
      position: Point(x: 2.346, y: -0.5),
      positionDeviation: 1.204
    ).message(topics: topics)
    #expect(message.topic == "beaconkeeper/flat/beacon/fleet%3A1.2/room")
    #expect(message.retained && message.qos == .atLeastOnce && message.expiry != nil)
    #expect(
      String(decoding: message.payload, as: UTF8.self)
        == #"{"v":1,"gateway":"flat","beacon":"fleet:1.2","name":"Bella","room":"kitchen","floor":"ground","#
        + #""probability":0.931,"since":"2026-11-20T21:50:03.120Z","#
        + #""last_room":"kitchen","last_seen_at":"2026-11-20T21:50:03.120Z","#
        + #""runner_up":{"room":"hall","probability":0.05},"position":{"x_m":2.35,"y_m":-0.5,"sd_m":1.2}}"#)
    #expect(faults(message) == [])
  }

  @Test func oneThatIsNowhereHasNullsNotGaps() {
    let message = RoomMessage(beacon: "van", room: nil).message(topics: topics)
    #expect(
      String(decoding: message.payload, as: UTF8.self)
        == #"{"v":1,"gateway":"flat","beacon":"van","room":null,"probability":null,"since":null,"#
        + #""last_room":null,"last_seen_at":null,"runner_up":null,"position":null}"#)
    #expect(faults(message) == [])
  }

  @Test func occupancyOfARoomIsLikeThatOfAZoneWithoutNear() {
    let message = OccupancyMessage(
      room: "kitchen", state: "occupied", members: [.init(beacon: "van", displayName: "Van", since: time)]
    ).message(topics: topics)
    #expect(message.topic == "beaconkeeper/flat/room/kitchen/occupancy")
    #expect(
      String(decoding: message.payload, as: UTF8.self)
        == #"{"v":1,"gateway":"flat","room":"kitchen","state":"occupied","count":1,"beacons":["#
        + #"{"beacon":"van","name":"Van","since":"2026-11-20T21:50:03.120Z"}]}"#)
    #expect(faults(message) == [])
    for state in ["empty", "unknown"] {
      #expect(faults(OccupancyMessage(room: "k", state: state, members: []).message(topics: topics)) == [])
    }
  }

  @Test func theStateOfABeaconNamesItsRoom() {
    for room in [nil, "kitchen"] {
      let message = BeaconStateMessage(
        beacon: "van", zones: [], room: room, estimate: nil, lastSeen: time, receiver: "hci0", readings: []
      ).message(topics: topics)
      #expect(faults(message) == [])
      let words = room.map { "\"\($0)\"" } ?? "null"
      #expect(String(decoding: message.payload, as: UTF8.self).contains(#""zones":[],"room":\#(words),"#))
    }
  }
}
