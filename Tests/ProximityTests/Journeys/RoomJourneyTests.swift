import Beacons
import Core
import Testing

@testable import Proximity

/// What is kept of a beacon's way, and how it is judged.
@Suite struct RoomJourneyTests {
  private static let kitchen = RoomIndex(rawValue: 0)
  private static let hall = RoomIndex(rawValue: 1)

  private static func at(_ second: Double) -> MonotonicTime { .zero + .seconds(second) }

  private static func mark(_ second: Double, _ room: RoomIndex?, _ point: Point? = nil) -> MarkedWalk.Mark {
    .init(time: at(second), room: room, point: point)
  }

  private static func estimate(
    _ room: RoomIndex?, isHeard: Bool = true, _ point: Point? = nil, _ deviation: Double? = nil
  ) -> RoomEstimate {
    RoomEstimate(
      room: room, probability: 0.9, since: WallTime(nanoseconds: 0), isHeard: isHeard, position: point,
      positionDeviation: deviation)
  }

  /// Follows a minute in which something is told at each moment.
  private static func journey(
    _ marks: [MarkedWalk.Mark]?, seconds: Double = 60, _ told: (Double) -> RoomEstimate?
  ) -> RoomJourney {
    var journey = RoomJourney(rooms: 2, truth: marks.map { RoomTruth($0) })
    while let moment = journey.nextMoment(upTo: at(seconds)), moment <= at(seconds) {
      // The first moment is the latest one, unless something happened before.
      let moment = journey.start == nil ? .zero : moment
      journey.note(told((moment - .zero).seconds), at: moment)
    }
    return journey
  }

  @Test func momentsAreTheEndsOfWindowsUpToATime() {
    var journey = RoomJourney(rooms: 1)
    #expect(journey.nextMoment(upTo: Self.at(0.1)) == .zero)
    journey.note(nil, at: .zero)
    #expect(journey.nextMoment(upTo: Self.at(0.29)) == nil)
    #expect(journey.nextMoment(upTo: Self.at(0.31)) == Self.at(0.3))
    journey.note(nil, at: Self.at(0.3))
    #expect(journey.nextMoment(upTo: Self.at(100)) == Self.at(0.6))
  }

  @Test func aPauseOfDaysIsOneStep() throws {
    var journey = RoomJourney(rooms: 1)
    journey.note(nil, at: .zero)
    let late = try #require(journey.nextMoment(upTo: MonotonicTime(nanoseconds: .max / 2)))
    journey.note(nil, at: late)
    #expect(journey.nextMoment(upTo: MonotonicTime(nanoseconds: .max / 2)) == nil)
  }

  @Test func aLateChangeIsWrongForAsLongAsItIsLate() throws {
    let journey = Self.journey([Self.mark(0, Self.kitchen), Self.mark(30, Self.hall)]) {
      Self.estimate($0 < 33 ? Self.kitchen : Self.hall)
    }
    let found = try #require(journey.assessment)
    #expect(abs(found.right - 57.0 / 60) < 0.01)
    #expect(found.changes == 1 && found.trueChanges == 1 && found.missed == 0)
    #expect(abs(try #require(found.delay) - 3) < 0.31)
    #expect(journey.told.map(\.room) == [Self.kitchen, Self.hall])
    #expect(journey.trueStays.map(\.room) == [Self.kitchen, Self.hall])
  }

  @Test func aChangeThatIsNeverToldIsMissed() throws {
    let marks = [Self.mark(0, Self.kitchen), Self.mark(20, Self.hall), Self.mark(25, Self.kitchen)]
    let found = try #require(Self.journey(marks) { _ in Self.estimate(Self.kitchen) }.assessment)
    #expect(found.trueChanges == 2 && found.missed == 1 && found.changes == 0)
  }

  @Test func unknownAndUnheardTimesAreNotJudged() throws {
    let marks = [Self.mark(10, Self.kitchen), Self.mark(40, nil)]
    let journey = Self.journey(marks) { second in
      second < 20
        ? Self.estimate(Self.kitchen)
        : second < 30 ? Self.estimate(nil, isHeard: false) : Self.estimate(Self.kitchen)
    }
    let found = try #require(journey.assessment)
    #expect(found.right == 1 && found.changes == 0 && found.trueChanges == 0)
    #expect(abs(journey.unheard.seconds - 10) < 0.31)
    #expect(found.confusion[0][0] < 20.1 && found.confusion[0][0] > 19)
  }

  @Test func goneAndBackInTheSameRoomIsNoChange() throws {
    let found = try #require(
      Self.journey([Self.mark(0, Self.kitchen)]) { Self.estimate($0 > 20 && $0 < 22 ? nil : Self.kitchen) }
        .assessment)
    #expect(found.changes == 0 && found.confusion[0][2] > 0)
  }

  @Test func positionsAreComparedWithTheStraightWayBetweenPoints() throws {
    let marks = [
      Self.mark(0, Self.kitchen, Point(x: 0, y: 0)), Self.mark(20, Self.kitchen, Point(x: 20, y: 0)),
    ]
    let journey = Self.journey(marks, seconds: 20) { second in
      Self.estimate(Self.kitchen, Point(x: second, y: 1), 0.6)
    }
    #expect(journey.errors.error(ofShare: 0.5) == 1 && journey.errors.error(ofShare: 0.9) == 1)
    // x is right, y is off by more than one deviation and less than two.
    #expect(journey.errors.shareWithinOneDeviation == 0.5 && journey.errors.shareWithinTwoDeviations == 1)
    #expect(!journey.track.entries.isEmpty && !journey.trueTrack.entries.isEmpty)
  }

  @Test func withoutTruthNothingIsJudged() {
    let journey = Self.journey(nil) { _ in Self.estimate(Self.kitchen) }
    #expect(journey.assessment == nil && journey.trueStays.isEmpty && journey.told.count == 1)
  }

  @Test func aFlickeringDayStaysSmall() {
    let journey = Self.journey([Self.mark(0, Self.kitchen)], seconds: 30_000) {
      Self.estimate(Int($0 / 0.3) % 2 == 0 ? Self.kitchen : Self.hall, Point(x: $0, y: 0), 1)
    }
    #expect(journey.told.count == RoomJourney.limit && journey.track.entries.count <= RoomJourney.placeLimit)
    #expect((journey.told.last?.to ?? .zero) == journey.end)
  }

  @Test func longSilenceIsAPause() {
    let journey = Self.journey(nil, seconds: 300) {
      $0 < 50 || $0 > 250 ? Self.estimate(Self.kitchen) : Self.estimate(nil, isHeard: false)
    }
    #expect(journey.pauses.count == 1)
    #expect((journey.pauses.first.map { ($0.to - $0.from).seconds } ?? 0) > 195)
  }

  @Test func noErrorsNoFigures() {
    let errors = PositionErrors()
    #expect(errors.error(ofShare: 0.5) == nil && errors.shareWithinOneDeviation == nil)
    var wild = PositionErrors()
    wild.add(Point(x: .infinity, y: 0), deviation: 1, truth: Point(x: 0, y: 0))
    #expect(wild.count == 0)
    wild.add(Point(x: 1e6, y: 0), deviation: 1, truth: Point(x: 0, y: 0))
    #expect(wild.error(ofShare: 0.9) == 100)
  }
}
