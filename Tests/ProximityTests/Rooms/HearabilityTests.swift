import Beacons
import Core
import Testing

@testable import Proximity

/// What a receiver does not hear. The first receiver hears the first two rooms alike, the second only the second room.
@Suite struct HearabilityTests {
  private static let visits = (0..<3).map { RoomCalibration.Visit(room: "\($0)", weight: 30) }

  private static func entered(_ scene: RoomScene) -> [Int] {
    scene.transitions.filter { $0.beacon == scene.beacon && $0.event == .enter }.map { Int($0.room.rawValue) }
  }

  private static func scene(visits: [RoomCalibration.Visit] = visits, lateness: TimeSpan = .zero)
    -> RoomScene
  {
    let heard = [(0, 0, -81), (0, 1, -80), (1, 1, -90), (2, 2, -70)]
    let calibration = RoomCalibration(
      wallLoss: 4.5,
      histograms: heard.map { receiver, room, level in
        .init(receiver: "\(receiver)", room: "\(room)", lowest: level, counts: [100])
      }, visits: visits)
    let plan = RoomScene.plan(outlines: false)
    var scene = RoomScene(plan)
    let names = plan.rooms.indices.map { "\($0)" }
    scene.tracker = RoomTracker(
      plan, calibration: calibration, rooms: names, receivers: names, lateness: lateness)
    return scene
  }

  /// A tag that speaks every two seconds.
  private static func stay(_ scene: inout RoomScene, _ levels: [Int8?], seconds: Int, other: [Int8?] = []) {
    for _ in 0..<(seconds / 2) {
      for (place, level) in levels.enumerated() where level != nil { scene.hear(level, at: place) }
      for (place, level) in other.enumerated() where level != nil {
        scene.hear(level, at: place, beacon: BeaconIndex(rawValue: 1))
      }
      scene.advance(.seconds(2))
    }
  }

  @Test func `who is silent at a receiver that works is where that receiver hears nobody`() {
    var scene = Self.scene()
    Self.stay(&scene, [-80, -90], seconds: 60)
    #expect(Self.entered(scene) == [1])
    Self.stay(&scene, [-80], seconds: 60, other: [nil, -90, -70])
    #expect(Self.entered(scene) == [1, 0])
  }

  @Test func `a receiver that fails moves nobody`() {
    var scene = Self.scene()
    Self.stay(&scene, [-80, -90], seconds: 60)
    Self.stay(&scene, [-80], seconds: 1200)
    #expect(Self.entered(scene) == [1])
  }

  @Test func `a receiver that fails moves nobody while the others hear another beacon`() {
    var scene = Self.scene()
    Self.stay(&scene, [-80, -90], seconds: 60, other: [-80, -90])
    Self.stay(&scene, [-80], seconds: 1200, other: [-80])
    #expect(Self.entered(scene) == [1])
  }

  /// Nobody else is in the home.
  @Test(arguments: [nil, 0.0, 2])
  func `strangers prove that a receiver of a lone beacon works`(lateness: Double?) {
    var scene = Self.scene(lateness: .seconds(lateness ?? 0))
    Self.stay(&scene, [-80, -90], seconds: 60)
    for _ in 0..<30 {
      if lateness != nil { for place in 1...2 { scene.hear(nil, at: place, beacon: .nobody) } }
      Self.stay(&scene, [-80], seconds: 2)
    }
    Self.stay(&scene, [-80], seconds: 10)
    #expect(Self.entered(scene) == (lateness == nil ? [1] : [1, 0]))
  }

  @Test func `a receiver that fails moves nobody while the others hear strangers`() {
    var scene = Self.scene()
    for second in 0..<1200 {
      for place in 0..<3 where place != 1 || second < 60 { scene.hear(nil, at: place, beacon: .nobody) }
      if second % 2 == 0 { Self.stay(&scene, second < 60 ? [-80, -90] : [-80], seconds: 2) }
    }
    #expect(Self.entered(scene) == [1])
  }

