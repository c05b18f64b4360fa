import Beacons
import Configuration
import Contract
import Core
import Foundation
import Phones
import Pipeline
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Web

/// What the API answers is what its own document says.
struct APITests {
  private static let phones = """

    phones:
      - { name: anna, beacon: "fleet:1.2", os: ios7, strategy: background-task }
    """

  /// A van that came near, and what was decided of it.
  private func visit(_ yaml: String = Scene.rules + phones) throws -> (scene: Scene, recent: RecentDecisions)
  {
    var scene = try Scene(yaml)
    scene.pipeline.keepHistory()
    for rssi: Int8 in [-80, -70, -58, -58, -75] { try scene.hear(rssi: rssi, for: 4) }
    return (scene, noted(scene))
  }

  private func noted(_ scene: Scene) -> RecentDecisions {
    var recent = RecentDecisions()
    var numbers = TransitionNumbers(epoch: 7)
    for item in scene.output.items {
      switch item {
      case .transition(var message):
        numbers.number(&message)
        recent.note(.transition(message))
      case .verdict(let message): recent.note(.verdict(message))
      case .state, .roomPresence: break
      }
    }
    return recent
  }

  private func details(_ scene: Scene) -> GatewayDetails {
    GatewayDetails(
      source: .live, started: scene.wallTime, version: "1",
      health: HealthMessage(
        time: scene.wallTime, version: "1", receivers: [], advertisements: 1, sightings: 1, transitions: 1,
        queued: 0,
        beacons: 1),
      broker: ("broker.lan:1883", true), configurationFile: nil, revision: nil)
  }

  private func expect(_ answer: [UInt8], is name: String) throws {
    let document = try #require(PageFile.all["openapi.json"])
    #expect(try MessageSchemas.faults(api: document.bytes, name, answer: answer) == [])
  }

  @Test func `the overview tells who is where, why, and what phones may do`() throws {
    let (scene, recent) = try visit()
    let overview = Overview(scene.pipeline, recent, details(scene), at: scene.wallTime)
    let json = overview.json(mayWrite: false, isLoggedIn: false)
    try expect(json, is: "Overview")
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""zone":"pump-3","state":"occupied","count":1"#))
    #expect(text.contains(#""beacon":"fleet:1.2","since":"#))
    #expect(text.contains(#""phone":"anna","beacon":"fleet:1.2","os":"ios7""#))
    #expect(text.contains(#""record":{"v":1,"#) && text.contains(#""since":null,"beacon":"fleet:1.2""#))
    #expect(text.contains(#""near":{"threshold":2,"unit":"m","dwell_s":1,"rearm":5}"#))
    // The member's reason is the latest of its transitions.
    #expect(text.contains(#""because":{"v":1,"#) && text.contains(#""event":"near""#))
  }

