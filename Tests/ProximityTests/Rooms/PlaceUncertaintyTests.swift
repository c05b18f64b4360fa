import Beacons
import Core
import Testing

@testable import Proximity

/// How often a coordinate is within the stated deviations, on the recorded flat: each fifth by a calibration from the others.
@Suite(.enabled(if: RecordedFlat.isThere), .serialized) struct PlaceUncertaintyTests {
  private let flat: RecordedFlat

  init() throws { flat = try RecordedFlat() }

  private func walk(_ rows: some Collection<RecordedFlat.Row>, points: Bool) -> MarkedWalk {
    let marks = rows.map {
      MarkedWalk.Mark(
        time: $0.time, room: RoomIndex(rawValue: Int32($0.room)), point: points ? $0.point : nil)
    }
    return MarkedWalk(rows.map(flat.sighting), marks: marks, plan: flat.plan)
  }

  /// With one cell for each moment of a walk whose rooms were marked, 58 % and 87 %.
  @Test(arguments: [false, true]) func itIsStatedAsItIs(points: Bool) {
    let calibrator = RoomCalibrator(
      flat.plan, names: .init(rooms: RecordedFlat.rooms, receivers: RecordedFlat.receivers))
    let count = flat.rows.count
    var (ratios, judge) = ([Double](), RoomJudge(rooms: RecordedFlat.rooms.count))
    for fold in 0..<5 {
      let range = (fold * count / 5)..<((fold + 1) * count / 5)
      let rest = flat.rows[..<range.lowerBound] + flat.rows[range.upperBound...]
      var tracker = RoomTracker(
        flat.plan, calibration: calibrator.calibration(from: walk(rest, points: points)),
        rooms: RecordedFlat.rooms, receivers: RecordedFlat.receivers, floors: [nil])
      judge.judge(walk(flat.rows[range], points: false).moments, by: tracker)
      var transitions: [RoomTransition] = []
      for row in flat.rows[range] {
        tracker.advance(to: row.time, into: &transitions)
        tracker.observe(flat.sighting(row))
        guard let estimate = tracker.estimate(of: BeaconIndex(rawValue: 0)), let place = estimate.position,
          let deviation = estimate.positionDeviation
        else { continue }
        ratios += [place.x - row.point.x, place.y - row.point.y].map { abs($0) / deviation }
      }
    }
    let (one, two) = (share(of: ratios, within: 1), share(of: ratios, within: 2))
    #expect((0.6...0.76).contains(one) && (0.915...0.98).contains(two), "\(one), \(two)")
    // As often right as with one cell for each moment.
    #expect(judge.assessment.right > 0.9 && judge.assessment.changes <= 49, "\(judge.assessment)")
  }

  private func share(of ratios: [Double], within limit: Double) -> Double {
    Double(ratios.count { $0 <= limit }) / Double(max(ratios.count, 1))
  }
}
