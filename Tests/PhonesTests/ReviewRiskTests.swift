import Phones
import Testing

@Suite struct ReviewRiskTests {
  private static let hour: Milliseconds = 3_600_000

  private static func risk(_ own: StrategyProfile.Risk, _ perMinute: Double) -> ReviewRisk {
    ReviewRisk(
      strategy: Constant(own, .table("its own words"), .high), callbacksPerMinute: perMinute, visit: hour)
  }

  @Test func wakeUpsThatTheBeaconsCauseAnyhowAddNothing() {
    for own in StrategyProfile.Risk.allCases {
      for perMinute in [0, 2.0 / 60] {
        #expect(Self.risk(own, perMinute).level == own && Self.risk(own, perMinute).note == "its own words")
      }
    }
  }

  @Test func moreOfThemAreAtLeastAMediumRiskAndSeveralAMinuteAHighOne() {
    #expect(Self.risk(.low, 3.0 / 60).level == .medium)
    #expect(Self.risk(.medium, 1.9).level == .medium)
    #expect(Self.risk(.low, 2).level == .high && Self.risk(.low, 17).level == .high)
  }

  @Test func itGrowsWithWakeUpsAndIsNeverBelowTheStrategys() {
    let levels = StrategyProfile.Risk.allCases
    for own in levels {
      var last = own
      for perMinute in stride(from: 0.0, through: 20, by: 0.1) {
        let level = Self.risk(own, perMinute).level
        #expect(levels.firstIndex(of: level)! >= levels.firstIndex(of: last)!, "\(own) \(perMinute)")
        last = level
      }
    }
  }

  @Test func itsSourcesAreNamed() {
    let words = Self.risk(.low, 17).note
    for source in ["Radius Networks 2014 warns", "Apple's beginBackgroundTask: \"should not", "S. Hu 2014:"] {
      #expect(words.contains(source), "\(words)")
    }
    #expect(ReviewRisk.frequentWakeUps.confidence == .low && ReviewRisk.wakeUpsOfVisit.confidence == .low)
  }

  @Test func seventeenWakeUpsAMinuteAreNoLowRisk() throws {
    let os = try #require(Catalogue.system(named: "ios13", variant: .observed))
    let stock = try #require(Catalogue.strategy(named: "stock", variant: .seed))
    let phone = try #require(PhoneProfile(os: os, strategy: stock))
    let visit = WakeTrial.Visit(reach: 50_000_000, speed: 1_000_000, duration: 300_000)
    let proposal = WakeProposal(phone, .init(visit: visit))
    #expect(proposal.cost.callbacksPerMinute > 16)
    #expect(stock[.reviewRisk] == .low && proposal.reviewRisk.level == .high)
  }
}
