import Beacons
import Core
import Proximity
import TestSupport
import Testing

/// What the screen of a live walk counts.
@Suite struct HeardTimeTests {
  @Test(arguments: 0..<20) func `it counts what a calibration of the same walk counts`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let hearers = (0..<3).map { ReceiverIndex(rawValue: UInt16($0)) }
    let plan = RoomPlan(
      rooms: hearers.map { RoomPlan.Room(receivers: [$0]) },
      hearers: hearers.map { RoomPlan.Hearer(receiver: $0) })
    var heard = HeardTime(rooms: 3)
    var sightings: [Sighting] = []
    var marks: [MarkedWalk.Mark] = []
    var time = MonotonicTime.zero
    for _ in 0..<500 {
      time = time + .milliseconds(.random(in: 1...900, using: &random))
      if Int.random(in: 0..<10, using: &random) == 0 {
        let room = [0, 1, 2, nil].randomElement(using: &random) ?? nil
        heard.mark(room, at: time)
        marks.append(.init(time: time, room: room.map { RoomIndex(rawValue: Int32($0)) }))
      } else {
        // What comes over the network may be a little older than what was heard here.
        let late = time - .milliseconds(.random(in: 0...500, using: &random))
        heard.hear(at: late)
        sightings.append(
          Sighting(
            beacon: BeaconIndex(rawValue: 0), receiver: hearers.randomElement(using: &random) ?? hearers[0],
            rssi: -60, measuredPower: nil, time: late, wallTime: WallTime(nanoseconds: 0)))
      }
    }
    let counted = MarkedWalk(sightings, marks: marks, plan: plan).seconds(rooms: 3)
    // The latest window is counted once it is over.
    heard.hear(at: time + .seconds(60))
    for (live, result) in zip(heard.seconds, counted) {
      #expect(abs(live - result) < 0.01, "\(live) \(result)")
    }
    #expect(heard.seconds.reduce(0, +) > 20)
  }

  @Test(arguments: [1.0, 4, 9]) func `the time of a slow beacon counts at its own interval`(interval: Double)
  {
    var heard = HeardTime(rooms: 1)
    heard.mark(0, at: .zero)
    for step in 1...100 { heard.hear(at: .zero + .seconds(Double(step) * interval)) }
    #expect(abs(heard.seconds[0] - 99 * interval) < interval + 0.31, "\(heard.seconds)")
    #expect(abs((heard.interval ?? 0) - interval) < interval / 20 + 0.01)
    // A minute of silence is no time in the room.
    heard.hear(at: .zero + .seconds(100 * interval + 60))
    heard.hear(at: .zero + .seconds(100 * interval + 61))
    #expect(abs(heard.seconds[0] - 100 * interval) < interval + 0.61, "\(heard.seconds)")
  }
}