  @Test func `a calibration that does not say how long it was where takes no notice of silence`() {
    var scene = Self.scene(visits: [])
    Self.stay(&scene, [-80, -90], seconds: 60)
    Self.stay(&scene, [-80], seconds: 60, other: [nil, -90, -70])
    #expect(Self.entered(scene) == [1])
  }

  /// As after a walk that kept what an earlier calibration, which had no visits, knew of the other rooms.
  @Test func `a room without visits is neither likely nor unlikely because of silence`() {
    var scene = Self.scene(visits: [.init(room: "2", weight: 30)])
    Self.stay(&scene, [-80, -90], seconds: 60)
    Self.stay(&scene, [-80], seconds: 60, other: [nil, -90, -70])
    #expect(Self.entered(scene) == [1])
  }

  @Test func `visits to unknown rooms and places, or shorter than what was heard, are harmless`() {
    for visits in [
      [.init(room: "elsewhere", weight: 30)], [.init(x: 1, y: 1, weight: 30)],
      [.init(room: "1", weight: 0)], [.init(room: "1", weight: 1e6)],
    ] as [[RoomCalibration.Visit]] {
      var scene = Self.scene(visits: visits)
      Self.stay(&scene, [-80, -90], seconds: 60)
      #expect(Self.entered(scene) == [1])
    }
  }

  @Test(arguments: [true, false]) func `a calibration says how long the walk was where`(outlines: Bool) throws
  {
    let plan = RoomScene.plan(outlines: outlines)
    var scene = RoomScene(plan)
    var marks: [MarkedWalk.Mark] = []
    for (room, middle) in RoomScene.middles.enumerated() {
      marks.append(.init(time: scene.time, room: RoomIndex(rawValue: Int32(room))))
      scene.stay(at: middle, seconds: 10 + 10 * Double(room))
    }
    let walk = MarkedWalk(scene.sightings, marks: marks, plan: plan)
    let names = plan.rooms.indices.map { "\($0)" }
    let calibration = try #require(
      RoomCalibrator(plan, names: .init(rooms: names, receivers: names, floors: [nil])).calibration(
        from: walk))
    let seconds = names.indices.map { room in
      calibration.visits.reduce(0) { sum, visit in
        let isHere = visit.room.map { $0 == names[room] } ?? (Int(visit.x / 4) == room)
        return isHere ? sum + visit.weight : sum
      }
    }
    #expect(zip(seconds, [10, 20, 30]).allSatisfy { abs($0 - $1) < 2.5 }, "\(seconds)")
  }

  /// A beacon that is heard constantly, and carried from room to room.
  @Test func `where silence counts, a room is told from 0.7`() throws {
    let plan = RoomScene.plan(outlines: false)
    let names = plan.rooms.indices.map { "\($0)" }
    var scene = RoomScene(plan)
    var marks: [MarkedWalk.Mark] = []
    for (room, middle) in RoomScene.middles.enumerated() {
      marks.append(.init(time: scene.time, room: RoomIndex(rawValue: Int32(room))))
      scene.stay(at: middle, seconds: 20)
    }
    var calibration = try #require(
      RoomCalibrator(plan, names: .init(rooms: names, receivers: names, floors: [nil])).calibration(
        from: MarkedWalk(scene.sightings, marks: marks, plan: plan)))
    func least() -> Double {
      var scene = RoomScene(plan, seed: 2)
      scene.tracker = RoomTracker(plan, calibration: calibration, rooms: names, receivers: names)
      for room in (0..<20).map({ [0, 1, 2, 1][$0 % 4] }) {
        scene.walk(from: RoomScene.middles[room], to: RoomScene.middles[room == 1 ? 2 : 1])
        scene.walk(from: RoomScene.middles[room == 1 ? 2 : 1], to: RoomScene.middles[room])
      }
      return scene.transitions.compactMap { $0.event == .enter ? $0.probability : nil }.min() ?? 0
    }
    #expect((0.7..<0.8).contains(least()), "\(least())")
    calibration.visits = []
    #expect((0.6..<0.7).contains(least()), "\(least())")
  }
}
