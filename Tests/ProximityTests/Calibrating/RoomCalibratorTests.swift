import Beacons
import Core
import Testing

@testable import Proximity

/// What a walk teaches about receivers, walls and rooms.
@Suite struct RoomCalibratorTests {
  private let calibrator = RoomCalibrator(SyntheticWalk.plan, names: SyntheticWalk.calibratorNames)
  private let byName = RoomCalibrator(SyntheticWalk.names, names: SyntheticWalk.calibratorNames)

  @Test func markedPointsGivePowerExponentAndWallsBack() throws {
    let walk = SyntheticWalk(placed: true)
    let fit = try #require(calibrator.calibration(from: walk.marked()))
    #expect(fit.receivers.map(\.name) == ["r-a", "r-b", "r-c", "r-d"])
    for receiver in fit.receivers {
      #expect(abs(receiver.power - SyntheticWalk.power) < 4, "\(receiver)")
      #expect(abs(receiver.exponent - SyntheticWalk.exponent) < 0.7, "\(receiver)")
    }
    #expect(abs(fit.wallLoss - SyntheticWalk.wall) < 2, "\(fit.wallLoss)")
    #expect(!fit.samples.isEmpty && fit.histograms.isEmpty)
  }

  @Test func labelsAloneFindMostRoomsOnStretchesLeftOut() throws {
    let comparison = try #require(calibrator.assess(SyntheticWalk().marked()))
    #expect(comparison.kept.right > 0.9, "\(comparison.kept)")
    #expect(comparison.kept.trueChanges == 7 || comparison.kept.trueChanges == 3)
  }

  @Test func pointsTellHowFarTheEstimateIsOff() throws {
    let comparison = try #require(calibrator.assess(SyntheticWalk(placed: true).marked()))
    let off = try #require(comparison.kept.distance)
    #expect(off < 2, "\(off) m")
  }

