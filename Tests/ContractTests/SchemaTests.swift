import Beacons
@testable import Contract
import Core
import Foundation
import Phones
import TestSupport
import Testing

/// The schemas of every topic, in config/schemas.
@Suite struct SchemaTests {
  private let topics = Topics(gateway: "a/b")

  private func faults(_ message: Message) -> [String] {
    MessageSchemas.faults(topic: message.topic, payload: message.payload)
  }

  @Test func everyFileBelongsToATopic() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: MessageSchemas.folder.path)
    #expect(Set(files) == Set(MessageSchemas.files.values.map { "\($0).schema.json" }))
  }

  @Test func emptyAndFullMessagesAreAsTheirSchemasSay() {
    let time = WallTime(nanoseconds: 1_795_211_403_120_000_000)
    #expect(faults(Status.online.message(topics: topics)) == [])
    #expect(faults(Status.offline.message(topics: topics)) == [])
    let receiver = HealthMessage.Receiver(
      name: "hci0", state: "gone", isBlind: true, reason: "unplugged", advertisementsPerSecond: 0,
      lastHeard: nil)
    var quiet = receiver
    quiet.gain = -3.46
    for receivers in [[], [receiver, quiet]] {
      var health = HealthMessage(
        time: time, version: "1", receivers: receivers, advertisements: 0, sightings: 0, transitions: 0,
        queued: 0, beacons: 0)
      #expect(faults(health.message(topics: topics)) == [])
      (health.lostObservations, health.droppedForRooms) = (1, 2)
      #expect(faults(health.message(topics: topics)) == [])
      for state in ["on", "waiting", "failed"] {
        health.wake = HealthMessage.Wake(
          state: state, reason: state == "on" ? "" : "why", adapter: state == "on" ? "hci0" : nil,
          began: state == "on" ? time : nil, uuid: 7, major: 1, minors: [1, 2],
          onAir: state == "on" ? [2] : [])
        #expect(faults(health.message(topics: topics)) == [])
      }
    }
    #expect(faults(OccupancyMessage(zone: "z", state: "unknown", members: []).message(topics: topics)) == [])
    let member = OccupancyMessage.Member(beacon: "b", since: time, isNear: true)
    #expect(
      faults(OccupancyMessage(zone: "z", state: "occupied", members: [member]).message(topics: topics)) == [])
    let crowd = OccupancyMessage(
      zone: "z", state: "occupied", members: Array(repeating: member, count: 50_000)
    ).message(topics: topics)
    #expect(crowd.payload.count < 256 * 1024, "what the client takes")
    #expect(String(decoding: crowd.payload.prefix(90), as: UTF8.self).contains("\"count\":50000"))
    let readings = [
      Reading(.temperature, .number(21.5)), Reading(.door, .flag(true)), Reading(.button, .button(.press)),
    ]
    let state = BeaconStateMessage(
      beacon: "b", zones: ["z"], estimate: nil, lastSeen: time, receiver: "hci0", readings: readings)
    #expect(faults(state.message(topics: topics)) == [])
    for kind in [WhereaboutsMessage.Kind.zone, .place] {
      for name in [nil, "pump 3"] {
        #expect(faults(WhereaboutsMessage(beacon: "b", kind: kind, name: name).message(topics: topics)) == [])
      }
    }
    #expect(faults(TransitionMessageTests.message.message(topics: topics)) == [])
  }

  @Test(arguments: Window.State.allCases) func everyWindowIsAsItsSchemaSays(state: Window.State) {
    let time = WallTime(nanoseconds: 1_795_211_403_120_000_000)
    for why in Reason.allCases.map(Optional.some) + [nil] {
      let window = WindowMessage(
        phone: "anna", state: state, since: time, time: time, remaining: why == nil ? nil : 1500, os: "ios17",
        strategy: "stock", why: why)
      #expect(faults(window.message(topics: topics)) == [])
    }
  }

  @Test(arguments: [
    ("zone/z/enter", "{}"), ("zone/z/enter", "no JSON"), ("zone/z/left", "{}"), ("status", "maybe"),
    ("news", "{}"),
    ("zone/z/occupancy", #"{"v":1,"gateway":"g","zone":"z","state":"empty","count":0.5,"beacons":[]}"#),
    ("zone/z/occupancy", #"{"v":true,"gateway":"g","zone":"z","state":"empty","count":0,"beacons":[]}"#),
    (
      "zone/z/occupancy", #"{"v":1,"gateway":"g","zone":"z","state":"empty","count":0,"beacons":[],"more":1}"#
    ),
    ("zone/z/occupancy", #"{"v":1,"gateway":"g","zone":"z","state":"full","count":0,"beacons":[]}"#),
    (
      "zone/z/occupancy",
      #"{"v":1,"gateway":"g","zone":"z","state":"empty","count":0,"beacons":[{"beacon":"b","since":"now","near":true}]}"#
    ),
    ("zone/z/occupancy", #"{"v":1,"state":"empty","count":0,"beacons":[]}"#), ("zone/z/occupancy", ""),
    ("room/r/near", "{}"), ("room/r/occupancy", ""),
    ("room/r/occupancy", #"{"v":1,"gateway":"g","zone":"r","state":"empty","count":0,"beacons":[]}"#),
    (
      "beacon/b/room",
      #"{"v":1,"gateway":"g","beacon":"b","room":"r","probability":2,"since":null,"last_room":null,"last_seen_at":null,"runner_up":null,"position":null}"#
    ),
    (
      "beacon/b/room",
      #"{"v":1,"gateway":"g","beacon":"b","room":"r","probability":1,"since":null,"last_room":null,"last_seen_at":null,"runner_up":{"room":"q"},"position":null}"#
    ),
  ])
  func wrongPayloadsAreFound(topic: String, payload: String) {
    #expect(!MessageSchemas.faults(topic: "beaconkeeper/g/\(topic)", payload: Array(payload.utf8)).isEmpty)
  }
}
