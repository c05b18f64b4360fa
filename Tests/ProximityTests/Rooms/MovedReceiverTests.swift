import Beacons
import Testing

@testable import Proximity

/// A receiver that hangs elsewhere than when the rooms were calibrated: on a recorded flat, calibrated on one half and followed
/// through the other.
@Suite(.enabled(if: RecordedFlat.isThere), .serialized) struct MovedReceiverTests {
  private static let flat = try? RecordedFlat()
  private static let halves: [(calibration: RoomCalibration?, rows: ArraySlice<RecordedFlat.Row>)] = {
    guard let flat else { return [] }
    let middle = flat.rows.count / 2
    let (first, second) = (flat.rows[..<middle], flat.rows[middle...])
    return [(flat.calibration(Array(second)), first), (flat.calibration(Array(first)), second)]
  }()

  /// Who is told to be moved in the end, and who ever was.
  private func follow(
    half: Int, _ change: (inout RecordedFlat.Row) -> Void = { _ in }
  ) throws -> (moved: Int?, ever: Set<Int>) {
    let flat = try #require(Self.flat)
    let (calibration, rows) = Self.halves[half]
    var tracker = RoomTracker(
      flat.plan, calibration: calibration, rooms: RecordedFlat.rooms, receivers: RecordedFlat.receivers,
      floors: [nil])
    var told: [RoomTransition] = []
    var ever: Set<Int> = []
    var moved: Int?
    for (place, row) in rows.enumerated() {
      var row = row
      change(&row)
      tracker.advance(to: row.time, into: &told)
      tracker.observe(flat.sighting(row))
      guard place % 100 == 0 else { continue }
      moved = tracker.movedReceiver.map { Int($0.receiver.rawValue) }
      if let moved { ever.insert(moved) }
    }
    return (moved, ever)
  }

  @Test(arguments: [0, 1]) func unmovedReceiversAreNotReported(half: Int) throws {
    #expect(try follow(half: half).ever == [])
  }

  @Test(arguments: [1, 2, 5]) func aReceiverThatHearsMuchLessIsReported(receiver: Int) throws {
    let found = try follow(half: 0) { row in
      if row.receiver == receiver { row.level = max(row.level - 20, -105) }
    }
    #expect(found.ever == [receiver])
    #expect(found.moved == receiver)
  }
}

/// The same without a recording.
@Suite struct ReceiverDriftTests {
  private func drift(_ errors: [[Float]], notes: Int = 40) -> ReceiverDrift {
    var drift = ReceiverDrift(hearers: errors.count, rooms: errors[0].count)
    for _ in 0..<notes {
      for (hearer, rooms) in errors.enumerated() {
        for (room, error) in rooms.enumerated() where !error.isNaN {
          drift.note(error, of: hearer, in: room)
        }
      }
    }
    return drift
  }

  @Test func onlyTheWorstReceiverIsReported() throws {
    let found = drift([[1, -2, 3], [12, -15, 9], [-9, 8, -9]])
    let judged = try #require(found.moved)
    #expect(judged.hearer == 1 && abs(judged.decibels - 12.2) < 0.1)
    let sound = drift([[1, -2, 3], [7, -7, 7]])
    #expect(sound.moved == nil)
  }

  @Test func ofTwoThatAreEquallyFarOffNoneIsReported() {
    #expect(drift([[12, 12, 12], [-12, -12, -12], [0, 0, 0]]).moved == nil)
  }

  @Test func oneCornerOfOneRoomProvesNothing() {
    #expect(drift([[30, .nan, .nan, .nan]], notes: 10_000).moved == nil)
    #expect(drift([[30, 30, 30, 30]], notes: 2).moved == nil)
  }

  @Test func twoRoomsThatSpeakForItSuffice() {
    #expect(drift([[-20, -18, .nan, .nan], [1, 2, 0, 1]]).moved?.hearer == 0)
    #expect(drift([[-20, -4, .nan, .nan], [1, 2, 0, 1]]).moved == nil)
  }

  @Test func longGoodHearingDoesNotHideALaterMove() {
    var found = drift([[0, 0, 0], [0, 0, 0]], notes: 10_000)
    for _ in 0..<60 {
      for room in 0..<3 {
        found.note(-15, of: 0, in: room)
        found.note(0, of: 1, in: room)
      }
    }
    #expect(found.moved?.hearer == 0)
  }

  @Test func itIsTakenBackOnceItHearsAsBefore() {
    var found = drift([[12, 12, 12]])
    #expect(found.moved?.hearer == 0)
    for _ in 0..<200 { for room in 0..<3 { found.note(1, of: 0, in: room) } }
    #expect(found.moved == nil)
  }

  @Test func invalidNumbersAreSkipped() {
    var found = drift([[1, 1, 1]])
    found.note(.nan, of: 0, in: 0)
    found.note(.infinity, of: 0, in: 1)
    found.note(50, of: 7, in: 0)
    #expect(found.moved == nil)
  }
}
