import Beacons
import Core
import Proximity
import Testing

/// A family with 30 beacons in 5 rooms, and a ward with 200 in 8, all of them just names; then a room is added. Scanners speak once a
/// second, each at its own moment.
@Suite struct ChangedRoomsTests {
  private func plan(_ rooms: Int) -> RoomPlan {
    let all = (0..<rooms).map { RoomScene.receiver($0) }
    return RoomPlan(
      rooms: all.map { .init(outline: [], receivers: [$0]) },
      hearers: all.map { .init(receiver: $0, position: nil) }, doors: [])
  }

  private func level(of beacon: Int, in room: Int, at receiver: Int, step: Int) -> Int8 {
    let power = [-8, -4, 0, 4, 8][beacon % 5]
    let away = [-58, -74, -86][min(abs(receiver - room), 2)]
    return Int8(power + away + [0, 2, -3, 1, -1, 3, -2][(step * 5 + beacon + receiver * 3) % 7])
  }

  private func stay(_ scene: inout RoomScene, _ places: [Int], receivers: Int, seconds: Int) {
    for step in 0..<(4 * seconds) {
      for receiver in 0..<receivers where (step + receiver) % 4 == 0 {
        for (beacon, room) in places.enumerated() {
          scene.hear(
            level(of: beacon, in: room, at: receiver, step: step), at: receiver,
            beacon: BeaconIndex(rawValue: Int32(beacon)))
        }
      }
      scene.advance(.milliseconds(250))
    }
  }

  private func rooms(_ scene: RoomScene, _ count: Int) -> [Int?] {
    (0..<count).map { scene.tracker.room(of: BeaconIndex(rawValue: Int32($0))).map { Int($0.rawValue) } }
  }

  @Test(arguments: [(beacons: 30, rooms: 5), (beacons: 200, rooms: 8)])
  func `whose room was there stays in it, and whose room is new is found`(site: (beacons: Int, rooms: Int)) {
    // Of one in ten the room is not configured yet.
    let places = (0..<site.beacons).map { $0 % 10 == 9 ? site.rooms : $0 % site.rooms }
    var scene = RoomScene(plan(site.rooms))
    stay(&scene, places, receivers: site.rooms, seconds: 20)
    let before = rooms(scene, site.beacons)
    for (beacon, room) in places.enumerated() {
      #expect(before[beacon] == min(room, site.rooms - 1), "beacon \(beacon)")
    }
    let earlier = scene.tracker
    scene.tracker = RoomTracker(plan(site.rooms + 1))
    for beacon in 0..<site.beacons {
      let index = BeaconIndex(rawValue: Int32(beacon))
      guard let state = earlier.state(of: index) else { continue }
      scene.tracker.restore(state, of: index, sightSince: scene.time)
    }
    scene.transitions.removeAll()
    stay(&scene, places, receivers: site.rooms + 1, seconds: 30)
    #expect(rooms(scene, site.beacons) == places)
    let moved = Set(scene.transitions.map { Int($0.beacon.rawValue) })
    #expect(moved == Set(places.indices.filter { places[$0] == site.rooms }))
  }

  /// Until it is measured again, nothing can be told of such a room.
  @Test func `a beacon leaves a room without receivers whose calibration was removed`() throws {
    var rooms = plan(2)
    rooms.rooms.append(.init(outline: [], receivers: []))
    let levels = [[-50, -70], [-70, -50], [-65, -65]]
    let calibration = RoomCalibration(
      wallLoss: 4.5,
      histograms: levels.enumerated().flatMap { room, levels in
        levels.enumerated().map {
          .init(receiver: "r\($0)", room: "room\(room)", lowest: $1, counts: [100])
        }
      })
    var scene = RoomScene(rooms)
    scene.tracker = RoomTracker(
      rooms, calibration: calibration, rooms: (0..<3).map { "room\($0)" }, receivers: ["r0", "r1"])
    for _ in 0..<40 {
      for receiver in 0..<2 { scene.hear(-65, at: receiver) }
      scene.advance(.milliseconds(250))
    }
    #expect(scene.room == 2)
    let state = try #require(scene.tracker.state(of: scene.beacon))
    scene.tracker = RoomTracker(rooms)
    scene.tracker.restore(state, of: scene.beacon, sightSince: scene.time)
    scene.advance(.seconds(60))
    #expect(scene.room == nil && scene.transitions.last?.event == .exit)
  }
}
