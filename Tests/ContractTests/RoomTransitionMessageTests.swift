import Beacons
import Core
import Foundation
import Proximity
import TestSupport
import Testing

@testable import Contract

@Suite struct RoomTransitionMessageTests {
  private static let evidence = [
    RoomEvidence(receiver: ReceiverIndex(rawValue: 1), rssi: -58.25, expected: -60, samples: 12),
    RoomEvidence(receiver: ReceiverIndex(rawValue: 2), rssi: -81, expected: nil, samples: 3),
  ]
  static let message = TransitionMessage(
    .room(
      RoomTransition(
        event: .enter, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3), time: .zero,
        wallTime: WallTime(nanoseconds: 1_795_211_403_120_000_000), probability: 0.8714, evidence: evidence,
        receiver: ReceiverIndex(rawValue: 1))),
    epoch: 7, sequence: 42, gateway: "flat", place: "kitchen", beacon: "van", receiver: "esp-kitchen",
    witnesses: ["esp-kitchen", "esp-hall"])

  private let topics = Topics(gateway: "flat")

  private func text(_ message: TransitionMessage) -> String { String(decoding: message.json, as: UTF8.self) }

  private func faults(_ message: TransitionMessage) -> [String] {
    let sent = message.message(topics: topics)
    return MessageSchemas.faults(topic: sent.topic, payload: sent.payload)
  }

  @Test func isTheObjectOfTheContract() {
    #expect(
      text(Self.message)
        == #"{"v":1,"id":"\#(Self.message.id)","epoch":7,"seq":42,"event":"enter","#
        + #""time":"2026-11-20T21:50:03.120Z","gateway":"flat","room":"kitchen","beacon":"van","#
        + #""because":{"probability":0.871,"receivers":["#
        + #"{"receiver":"esp-kitchen","rssi_dbm":-58.3,"expected_dbm":-60,"samples":12},"#
        + #"{"receiver":"esp-hall","rssi_dbm":-81,"expected_dbm":null,"samples":3}],"receiver":"esp-kitchen"}}"#
    )
    #expect(faults(Self.message) == [])
  }

  @Test func inAZoneOfRoomsTheEvidenceHasTheRoom() {
    func message(_ room: String?) -> TransitionMessage {
      var message = TransitionMessage(
        .zone(
          Transition(
            event: .exit, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3), time: .zero,
            wallTime: Self.message.wallTime, distance: nil, distanceDeviation: nil, rssi: nil,
            evidence: Evidence(
              threshold: 0.6, value: 0.8714, unit: .probability, samples: 15, dwell: .seconds(5),
              receiver: ReceiverIndex(rawValue: 1), witnesses: Self.evidence))),
        epoch: 7, sequence: 43, gateway: "flat", place: "down", beacon: "van", receiver: "esp-kitchen")
      message.room = room
      message.witnesses = ["esp-kitchen", "esp-hall"]
      return message
    }
    #expect(
      text(message("attic")).hasSuffix(
        #""zone":"down","beacon":"van","distance_m":null,"distance_sd_m":null,"rssi_dbm":null,"because":"#
          + #"{"threshold":0.6,"value":0.871,"unit":"probability","samples":15,"dwell_s":5,"#
          + #""receiver":"esp-kitchen","room":"attic","receivers":["#
          + #"{"receiver":"esp-kitchen","rssi_dbm":-58.3,"expected_dbm":-60,"samples":12},"#
          + #"{"receiver":"esp-hall","rssi_dbm":-81,"expected_dbm":null,"samples":3}]}}"#))
    #expect(faults(message("attic")) == [])
    #expect(faults(message(nil)) == [])
  }

  @Test func goesToItsRoomOnceAndIsNotRetained() {
    let sent = Self.message.message(topics: topics)
    #expect(sent.topic == "beaconkeeper/flat/room/kitchen/enter")
    #expect(sent.qos == .atLeastOnce)
    #expect(!sent.retained)
  }

  @Test func aRoomAndAZoneOfOneNameHaveOtherIDs() throws {
    let zone = TransitionMessage(
      .zone(
        Transition(
          event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3), time: .zero,
          wallTime: Self.message.wallTime, distance: nil, distanceDeviation: nil, rssi: nil,
          evidence: Evidence(
            threshold: 0, value: 0, unit: .seconds, samples: 0, dwell: .zero,
            receiver: ReceiverIndex(rawValue: 1)))),
      gateway: "flat", place: "kitchen", beacon: "van", receiver: "esp-kitchen")
    #expect(zone.id != Self.message.id)
    #expect(Self.message.id.utf8.count == 32)
  }

  @Test func anyWorkerComputesTheSameID() {
    var other = Self.message
    (other.epoch, other.sequence, other.receiver, other.witnesses) = (8, 1, "hci1", [])
    #expect(other.id == Self.message.id)
    other.place = "hall"
    #expect(other.id != Self.message.id)
  }

  @Test func oneThatFellSilentHasNoProbability() {
    var silent = Self.message
    silent.decision = .room(
      RoomTransition(
        event: .exit, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3), time: .zero,
        wallTime: WallTime(nanoseconds: 0), probability: nil, evidence: [],
        receiver: ReceiverIndex(rawValue: 1)))
    #expect(
      text(silent).hasSuffix(#""because":{"probability":null,"receivers":[],"receiver":"esp-kitchen"}}"#))
    #expect(text(silent).contains(#""time_unsure":true"#))
    #expect(faults(silent) == [])
  }

  @Test(arguments: Evidence.Reason.allCases) func everyChangeOfTheConfigurationHasItsWord(
    _ reason: Evidence.Reason
  ) {
    var message = Self.message
    message.decision = .room(
      RoomTransition(
        event: .exit, room: RoomIndex(rawValue: -1), beacon: .nobody, time: .zero,
        wallTime: message.wallTime, probability: nil, evidence: [], receiver: ReceiverIndex(rawValue: 0),
        reason: reason))
    #expect(faults(message) == [])
    #expect(!text(message).contains("zone"))
  }

  @Test func namesAreEscapedInTopicAndPayload() {
    var message = Self.message
    message.place = "Küche/\"+#"
    message.witnesses[0] = "\u{1}\""
    #expect(message.message(topics: topics).topic == "beaconkeeper/flat/room/K%C3%BCche%2F%22%2B%23/enter")
    #expect(faults(message) == [])
  }

  @Test func nonFiniteNumbersDoNotTrap() {
    var message = Self.message
    message.decision = .room(
      RoomTransition(
        event: .enter, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3), time: .zero,
        wallTime: message.wallTime, probability: .nan,
        evidence: [
          RoomEvidence(
            receiver: ReceiverIndex(rawValue: 1), rssi: -.infinity, expected: .nan, samples: .max)
        ],
        receiver: ReceiverIndex(rawValue: 1)))
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(message.json)) }
  }

  @Test func timeAndCalendarAreThoseOfTheDecision() {
    let message = Self.message
    guard case .room(let transition) = message.decision else {
      Issue.record("it is of a room")
      return
    }
    #expect(message.wallTime == transition.wallTime && message.time == transition.time)
    #expect(message.transition == nil)
    #expect(message.event == .enter)
    #expect(message.beaconIndex == BeaconIndex(rawValue: 3))
  }
}
