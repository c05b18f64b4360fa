import Beacons
import Core
import Testing

@testable import Proximity

/// Rooms of which only outlines and receivers are known: on a recorded flat, in five stretches that each begin anew.
@Suite(.enabled(if: RecordedFlat.isThere), .serialized) struct UnmeasuredRoomTests {
  /// The gaps of the flat's outline.
  private static let doors = [
    RoomPlan.Door(from: Point(x: 3.965, y: 0.6), to: Point(x: 3.965, y: 1.42)),
    RoomPlan.Door(from: Point(x: 2.7, y: 2.095), to: Point(x: 3.88, y: 2.095)),
    RoomPlan.Door(from: Point(x: 6.32, y: 4.82), to: Point(x: 6.32, y: 7.1)),
    RoomPlan.Door(from: Point(x: 0.73, y: 2.125), to: Point(x: 1.52, y: 2.125)),
  ]

  private func assessment(doors: [RoomPlan.Door]) throws -> RoomAssessment {
    let flat = try RecordedFlat()
    var plan = flat.plan
    plan.doors = doors
    let marks = flat.rows.map { MarkedWalk.Mark(time: $0.time, room: RoomIndex(rawValue: Int32($0.room))) }
    let moments = MarkedWalk(flat.rows.map(flat.sighting), marks: marks, plan: plan).moments
    var judge = RoomJudge(rooms: plan.rooms.count)
    for stretch in 0..<5 {
      let range = (stretch * moments.count / 5)..<((stretch + 1) * moments.count / 5)
      judge.judge(Array(moments[range]), by: RoomTracker(plan))
    }
    return judge.assessment
  }

  /// 81.4 % if the beacon's power is learnt from the first place that is believed in.
  @Test func fourOfFiveMomentsAreRight() throws {
    let assessment = try assessment(doors: [])
    #expect(assessment.right >= 0.825)
    #expect(Double(assessment.changes) <= 1.6 * Double(assessment.trueChanges))
  }

  /// 83.1 % if signals passed no doors.
  @Test func doorsHelp() throws {
    let assessment = try assessment(doors: Self.doors)
    #expect(assessment.right >= 0.84)
    #expect(Double(assessment.changes) <= 1.45 * Double(assessment.trueChanges))
  }
}

@Suite struct PlaceAndPowerTests {
  @Test func thePowerOfABeaconIsInDoubtFor10Windows() throws {
    let model = RoomModel(RoomScene.plan(), nil, rooms: [], receivers: [], floors: [])
    #expect(PlaceAndPower.doubt(after: 0, model) == 10)
    let doubts = (0...10).map { PlaceAndPower.doubt(after: Float($0), model) ?? 0 }
    #expect(zip(doubts, doubts.dropFirst()).allSatisfy { $0 > $1 } && doubts[10] >= 3)
    #expect(PlaceAndPower.doubt(after: 11, model) == nil)
  }

  @Test func aRoomThatIsJustANameIsJudgedOnceThisWay() {
    let model = RoomModel(RoomScene.plan(outlines: false), nil, rooms: [], receivers: [], floors: [])
    #expect(PlaceAndPower.doubt(after: 0, model) == .infinity)
    #expect(PlaceAndPower.doubt(after: 1, model) == nil)
  }

  @Test func manyReceiversThatDisagreeLeaveAProbability() {
    let rooms = RoomScene.plan().rooms
    let hearers = (0..<40).map {
      RoomPlan.Hearer(
        receiver: ReceiverIndex(rawValue: UInt16($0)), position: Position(x: Double($0 % 12), y: 1, z: 2))
    }
    var tracker = RoomTracker(RoomPlan(rooms: rooms, hearers: hearers))
    var transitions: [RoomTransition] = []
    for window in 0..<40 {
      let time = MonotonicTime(nanoseconds: Int64(window) * RoomWindows.length.nanoseconds)
      for hearer in hearers {
        tracker.observe(
          Sighting(
            beacon: BeaconIndex(rawValue: 0), receiver: hearer.receiver,
            rssi: hearer.receiver.rawValue % 2 == 0 ? 20 : -127, measuredPower: nil, time: time,
            wallTime: WallTime(nanoseconds: time.nanoseconds)))
      }
      tracker.advance(to: time + RoomWindows.length, into: &transitions)
    }
    let sum = tracker.probabilities(ofTrack: 0).rooms.reduce(0) { $0 + $1.probability }
    #expect(abs(sum - 1) < 0.001)
  }
}
