import Beacons
import Core
import Proximity
import Testing

/// A beacon turns up. Scanners pass on what they hear every second or two, each at its own moment.
@Suite struct FirstRoomTests {
  @Test(arguments: 0..<3, [true, false]) func theFirstReceiverToSpeakDoesNotDecide(first: Int, outlines: Bool)
  {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    let levels: [Int8] = [-80, -70, -50]
    for step in 0..<15 {
      for place in 0..<3 where (step + 2 * (3 + place - first)) % 6 == 0 {
        scene.hear(levels[place], at: place)
      }
      scene.advance(.milliseconds(300))
    }
    #expect(scene.entered == [2])
  }

  @Test func onceAllReceiversHeardItItIsToldAtOnce() {
    var scene = RoomScene()
    scene.hear(at: Point(x: 2, y: 2), deviation: 1)
    scene.advance(.milliseconds(300))
    #expect(scene.entered == [0])
  }

  @Test func aReceiverThatIsBlindIsNotWaitedFor() {
    var scene = RoomScene()
    scene.setBlind(2, true)
    scene.muted = [2]
    scene.hear(at: Point(x: 2, y: 2), deviation: 1)
    scene.advance(.milliseconds(300))
    #expect(scene.entered == [0])
  }

  /// Advertised every ten seconds, and only one receiver hears it.
  @Test func aSlowBeaconIsToldWithItsSecondAdvertisement() {
    var scene = RoomScene()
    scene.hear(-60, at: 1)
    scene.advance(.seconds(5))
    #expect(scene.entered == [])
    scene.hear(-60, at: 1)
    scene.advance(.seconds(1))
    #expect(scene.entered == [1])
  }

  /// A calibration expects other levels, so a strength that was learnt without it means nothing.
  @Test func strengthIsLearntAnewWithOtherMaps() throws {
    var scene = RoomScene(RoomScene.plan(outlines: false))
    scene.power = -40
    scene.stay(at: Point(x: 2, y: 2), seconds: 60)
    let state = try #require(scene.tracker.state(of: scene.beacon))
    func levels(_ room: String, _ levels: [Int]) -> [RoomCalibration.Histogram] {
      levels.enumerated().map { place, level in
        RoomCalibration.Histogram(receiver: "r\(place)", room: room, lowest: level, counts: [100])
      }
    }
    var calibration = RoomCalibration(wallLoss: 4.5)
    calibration.histograms =
      levels("a", [-40, -57, -64]) + levels("b", [-57, -40, -57]) + levels("c", [-64, -57, -40])
    var next = RoomTracker(
      RoomScene.plan(outlines: false), calibration: calibration, rooms: ["a", "b", "c"],
      receivers: ["r0", "r1", "r2"])
    next.restore(state, of: scene.beacon, sightSince: scene.time)
    scene.tracker = next
    scene.transitions = []
    scene.stay(at: Point(x: 2, y: 2), seconds: 60)
    #expect(scene.transitions.isEmpty && scene.room == 0)
  }
}