  @Test func withoutOutlinesLevelsByRoomAreLearnt() throws {
    let walk = SyntheticWalk()
    let calibration = try #require(byName.calibration(from: walk.marked(SyntheticWalk.names)))
    #expect(
      calibration.histograms.count == 16 && calibration.samples.isEmpty && calibration.receivers.isEmpty)
    let comparison = try #require(byName.assess(walk.marked(SyntheticWalk.names)))
    #expect(comparison.pathLoss == nil)
    #expect(comparison.kept.right > 0.85, "\(comparison.kept)")
  }

  @Test func aMutedReceiverIsLeftOut() throws {
    let walk = SyntheticWalk(muted: [2]).marked()
    let calibration = try #require(calibrator.calibration(from: walk))
    #expect(calibration.receiverNames.sorted() == ["r-a", "r-b", "r-d"])
    let comparison = try #require(calibrator.assess(walk))
    #expect(comparison.kept.right > 0.75, "\(comparison.kept)")
  }

  @Test func aRoomThatWasNeverCoveredIsStillFound() throws {
    var walk = SyntheticWalk()
    let last = RoomIndex(rawValue: 3)
    walk.marks = walk.marks.map { .init(time: $0.time, room: $0.room == last ? nil : $0.room) }
    let calibration = try #require(byName.calibration(from: walk.marked(SyntheticWalk.names)))
    #expect(!calibration.histograms.contains { $0.room == "d" })
    var tracker = RoomTracker(
      SyntheticWalk.names, calibration: calibration, rooms: SyntheticWalk.rooms,
      receivers: SyntheticWalk.calibratorNames.receivers)
    var told: [RoomTransition] = []
    for sighting in walk.sightings {
      tracker.advance(to: sighting.time, into: &told)
      tracker.observe(sighting)
    }
    #expect(told.contains { $0.event == .enter && $0.room == last })
  }

  /// Whatever part of a house a walk covered, rooms are about as often right as with nothing measured.
  @Test(arguments: [[0], [1], [2], [3], [0, 1], [2, 3], [0, 1, 2], [1, 2, 3]])
  func `a walk through some of the rooms leaves the others their model`(covered: [Int32]) throws {
    let marks = SyntheticWalk().marks.map { mark in
      MarkedWalk.Mark(time: mark.time, room: mark.room.flatMap { covered.contains($0.rawValue) ? $0 : nil })
    }
    var walk = SyntheticWalk()
    walk.marks = marks
    let calibration = try #require(byName.calibration(from: walk.marked(SyntheticWalk.names)))
    var (with, without) = (RoomJudge(rooms: 4), RoomJudge(rooms: 4))
    let other = SyntheticWalk(seed: 7).marked(SyntheticWalk.names).moments
    with.judge(
      other,
      by: RoomTracker(
        SyntheticWalk.names, calibration: calibration, rooms: SyntheticWalk.rooms,
        receivers: SyntheticWalk.calibratorNames.receivers))
    without.judge(other, by: RoomTracker(SyntheticWalk.names))
    #expect(
      with.assessment.right >= without.assessment.right - 0.1,
      "\(with.assessment.right) with, \(without.assessment.right) without")
  }

  @Test func `the calibration in use stays if it is right more often on a walk that neither knows`() throws {
    let present = byName.calibration(from: SyntheticWalk(seconds: 640).marked(SyntheticWalk.names))
    let short = SyntheticWalk(seconds: 64, seed: 5).marked(SyntheticWalk.names)
    let comparison = try #require(byName.assess(short, against: present) { _ in })
    let old = try #require(comparison.present)
    #expect(old.right > comparison.calibrated.right && comparison.isPresentBetter, "\(comparison)")
    #expect(try #require(byName.assess(short)).isPresentBetter == false)
  }

  @Test func `a walk in one room has no score`() {
    var walk = SyntheticWalk()
    walk.marks = [.init(time: .zero, room: RoomIndex(rawValue: 2))]
    #expect(byName.assess(walk.marked(SyntheticWalk.names)) == nil)
  }

  @Test func `what is known of a receiver counts, in rooms with outlines and without`() {
    for plan in [SyntheticWalk.plan, SyntheticWalk.names] {
      func model(_ change: (inout RoomPlan) -> Void) -> RoomModel {
        var plan = plan
        change(&plan)
        return RoomModel(plan, nil, rooms: SyntheticWalk.rooms, receivers: [], floors: [nil])
      }
      let usual = model { _ in }
      let strong = model { $0.hearers[0].gain = 12 }
      for room in 0..<4 {
        #expect(abs(strong.roomLevels[0][room] - usual.roomLevels[0][room] - 12) < 0.01)
        #expect(strong.roomLevels[1][room] == usual.roomLevels[1][room])
      }
    }
    let steep = RoomModel(
      {
        var plan = SyntheticWalk.plan
        plan.hearers[0].exponent = 4
        return plan
      }(), nil, rooms: SyntheticWalk.rooms, receivers: [], floors: [nil])
    #expect(
      steep.roomLevels[0][3] < RoomModel(SyntheticWalk.plan, nil, rooms: [], receivers: [], floors: [nil])
        .roomLevels[0][3] - 5)
  }

  @Test func `a room without receivers is in doubt until it was measured`() throws {
    var plan = SyntheticWalk.names
    plan.rooms[3].receivers = []
    let room = RoomIndex(rawValue: 3)
    #expect(RoomTracker(plan).isBlind(room))
    let calibrator = RoomCalibrator(plan, names: SyntheticWalk.calibratorNames)
    let calibration = try #require(calibrator.calibration(from: SyntheticWalk().marked(plan)))
    var tracker = RoomTracker(
      plan, calibration: calibration, rooms: SyntheticWalk.rooms,
      receivers: SyntheticWalk.calibratorNames.receivers)
    #expect(!tracker.isBlind(room))
    var told: [RoomTransition] = []
    for sighting in SyntheticWalk(seed: 3).sightings {
      tracker.advance(to: sighting.time, into: &told)
      tracker.observe(sighting)
    }
    #expect(told.contains { $0.event == .enter && $0.room == room })
  }

  @Test func withoutMarksOrSightingsThereIsNoCalibration() {
    let walk = SyntheticWalk(seconds: 30)
    let silent = MarkedWalk([], marks: walk.marks, plan: SyntheticWalk.plan)
    let unmarked = MarkedWalk(walk.sightings, marks: [], plan: SyntheticWalk.plan)
    for walk in [silent, unmarked] {
      #expect(calibrator.calibration(from: walk) == nil)
      #expect(calibrator.assess(walk) == nil)
    }
  }

  @Test func aShortWalkTeachesButIsNotJudged() {
    let walk = SyntheticWalk(seconds: 30).marked()
    #expect(calibrator.calibration(from: walk) != nil)
    #expect(calibrator.assess(walk) == nil)
  }

  @Test func wrongMarksShowBesideNothingMeasured() throws {
    var walk = SyntheticWalk()
    // Each room is called by the name of the one across.
    for index in walk.marks.indices {
      walk.marks[index].room = walk.marks[index].room.map { RoomIndex(rawValue: 3 - $0.rawValue) }
    }
    let comparison = try #require(calibrator.assess(walk.marked()))
    #expect(comparison.uncalibrated.right < 0.2)
  }

  @Test func aPauseIsNoRoom() {
    var walk = SyntheticWalk(seconds: 80)
    walk.marks.insert(.init(time: .zero + .seconds(5), room: nil), at: 1)
    let seconds = walk.marked().seconds(rooms: 4)
    #expect(abs(seconds[0] - 15) < 1 && abs(seconds[1] - 20) < 1, "\(seconds)")
  }
}