  @Test func `a zone of rooms has no thresholds and no unit`() throws {
    let (scene, recent) = try visit(
      "rooms: [{ name: hall, receivers: [hci0] }]\nzones: [{ name: down, rooms: [hall], enter: { dwell: 3 s } }]"
    )
    let json = Overview(scene.pipeline, recent, details(scene), at: scene.wallTime).json(
      mayWrite: false, isLoggedIn: false)
    try expect(json, is: "Overview")
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""enter":{"threshold":null,"unit":null,"dwell_s":3}"#))
    #expect(text.contains(#""exit":{"threshold":null,"unit":null,"#))
    #expect(text.contains(#""receivers_awaited":["hci0"]"#), "health says nothing of it yet")
    let tree = try JSONTree(Array(#"{"enter":{"threshold":null,"unit":null,"dwell_s":1}}"#.utf8))
    let trial = try TrialRequest(tree, saving: "down", of: scene.pipeline.configuration)
    #expect(trial.configuration.zones[0].enter.dwell == .seconds(1))
  }

  @Test func `the overview tells whose a beacon is, and its icon`() throws {
    let (scene, recent) = try visit(
      "beacons: [{ name: key, address: C1:00:00:00:00:01, owner: Anna, icon: mdi:key }]")
    let json = Overview(scene.pipeline, recent, details(scene), at: scene.wallTime).json(
      mayWrite: false, isLoggedIn: false)
    try expect(json, is: "Overview")
    #expect(
      String(decoding: json, as: UTF8.self).contains(
        #""belongings":[{"beacon":"key","owner":"Anna","icon":"mdi:key"}]"#))
  }

  @Test func `a beacon's history has its signal and what each zone made of it`() throws {
    let (scene, recent) = try visit()
    let hindsight = try #require(scene.pipeline.hindsight)
    let beacon = try #require(scene.pipeline.beacon(named: "fleet:1.2"))
    let now = Moment(scene.time, scene.wallTime)
    let json = BeaconHistory(of: beacon, hindsight, recent, now, over: .seconds(10)).json
    try expect(json, is: "History")
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""zone":"pump-3","t":["#))
    #expect(text.contains(#""complete":true"#))
    // Ten seconds of ten advertisements a second.
    #expect(text.split(separator: #""rssi":["#)[1].prefix { $0 != "]" }.split(separator: ",").count == 100)
  }

  @Test func `a beacon's latest events are in its history, and no transitions`() throws {
    var scene = try Scene(#"beacons: [{ name: bell, address: "C1:00:00:00:00:01" }]"#)
    scene.pipeline.keepHistory()
    // Presses of a button.
    for number in 1...25 as ClosedRange<UInt8> {
      try scene.hear([2, 1, 6, 8, 0x16, 0xD2, 0xFC, 0x44, 0, number, 0x3A, 1], rssi: -60, for: 1)
    }
    let recent = noted(scene)
    #expect(recent.end == 0 && recent.transitions(atMost: 1).isEmpty)
    let hindsight = try #require(scene.pipeline.hindsight)
    let beacon = try #require(scene.pipeline.beacon(named: "bell"))
    let now = Moment(scene.time, scene.wallTime)
    func packets(_ json: [UInt8]) -> [Int] {
      String(decoding: json, as: UTF8.self).matches(of: /"reading":"button","packet":(\d+)/).compactMap {
        Int($0.1)
      }
    }
    let history = BeaconHistory(of: beacon, hindsight, recent, now, over: .seconds(1)).json
    try expect(history, is: "History")
    #expect(packets(history) == (6...25).reversed())
    let overview = Overview(scene.pipeline, recent, details(scene), at: scene.wallTime)
    #expect(packets(overview.json(mayWrite: false, isLoggedIn: false)) == (1...25).reversed())
    // Those of the last ten seconds.
    let live = LiveBeacon(of: beacon, since: 0, scene.pipeline, recent, at: now)
    #expect(packets(live.json).allSatisfy { $0 >= 15 } && packets(live.json).first == 25)
  }

  @Test func `a beacon's history says when nobody could know who was in its zones`() throws {
    let (visited, recent) = try visit()
    var scene = visited
    func history(_ scene: Scene, over seconds: Double) throws -> String {
      let hindsight = try #require(scene.pipeline.hindsight)
      let beacon = try #require(scene.pipeline.beacon(named: "fleet:1.2"))
      let json = BeaconHistory(
        of: beacon, hindsight, recent, Moment(scene.time, scene.wallTime), over: .seconds(seconds)
      ).json
      try expect(json, is: "History")
      return String(decoding: json, as: UTF8.self)
    }
    #expect(try history(scene, over: 10).contains(#"{"zone":"pump-3","spans":[]}"#))
    var times: [Int64] = []
    for isBlind in [true, false, true] {
      times.append(scene.wallTime.milliseconds)
      scene.pipeline.setBlind(scene.receiver, isBlind, at: scene.time, into: &scene.output)
      scene.pass(2)
    }
    let outage = #"{"zone":"pump-3","spans":[[\#(times[0]),\#(times[1])],[\#(times[2]),null]]}"#
    #expect(try history(scene, over: 10).contains(outage))
    // What was before memory begins is not known either.
    let from = scene.wallTime.milliseconds - 100_000
    #expect(try history(scene, over: 100).contains(#"{"zone":"pump-3","spans":[[\#(from),"#))
  }

  @Test func `an attempt tells what would have been beside what was`() throws {
    let (scene, recent) = try visit()
    let hindsight = try #require(scene.pipeline.hindsight)
    let body =
      #"{"beacon":"fleet:1.2","zones":[{"zone":"pump-3","near":{"threshold":0.5,"unit":"m","dwell_s":1,"rearm":5}}]}"#
    let request = try TrialRequest(JSONTree(Array(body.utf8)), of: hindsight.configuration)
    let beacon = scene.pipeline.beacon(named: "fleet:1.2")
    let answer = TrialAnswer(
      request, of: beacon, hindsight, recent, Moment(scene.time, scene.wallTime), yaml: "zones:",
      revision: nil)
    try expect(answer.json, is: "TrialResult")
    let text = String(decoding: answer.json, as: UTF8.self)
    let parts = text.split(separator: #""actual":"#)
    #expect(!parts[0].contains(#""event":"near""#))
    #expect(parts[1].contains(#""event":"near""#))
  }

  /// Rooms take nearly all of the time of an attempt.
  @Test func `an attempt on a zone of receivers leaves rooms out, one on a zone of rooms does not`() throws {
    let (scene, recent) = try visit(
      Scene.rules + """

          - { name: house, rooms: [yard], enter: { dwell: 0 s } }
        rooms: [{ name: yard, receivers: [hci0] }]
        """)
    let hindsight = try #require(scene.pipeline.hindsight)
    func answer(_ body: String) throws -> String {
      let request = try TrialRequest(JSONTree(Array(body.utf8)), of: hindsight.configuration)
      let answer = TrialAnswer(
        request, of: nil, hindsight, recent, Moment(scene.time, scene.wallTime), yaml: "", revision: nil)
      return String(decoding: answer.json, as: UTF8.self)
    }
    let near = try answer(
      #"{"zones":[{"zone":"pump-3","near":{"threshold":2,"unit":"m","dwell_s":1,"rearm":5}}]}"#)
    #expect(near.split(separator: #""event":"near""#).count == 3)
    #expect(!near.contains(#""zone":"house""#) && !near.contains(#""room":"yard""#))
    let house = try answer(#"{"zones":[{"zone":"house","enter":{"dwell_s":0}}]}"#)
    #expect(house.split(separator: #""zone":"house""#).count == 3)
  }

  /// More sightings are remembered than decisions: those before the oldest would seem to be new.
  @Test func `an attempt compares only where real decisions are remembered`() throws {
    let (scene, _) = try visit()
    let hindsight = try #require(scene.pipeline.hindsight)
    var recent = noted(scene)
    for item in Array(repeating: scene.output.transitions[1], count: RecentDecisions.limit) {
      recent.note(.transition(item))
    }
    let request = try TrialRequest(JSONTree(Array("{}".utf8)), of: hindsight.configuration)
    let answer = TrialAnswer(
      request, of: nil, hindsight, recent, Moment(scene.time, scene.wallTime), yaml: "", revision: nil)
    let text = String(decoding: answer.json, as: UTF8.self)
    #expect(text.contains(#""complete":false"#))
    let from =
      scene.wallTime.milliseconds + 5000
      - (scene.time - scene.output.transitions[1].time).nanoseconds / 1_000_000
    #expect(text.contains(#""from":\#(from)"#))
  }

  @Test(arguments: [
    ("[]", "must be a JSON object"), (#"{"zone":"pump-3"}"#, "the body has no zone"),
    (#"{"minutes":0}"#, "minutes"),
    (#"{"minutes":1e9}"#, "minutes"), (#"{"zones":[{}]}"#, "needs a zone"),
    (#"{"zones":[{"zone":"nowhere"}]}"#, "there is no zone nowhere"),
    (#"{"zones":[{"zone":"pump-3","near":{"threshold":7}}]}"#, "rearm (5 m) must be farther than near"),
    (
      #"{"zones":[{"zone":"pump-3","near":{"threshold":7,"rearm":9}}]}"#,
      "near (7 m) is farther than enter (6 m)"
    ),
    (#"{"zones":[{"zone":"pump-3","exit":{"threshold":5}}]}"#, "exit (5 m) must be farther than enter (6 m)"),
    (#"{"zones":[{"zone":"pump-3","enter":{"threshold":-1}}]}"#, "from 1 cm to 1000 m"),
    (#"{"zones":[{"zone":"pump-3","enter":{"threshold":5,"unit":"km"}}]}"#, "m or dBm"),
    (#"{"zones":[{"zone":"pump-3","enter":{"dwell_s":-1}}]}"#, "dwell"),
    (#"{"zones":[{"zone":"pump-3","exit":{"lost_s":0}}]}"#, "lost"),
    (#"{"receivers":[{"receiver":"hci0","exponent":9}]}"#, "exponent"),
    (#"{"receivers":[{"receiver":"hci0","offset_db":90}]}"#, "offset"),
    (#"{"minutes":"10"}"#, "minutes must be a number"), (#"{"beacon":5}"#, "beacon"),
    (#"{"zones":{}}"#, "zones must be a list"), (#"{"receivers":{}}"#, "receivers must be a list"),
    (#"{"zones":[{"zone":"pump-3","enter":{"threshold":"5"}}]}"#, "threshold must be a number"),
    (#"{"zones":[{"zone":"pump-3","enter":{"dwell":5}}]}"#, "enter has no dwell"),
    (#"{"zones":[{"zone":"pump-3","near":1}]}"#, "near must be an object"),
    (#"{"receivers":[{"receiver":"hci0","exponent":"2"}]}"#, "exponent must be a number"),
  ])
  func `an attempt that makes no sense is refused in plain words`(body: String, words: String) throws {
    let configuration = try Scene.configuration(Scene.rules)
    #expect {
      _ = try TrialRequest(JSONTree(Array(body.utf8)), of: configuration)
    } throws: { "\($0)".contains(words) }
  }

  /// An attack: the index of a beacon that was new since the memory was taken.
  @Test func `a beacon that the memory does not know yet has no trace, and harms nobody`() throws {
    let (scene, recent) = try visit()
    let hindsight = try #require(scene.pipeline.hindsight)
    let request = try TrialRequest(JSONTree(Array("{}".utf8)), of: hindsight.configuration)
    let answer = TrialAnswer(
      request, of: BeaconIndex(rawValue: 4711), hindsight, recent, Moment(scene.time, scene.wallTime),
      yaml: "",
      revision: nil)
    #expect(String(decoding: answer.json, as: UTF8.self).contains(#""sightings":0"#))
  }

  @Test func `other near rules count for phones too`() throws {
    let (scene, _) = try visit()
    let body = #"{"zones":[{"zone":"pump-3","near":{"threshold":1,"unit":"m","dwell_s":1,"rearm":3}}]}"#
    let request = try TrialRequest(JSONTree(Array(body.utf8)), of: scene.pipeline.configuration)
    #expect(request.configuration.phones[0].near.near == 1_000_000)
    #expect(request.configuration.phones[0].near.rearm == 3_000_000)
  }

  @Test func `every file of the page is part of the program, and only those`() throws {
    let folder = MessageSchemas.folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Web/Page")
    let names = try MessageSchemas.names(in: folder)
    #expect(Set(PageFile.all.keys) == names, "run deploy/page")
  }
}
