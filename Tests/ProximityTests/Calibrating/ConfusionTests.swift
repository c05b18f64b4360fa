import Beacons
import Core
import Testing

@testable import Proximity

/// Which rooms are taken for each other, and what of a calibration is kept.
@Suite struct ConfusionTests {
  /// Rooms told in turn, a second each, by true room.
  private func assessment(_ told: [(truth: Int, told: Int?)]) -> RoomAssessment {
    var judge = RoomJudge(rooms: 3)
    var follower = RoomJudge.Follower()
    for (second, pair) in told.enumerated() {
      judge.follow(&follower, told: pair.told, true: pair.truth, at: .zero + .seconds(Double(second)))
    }
    return judge.assessment
  }

  private func comparison(_ nothing: Int, _ pathLoss: Int, _ all: Int) -> RoomCalibrator.Comparison {
    func right(_ seconds: Int) -> RoomAssessment {
      assessment((0...100).map { (0, $0 <= seconds ? 0 : 1) })
    }
    return .init(uncalibrated: right(nothing), pathLoss: right(pathLoss), calibrated: right(all))
  }

  @Test func theNeediestRoomIsTheWorseOfTheMostConfusedPair() throws {
    let told =
      [(0, 0)] + [(Int, Int?)](repeating: (0, 0), count: 8) + [(Int, Int?)](repeating: (0, 1), count: 2)
      + [(Int, Int?)](repeating: (1, 1), count: 2) + [(Int, Int?)](repeating: (1, 0), count: 3)
      + [(Int, Int?)](repeating: (2, 2), count: 5)
    let assessment = assessment(told)
    let mistake = try #require(assessment.mostMistaken)
    #expect(mistake.room.rawValue == 1 && mistake.told.rawValue == 0 && mistake.share == 0.6)
    let need = try #require(assessment.neediest)
    #expect(need.room.rawValue == 1 && need.other.rawValue == 0 && need.seconds == 5)
  }

  @Test func withoutMistakesNothingIsNeeded() {
    let assessment = assessment([(0, 0), (0, 0), (1, 1), (1, 1)])
    #expect(assessment.mostMistaken == nil && assessment.neediest == nil && assessment.right == 1)
  }

  @Test func correctionsThatDoNotHelpAreDropped() {
    #expect(comparison(70, 80, 90).best == .all)
    #expect(comparison(70, 90, 80).best == .pathLoss)
    #expect(comparison(90, 80, 70).best == nil)
    #expect(comparison(90, 80, 90).best == .all)
    #expect(comparison(70, 90, 80).kept.right == 0.9)
  }
}
