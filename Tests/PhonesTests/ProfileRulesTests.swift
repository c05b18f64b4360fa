import Testing

@testable import Phones

@Suite struct ProfileRulesTests {
  private static func profile(_ os: String, _ strategy: String) throws -> PhoneProfile {
    let system = try #require(Catalogue.system(named: os, variant: .observed))
    let strategy = try #require(Catalogue.strategy(named: strategy, variant: .seed))
    return try #require(PhoneProfile(os: system, strategy: strategy))
  }

  @Test func namesRisksAndSourcesMakeNoDifference() throws {
    let phone = try Self.profile("ios13", "background-task")
    var other = phone
    other.os.name = "mine"
    other.strategy.summary = "another"
    other.strategy[.reviewRisk] = .high
    other.os.set("grace", to: .number(phone.os[.grace]), source: "a log of my own", confidence: .low)
    #expect(phone.behaves(like: other))
  }

  @Test(arguments: [
    ("grace", "11 s"), ("entry_latency", "2 s"), ("task_cap", "31 s"), ("ends_task", "false"),
  ])
  func aRuleMakesADifference(name: String, value: String) throws {
    let phone = try Self.profile("ios13", "background-task")
    var other = phone
    _ = try other.set(name, to: value, source: "test", confidence: .low)
    #expect(!phone.behaves(like: other))
  }

  @Test func onlyAnAppThatBeginsATaskMindsItsTime() throws {
    #expect(try Self.profile("ios9", "stock").behaves(like: try Self.profile("ios17", "stock")))
    let (nine, seventeen) = (
      try Self.profile("ios9", "background-task"), try Self.profile("ios17", "background-task")
    )
    #expect(!nine.behaves(like: seventeen))
  }

  /// What is taken from a phone that behaves alike is what the phone itself would have got.
  @Test(arguments: Variant.allCases)
  func phonesThatBehaveAlikeGetTheSame(variant: Variant) {
    let phones = PhoneProfile.all(variant).map { profile in
      let visit = WakeTrial.Visit(
        reach: profile.strategy[.heardDistance], speed: 1_000_000, duration: 200_000)
      return (profile: profile, request: WakeProposal.Request(visit: visit))
    }
    for (phone, shared) in zip(phones, WakeProposal.all(for: phones)) {
      let own = WakeProposal(phone.profile, phone.request)
      #expect(shared.profile == phone.profile && shared.verdict == own.verdict && shared.why == own.why)
      #expect(shared.plan == own.plan && shared.isTight == own.isTight && shared.cost == own.cost)
      #expect(shared.share == own.share && shared.longestGap == own.longestGap)
      #expect(shared.longestWait == own.longestWait && shared.proof?.phones == own.proof?.phones)
      #expect(shared.proof?.worst == own.proof?.worst && shared.reviewRisk == own.reviewRisk)
    }
  }
}
