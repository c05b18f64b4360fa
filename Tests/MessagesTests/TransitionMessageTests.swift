import Beacons
import Proximity
import Testing

@testable import Messages

@Suite struct TransitionMessageTests {
  static let message = TransitionMessage(
    transition: Transition(
      event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
      wallTime: WallTime(nanoseconds: 1_795_211_403_120_000_000), distance: 1.4, distanceDeviation: 0.5,
      rssi: -61,
      evidence: Evidence(
        threshold: 1.5, value: 1.4, unit: .metres, samples: 9, dwell: .seconds(2),
        receiver: ReceiverIndex(rawValue: 0))),
    epoch: 7, sequence: 42, gateway: "forecourt", zone: "pump-3", beacon: "fleet:1.2", receiver: "hci0")

  @Test func isTheObjectOfTheContract() {
    #expect(
      String(decoding: Self.message.json, as: UTF8.self)
        == #"{"v":1,"id":"\#(Self.message.id)","epoch":7,"seq":42,"event":"near","#
        + #""time":"2026-11-20T21:50:03.120Z","gateway":"forecourt","zone":"pump-3","beacon":"fleet:1.2","#
        + #""distance_m":1.4,"distance_sd_m":0.5,"rssi_dbm":-61,"because":{"threshold":1.5,"value":1.4,"#
        + #""unit":"m","samples":9,"dwell_s":2,"receiver":"hci0"}}"#)
  }

  @Test func goesToItsZoneOnceAndIsNotRetained() {
    let sent = Self.message.message(topics: Topics(gateway: "forecourt"))
    #expect(sent.topic == "beaconkeeper/forecourt/zone/pump-3/near")
    #expect(sent.qos == .atLeastOnce)
    #expect(!sent.retained)
  }

  @Test func idDependsOnWhatHappenedAndNotOnWhoSaysIt() {
    var other = Self.message
    other.epoch = 8
    other.sequence = 1
    other.receiver = "hci1"
    #expect(other.id == Self.message.id)
    #expect(other.id.utf8.count == 32)
    other.zone = "pump-4"
    #expect(other.id != Self.message.id)
  }

  @Test func idTellsApartNamesThatRunIntoEachOther() {
    var one = Self.message
    var other = Self.message
    (one.gateway, one.zone) = ("ab", "c")
    (other.gateway, other.zone) = ("a", "bc")
    #expect(one.id != other.id)
  }
}
