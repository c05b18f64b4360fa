import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Gateway
@testable import Pipeline

/// What `run` prints for people.
@Suite struct LineTests {
  @Test func aTransitionNamesAMemberAsPeopleDo() throws {
    var scene = try Scene(
      Scene.rules.replacing("DD4425 } }", with: "DD4425 }, names: { \"1.2\": Bella } }"))
    try scene.hear(rssi: -58, for: 5)
    let enter = try #require(scene.output.transitions.first)
    #expect("\(TransitionLine(enter))".contains("Bella"))
  }

  @Test func onlyReceiversThatDifferAreNamed() {
    #expect(
      gainWords([("attic", 0.99), ("kitchen", 3.6), ("hall", -1)]) == ["kitchen +4 dB", "hall −1 dB"])
  }

  @Test func aRoomsLineNamesItsReceivers() {
    func line(_ event: RoomTransition.Event, _ probability: Double?, reason: Evidence.Reason? = nil) -> String
    {
      let evidence = [-58.26, -71].map {
        RoomEvidence(receiver: ReceiverIndex(rawValue: 0), rssi: $0, expected: nil, samples: 9)
      }
      let transition = RoomTransition(
        event: event, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
        wallTime: WallTime(nanoseconds: 0), probability: probability,
        evidence: probability == nil ? [] : evidence, receiver: ReceiverIndex(rawValue: 0), reason: reason)
      return TransitionLine(
        TransitionMessage(
          .room(transition), gateway: "flat", place: "kitchen", beacon: "van", receiver: "esp-hall",
          witnesses: ["esp-kitchen", "esp-hall"])
      ).text
    }
    #expect(
      line(.enter, 0.874)
        == "enter  kitchen     van           87 % sure       room: esp-kitchen -58.3 dBm, esp-hall -71 dBm")
    // How sure it is that the beacon is not there.
    #expect(line(.exit, 0.1).contains("  90 % sure  "))
    #expect(line(.exit, nil).hasSuffix("  room: not heard, last by esp-hall"))
    #expect(line(.exit, nil, reason: .zoneRemoved).hasSuffix("  the room is no longer configured"))
    #expect(line(.enter, nil, reason: .zoneRemoved).hasSuffix("  the room has this name now"))
  }

  @Test func aVerdictSaysHowLateOrWhyNot() throws {
    var scene = try Scene(
      """
      gateway: { name: forecourt }
      beacons:
        - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      zones:
        - name: pump
          near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
          enter: { distance: 6 m, dwell: 1 s }
          exit:  { distance: 9 m, dwell: 2 s, lost: 10 s }
      phones:
        - { beacon: "fleet:1.2", os: ios7, name: stock, strategy: stock }
        - { beacon: "fleet:1.2", os: ios7, name: task, strategy: background-task }
      """)
    // Comes in from 20 m, stands at 1 m, and leaves again.
    try scene.hear(rssi: -85, for: 15)
    try scene.hear(rssi: -59, for: 10)
    scene.pass(60)
    let lines = scene.output.verdicts.map { "\(VerdictLine($0))" }
    try #require(lines.count == 2)
    #expect(lines[0].contains("Z  phone  pump        task          delivered 0."))
    #expect(lines[0].hasSuffix(" s after near (ios7, background-task)"))
    #expect(
      lines[1].hasSuffix(
        "missed: the time after the last region event had run out (GRACE_EXPIRED; ios7, stock)")
    )
  }
}
