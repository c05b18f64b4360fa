import Testing

@testable import Phones

@Suite struct ComparisonTests {
  private static let near = NearDistances(near: 4_000_000, rearm: 4_000_000)
  private static func walk(_ metres: Int64, _ speed: Int64) -> Approach {
    Approach(
      name: "walk", near: near, timeline: Timeline(approachFrom: metres * 1_000_000, speed: speed * 1000))
  }

  /// `os` nil: every system.
  private static func tallies(
    _ approaches: [Approach], visitsPerDay: Int64 = 1, os: String? = nil, draws: Int = 20
  ) -> [Tally] {
    PhoneProfile.all(.seed).filter { os == nil || $0.os.name == os }.map { profile in
      var tally = Tally(profile)
      for approach in approaches {
        let day = approach.followedByAbsence(until: 86_400_000 / visitsPerDay)
        let result = Simulation(profile, near: near, timeline: approach.timeline)
        tally.add(result, cost: Simulation(profile, near: near, timeline: day))
        tally.addSpread(of: approach, truth: result, draws: draws)
      }
      return tally
    }
  }

  private static func entry(_ os: String, _ strategy: String, _ rankings: [Comparison]) -> Comparison.Entry? {
    rankings.first { $0.systems.contains { $0.name == os } }?.entries.first {
      $0.tally.profile.strategy.name == strategy
    }
  }

  @Test func noStrategyOfTheFrontIsBeatenAndEveryOtherOneIs() {
    let rankings = Comparison.ranking(
      Self.tallies([Self.walk(50, 1000), Self.walk(50, 200), Self.walk(20, 500)]))
    for ranking in rankings {
      for entry in ranking.entries {
        let (share, cost) = (entry.tally.meanShare ?? 0, entry.tally.batteryFactor)
        let isBeaten = ranking.entries.contains {
          let (other, price) = ($0.tally.meanShare ?? 0, $0.tally.batteryFactor)
          return other >= share && price <= cost && (other > share || price < cost)
        }
        #expect(entry.isOnFront == (!isBeaten && share > 0), "\(entry.tally.profile)")
      }
    }
  }

  /// S0: "actions not being triggered at all", on some devices and placements.
  @Test func lowPowerIsNeverTheCertainOne() throws {
    let rankings = Comparison.ranking(Self.tallies([Self.walk(50, 1000)], os: "ios17", draws: 200))
    let entry = try #require(Self.entry("ios17", "low-power", rankings))
    #expect(entry.tally.share == 1)
    #expect(entry.tally.worstShare == 0 && entry.tally.bestShare == 1)
    let always = try #require(Self.entry("ios17", "location-always", rankings))
    #expect(always.tally.meanShare == 1)
    let ranking = try #require(rankings.first { $0.systems.contains { $0.name == "ios17" } })
    #expect(ranking.entries[0].tally.profile.strategy.name != "low-power")
    #expect(ranking.entries.count(where: \.isOnFront) > 1)
  }

  @Test func aPhoneThatHearsMoreMayMissWhereATypicalOneDelivers() throws {
    // The window begins farther out, and ends before near.
    let rankings = Comparison.ranking(Self.tallies([Self.walk(80, 300)]))
    let entry = try #require(Self.entry("ios7", "background-task", rankings))
    #expect(entry.tally.share == 1 && entry.tally.worstShare == 0)
  }

  /// On phones that take a beacon for up to 1.6 times as near, or as far, as it is.
  private static func spread(of timeline: Timeline, _ rule: NearDistances) throws -> Tally {
    let found = Catalogue.system(named: "ios17").flatMap { system in
      Catalogue.strategy(named: "location-always").flatMap { PhoneProfile(os: system, strategy: $0) }
    }
    var profile = try #require(found)
    profile.set("near_spread", to: .factor(1.6), source: "test", confidence: .low)
    let result = Simulation(profile, near: rule, timeline: timeline)
    var tally = Tally(profile)
    tally.add(result)
    tally.addSpread(of: Approach(name: "walk", near: rule, timeline: timeline), truth: result)
    return tally
  }

  /// Past an exhibit at 3 m, where near is 2 m.
  @Test func anAppThatFiresAtTheNextExhibitIsCounted() throws {
    let past = Timeline(
      events: [],
      waypoints: [
        .init(time: 0, distance: 10_000_000), .init(time: 10_000, distance: 3_000_000),
        .init(time: 20_000, distance: 10_000_000),
      ], start: .foreground)
    let rule = NearDistances(near: 2_000_000, rearm: 2_000_000)
    let tally = try Self.spread(of: past, rule)
    #expect(tally.triggers == 0 && tally.share == nil)
    // At each of its visits, but only those phones that believe a beacon much nearer.
    #expect(tally.falseTriggers == 10)
    #expect((1...5).contains(tally.spread.count { $0.falseTriggers > 0 }))
  }

