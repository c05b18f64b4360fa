import Beacons
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

struct ZoneProgressTests {
  @Test func `a dwell is under way until it is reached`() throws {
    var scene = try Scene()
    try scene.hear(rssi: -70, for: 0.5)
    let beacon = try #require(scene.pipeline.beacon(named: "fleet:1.2"))
    let pump = ZoneIndex(rawValue: 0)
    let waiting = try #require(scene.pipeline.engine.progress(of: beacon, in: pump))
    #expect(!waiting.isInside)
    #expect(waiting.pending?.event == .enter)
    #expect(waiting.pending.map { $0.due - $0.since } == .seconds(1))
    try scene.hear(rssi: -70, for: 2)
    let inside = try #require(scene.pipeline.engine.progress(of: beacon, in: pump))
    #expect(inside.isInside && !inside.isNear)
    #expect(inside.pending?.event == .lost)
  }
}
