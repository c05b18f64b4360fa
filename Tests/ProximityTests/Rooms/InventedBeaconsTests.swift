import Beacons
import Core
import Testing

@testable import Proximity

@Suite struct InventedBeaconsTests {
  /// Whoever invents beacons takes three quarters of the places at most.
  @Test func `a configured beacon has a place in rooms, however many are invented`() {
    let corners = [Point(x: 0, y: 0), Point(x: 90, y: 0), Point(x: 90, y: 90), Point(x: 0, y: 90)]
    let receiver = ReceiverIndex(rawValue: 0)
    var tracker = RoomTracker(
      RoomPlan(
        rooms: [.init(outline: corners, receivers: [receiver])],
        hearers: [.init(receiver: receiver, position: Position(x: 45, y: 45, z: 2))], doors: []))
    let limit = tracker.beaconLimit
    func sighting(_ beacon: Int) -> Sighting {
      Sighting(
        beacon: BeaconIndex(rawValue: Int32(beacon)), receiver: receiver, rssi: -60, measuredPower: nil,
        time: .zero + .seconds(1), wallTime: WallTime(nanoseconds: 0))
    }
    for beacon in 0..<limit { tracker.observe(sighting(beacon), isInventable: true) }
    #expect(tracker.droppedSightings == UInt64(limit / 4))
    for beacon in limit..<(limit + limit / 4) { tracker.observe(sighting(beacon)) }
    #expect(tracker.droppedSightings == UInt64(limit / 4))
    tracker.observe(sighting(limit + limit))
    #expect(tracker.droppedSightings == UInt64(limit / 4) + 1)
  }
}
