import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// Trying other rules on what was heard.
struct HindsightTests {
  /// A scene that remembers.
  private func scene(_ limits: SightingHistory.Limits = SightingHistory.Limits()) throws -> Scene {
    var scene = try Scene()
    scene.pipeline.keepHistory(limits)
    return scene
  }

  private func ids(_ messages: [TransitionMessage]) -> [String] { messages.map(\.id) }

  private func trial(_ scene: Scene, _ yaml: String = Scene.rules) throws -> Trial {
    let hindsight = try #require(scene.pipeline.hindsight)
    return hindsight.trial(try Scene.configuration(yaml), of: nil, since: .zero)
  }

  /// By random walks of several beacons, with silence and blindness in them, and with what scanners deliver late.
  @Test(arguments: 0..<30) func `the same rules decide the same again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var scene = try scene()
    for _ in 0..<60 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: scene.pass(Double.random(in: 0...20, using: &random))
      case 1:
        scene.pipeline.setBlind(scene.receiver, true, at: scene.time, into: &scene.output)
        scene.pass(Double.random(in: 0...5, using: &random))
        scene.pipeline.setBlind(scene.receiver, false, at: scene.time, into: &scene.output)
      case 2:
        let lateness = Double.random(in: 0.5...15, using: &random)
        scene.pass(lateness)
        scene.skip(-lateness)
        try scene.hear(Scene.iBeacon(minor: 1), rssi: .random(in: -95 ... -50, using: &random), for: 0.5)
        scene.skip(lateness - 0.5)
      default:
        try scene.hear(
          Scene.iBeacon(minor: UInt8.random(in: 1...3, using: &random)),
          rssi: .random(in: -95 ... -50, using: &random),
          for: .random(in: 0.1...4, using: &random))
      }
    }
    scene.pass(1)
    let again = try trial(scene)
    #expect(ids(again.transitions) == ids(scene.output.transitions))
    #expect(again.isComplete)
  }

  @Test func `after a restart the same rules decide the same again`() throws {
    var scene = try scene()
    try scene.hear(Scene.iBeacon(minor: 1), rssi: -58, for: 5)
    try scene.hear(Scene.iBeacon(minor: 2), rssi: -58, for: 5)
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    #expect(saved.count == 2)
    scene.skip(30)
    var next = Pipeline(try Scene.configuration(Scene.rules))
    next.keepHistory()
    let heard = next.receiver("hci0")
    let receiver = try #require(heard)
    scene.output.removeAll()
    next.restore(saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &scene.output)
    scene.replace(next, receiver: receiver)
    try scene.hear(Scene.iBeacon(minor: 1), rssi: -58, for: 5)
    try scene.hear(Scene.iBeacon(minor: 2), rssi: -90, for: 30)
    scene.pass(1)
    #expect(scene.story.contains { $0.hasPrefix("exit") } && !scene.story.contains { $0.hasPrefix("enter") })
    let again = try trial(scene)
    #expect(ids(again.transitions) == ids(scene.output.transitions))
  }

  @Test func `other rules decide as a gateway that had them all along`() throws {
    let nearer = Scene.rules.replacing(
      "near:  { distance: 2 m, dwell: 1 s, rearm: 5 m }",
      with: "near:  { distance: 1 m, dwell: 3 s, rearm: 5 m }")
    var scene = try scene()
    var other = try Scene(nearer)
    for rssi: Int8 in [-80, -70, -60, -55, -58, -62, -75, -90] {
      try scene.hear(rssi: rssi, for: 5)
      try other.hear(rssi: rssi, for: 5)
    }
    let again = try trial(scene, nearer)
    #expect(ids(again.transitions) == ids(other.output.transitions))
    #expect(ids(again.transitions) != ids(scene.output.transitions))
  }

  /// What is drawn of the site tells distances, too.
  @Test func `zones of receivers decide the same where rooms are left out`() throws {
    var scene = try Scene(
      """
      gateway: { name: flat }
      beacons: [{ name: key, address: C1:00:00:00:00:01 }]
      receivers:
        - { name: a, position: [1 m, 1 m, 1 m] }
        - { name: b, position: [7 m, 1 m, 1 m] }
        - { name: c, position: [4 m, 5 m, 1 m] }
      rooms:
        - { name: kitchen, receivers: [a], outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 6 m], [0 m, 6 m]] }
        - { name: hall, receivers: [b], outline: [[4 m, 0 m], [8 m, 0 m], [8 m, 6 m], [4 m, 6 m]] }
      zones:
        - { name: desk, receivers: [a], enter: { distance: 3 m, dwell: 1 s }, exit: { distance: 4 m, dwell: 1 s } }
      """)
    scene.pipeline.keepHistory()
    for (name, rssi) in [
      ("a", -62), ("b", -80), ("c", -76), ("a", -60), ("a", -85), ("b", -60), ("c", -70), ("a", -58),
      ("b", -84),
    ] as [(String, Int8)] {
      let receiver = scene.pipeline.receiver(name)
      for _ in 0..<4 { try scene.hear(rssi: rssi, for: 1, at: receiver) }
    }
    let hindsight = try #require(scene.pipeline.hindsight)
    func told(_ messages: [TransitionMessage]) -> [String] {
      messages.filter { $0.place == "desk" }.map { "\($0.id) \($0.decision)" }
    }
    let again = hindsight.trial(hindsight.configuration, of: nil, since: .zero, decidesRooms: false)
    #expect(told(again.transitions) == told(scene.output.transitions))
    #expect(told(again.transitions).count > 1)
    #expect(again.transitions.allSatisfy { $0.place == "desk" })
  }

  @Test func `one beacon alone is decided as among others`() throws {
    var scene = try scene()
    for rssi: Int8 in [-80, -60, -90] {
      try scene.hear(Scene.iBeacon(minor: 1), rssi: rssi, for: 5)
      try scene.hear(Scene.iBeacon(minor: 2), rssi: -60, for: 5)
    }
    let hindsight = try #require(scene.pipeline.hindsight)
    let beacon = try #require(scene.pipeline.beacon(named: "fleet:1.1"))
    let again = hindsight.trial(hindsight.configuration, of: beacon, since: .zero)
    #expect(ids(again.transitions) == ids(scene.output.transitions.filter { $0.beacon == "fleet:1.1" }))
    #expect(again.trace.heard.count == 150)
    #expect(again.trace.estimates.count == 2)
  }

  @Test func `a full memory forgets the oldest, and says so`() throws {
    var limits = SightingHistory.Limits()
    limits.octets = 32_768
    var scene = try scene(limits)
    try scene.hear(rssi: -58, for: 700)
    let history = try #require(scene.pipeline.history)
    #expect(history.start > 0)
    #expect(history.end == 7000)
    let count = history.events().reduce(0) { count, _ in count + 1 }
    #expect(UInt64(count) == history.end - history.start)
    #expect(count >= 2000)
    #expect(try trial(scene).isComplete == false)
  }

  @Test func `of too many decisions the latest are kept, and the trial says since when`() throws {
    var scene = try scene()
    for _ in 0..<10 {
      try scene.hear(rssi: -58, for: 10)
      try scene.hear(rssi: -99, for: 60)
    }
    let hindsight = try #require(scene.pipeline.hindsight)
    let all = try trial(scene)
    let few = hindsight.trial(hindsight.configuration, of: nil, since: .zero, atMost: 20)
    #expect(all.transitions.count > 30)
    #expect((10...20).contains(few.transitions.count))
    #expect(ids(few.transitions) == ids(all.transitions.suffix(few.transitions.count)))
    #expect(few.span?.from == few.transitions.first?.time)
    #expect(all.isComplete && !few.isComplete)
  }

  @Test func `a trial ends when nobody waits for it any more`() throws {
    var scene = try scene()
    try scene.hear(rssi: -58, for: 100)
    let hindsight = try #require(scene.pipeline.hindsight)
    let trial = hindsight.trial(hindsight.configuration, of: nil, since: .zero) { false }
    #expect((1..<256).contains(trial.sightings))
  }

  @Test func `a reader goes on where it stopped, through a reload that drops beacons`() throws {
    var scene = try scene()
    try scene.hear(rssi: -58, for: 5)
    try scene.hear([2, 1, 6], from: 0xC100_0000_0005, rssi: -60, for: 5)
    let before = try #require(scene.pipeline.history).end
    try scene.reload(
      Scene.rules.replacing(
        "  - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }\n", with: ""
      ).replacing("    beacons: [fleet]\n", with: ""))
    #expect(scene.pipeline.history?.end == before)
    try scene.hear([2, 1, 6], from: 0xC100_0000_0005, rssi: -60, for: 1)
    let fridge = try #require(scene.pipeline.beacon(named: "fridge"))
    let (trace, next) = scene.pipeline.trace(of: fridge, since: before)
    #expect(trace.heard.count == 10)
    #expect(next == before + 10)
  }

  @Test func `nobody remembers unless asked`() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 1)
    #expect(scene.pipeline.history == nil)
  }
}
