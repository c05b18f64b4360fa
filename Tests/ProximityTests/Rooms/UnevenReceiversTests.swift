import Beacons
import Core
import Proximity
import Testing

/// Receivers that do not speak equally often: ESPresense tells of a beacon that lies still every five seconds, a gateway of each
/// advertisement.
@Suite struct UnevenReceiversTests {
  /// - Parameter levels: dBm at each receiver, and the quarters of a second from one word to the next.
  private func stay(
    _ scene: inout RoomScene, _ levels: [(level: Int8, every: Int)], seconds: Int
  ) {
    let swings: [Int8] = [0, 3, -2, 4, -3, 1, -4, 2, 0, -1]
    for step in 0..<(4 * seconds) {
      for (place, word) in levels.enumerated() where step % word.every == place % word.every {
        scene.hear(word.level + swings[(step * 3 + place * 7) % swings.count], at: place)
      }
      scene.advance(.milliseconds(250))
    }
  }

  @Test(arguments: [true, false]) func whoSpeaksMostOftenDoesNotOutvoteTheRoomsOwn(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    stay(&scene, [(-60, 20), (-68, 1), (-85, 1)], seconds: 120)
    #expect(scene.entered == [0])
  }

  @Test(arguments: [true, false]) func whoLeavesTheSeldomOneIsFoundSoon(outlines: Bool) {
    var scene = RoomScene(RoomScene.plan(outlines: outlines))
    stay(&scene, [(-55, 20), (-70, 1), (-85, 1)], seconds: 60)
    stay(&scene, [(-75, 4), (-55, 1), (-70, 1)], seconds: 10)
    #expect(scene.entered == [0, 1])
  }

  /// Each receiver speaks in a moment of its own, as boards do that publish over MQTT.
  @Test func theOrderInWhichTheySpeakDecidesNothing() {
    var rooms: Set<[Int]> = []
    for first in 0..<3 {
      var scene = RoomScene(RoomScene.plan(outlines: false))
      for round in 0..<60 {
        for turn in 0..<3 {
          let place = (first + turn) % 3
          scene.hear([-60, -66, -80][place] + Int8(round % 3), at: place)
          scene.advance(.milliseconds(350))
        }
      }
      rooms.insert(scene.entered)
    }
    #expect(rooms == [[0]])
  }

  /// Whoever does not speak any more hears the beacon no more.
  @Test func whatWasSaidLongAgoHoldsNoMore() {
    var scene = RoomScene(RoomScene.plan(outlines: false))
    stay(&scene, [(-55, 1), (-75, 1), (-85, 1)], seconds: 30)
    for _ in 0..<40 {
      scene.hear(-52, at: 1)
      // It works: it hears another beacon.
      scene.hear(-50, at: 0, beacon: BeaconIndex(rawValue: 1))
      scene.advance(.milliseconds(250))
    }
    #expect(scene.room == 1)
  }
}