  /// To an exhibit, back to between two of them, and to it again: who believes it nearer fires once for both.
  @Test func aFalseTriggerStandsInForNoMiss() throws {
    let rule = NearDistances(near: 2_000_000, rearm: 2_500_000)
    let metres: [Int64] = [10, 1, 3, 1, 10, 3, 10]
    let walk = Timeline(
      events: [],
      waypoints: metres.enumerated().map { .init(time: Int64($0) * 10_000, distance: $1 * 1_000_000) },
      start: .foreground)
    let tally = try Self.spread(of: walk, rule)
    #expect(tally.triggers == 2 && tally.delivered == 2)
    #expect(tally.spread.contains { $0.delivered == 10 && $0.falseTriggers == 10 })
  }

  @Test func everySystemIsRankedOnce() {
    let rankings = Comparison.ranking(Self.tallies([Self.walk(50, 1000)]))
    let systems = rankings.flatMap { $0.systems.map(\.name) }
    #expect(systems.sorted() == Catalogue.systems(.seed).map(\.name).sorted())
    #expect(rankings.contains { $0.systems.map(\.name).starts(with: ["ios17", "ios18", "ios26"]) })
  }

  @Test func alwaysRangingCostsTwiceTheBattery() {
    let rankings = Comparison.ranking(Self.tallies([Self.walk(50, 1000)]))
    #expect(Self.entry("ios7", "location-always", rankings)?.tally.batteryFactor == 2)
    let task = Self.entry("ios7", "background-task", rankings)?.tally.batteryFactor ?? 0
    // 50 s of the approach, then the exit: 10 s and 176 s more, of a day.
    #expect(abs(task - (1 + 236.0 / 86_400)) < 0.000_1)
  }

  @Test func moreVisitsADayCostMore() {
    let cost = { (visits: Int64) in
      Self.entry(
        "ios7", "stock", Comparison.ranking(Self.tallies([Self.walk(50, 1000)], visitsPerDay: visits)))?
        .tally.batteryFactor ?? 0
    }
    #expect(cost(1) < cost(4) && cost(4) < cost(100))
  }

  @Test func aDayAfterwardsChangesNoVerdict() {
    for profile in PhoneProfile.all(.observed) {
      for approach in [Self.walk(50, 1000), Self.walk(30, 100)] {
        let alone = Simulation(profile, near: Self.near, timeline: approach.timeline)
        let day = Simulation(
          profile, near: Self.near, timeline: approach.followedByAbsence(until: 86_400_000))
        #expect(day.verdicts.first?.crossed == alone.verdicts.first?.crossed)
        if alone.outcome?.isDelivered == true { #expect(day.outcome == alone.outcome) }
      }
    }
  }

  @Test func anAppOnTheScreenIsPutAwayWithThePhone() {
    let timeline = Timeline(
      events: [.init(time: 0, event: .foreground)], waypoints: [.init(time: 0, distance: 3_000_000)],
      end: 10_000)
    let day = Approach(name: "", near: Self.near, timeline: timeline).followedByAbsence(until: 3_600_000)
    guard
      let profile = PhoneProfile.all(.seed).first(where: {
        $0.strategy.name == "stock" && $0.os.name == "ios7"
      })
    else { return }
    let result = Simulation(profile, near: Self.near, timeline: day)
    #expect(result.totals.ranging < 60_000)
  }

  @Test func `What was measured on an older system spreads wider on a newer one`() throws {
    func entries(_ os: String) throws -> [Milliseconds] {
      let system = try #require(Catalogue.system(named: os))
      let strategy = try #require(Catalogue.strategy(named: "stock"))
      let crowd = PhoneSpread(of: try #require(PhoneProfile(os: system, strategy: strategy)), draws: 200)
      return (0..<crowd.phones).flatMap { phone in
        (0..<10).map { crowd.draw(phone: phone, visit: $0).profile.os[.entryLatency] }
      }.sorted()
    }
    let (known, unknown) = (try entries("ios9"), try entries("ios17"))
    #expect(unknown[0] < known[0] && unknown[199] > known[199] * 3 / 2)
    #expect(abs(unknown[100] - known[100]) < 500)
  }
}
