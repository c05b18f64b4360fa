import Testing

@testable import Phones

/// Regions that a gateway broadcasts, beside each other in one phone.
@Suite struct WakeRegionTests {
  private static func callbacks(
    _ events: [(Milliseconds, PhoneEvent)], distance: [Timeline.Waypoint] = [.init(time: 0, distance: 0)],
    set: [(String, String)] = []
  ) throws -> (told: [RegionCallback], simulation: Simulation) {
    let os = try #require(Catalogue.system(named: "ios13", variant: .observed))
    let strategy = try #require(Catalogue.strategy(named: "stock", variant: .seed))
    var profile = try #require(PhoneProfile(os: os, strategy: strategy))
    for (name, value) in set {
      #expect(try profile.set(name, to: value, source: "test", confidence: .low))
    }
    let timeline = Timeline(
      events: events.map { .init(time: $0, event: $1) }, waypoints: distance, end: 200_000,
      start: .background)
    let simulation = Simulation(profile, near: NearDistances(near: nil, rearm: 0), timeline: timeline)
    return (simulation.callbacks, simulation)
  }

  @Test func eachRegionHasItsOwnEvents() throws {
    let told = try Self.callbacks([
      (10_000, .onAir(0, true)), (12_000, .onAir(1, true)), (15_000, .onAir(0, false)),
      (60_000, .onAir(1, false)),
    ]).told
    #expect(
      told == [
        .init(time: 11_000, region: 0, isEnter: true), .init(time: 13_000, region: 1, isEnter: true),
        .init(time: 45_000, region: 0, isEnter: false), .init(time: 90_000, region: 1, isEnter: false),
      ])
  }

  @Test func everyCallbackOpensTheWindowAnew() throws {
    let simulation = try Self.callbacks([(10_000, .onAir(0, true)), (15_000, .onAir(1, true))]).simulation
    let ranging = simulation.intervals.filter { $0.state == .ranging }
    #expect(ranging == [.init(from: 11_000, to: 26_000, state: .ranging)])
  }

  @Test func aBroadcastShorterThanTheLatencyIsNotNoticed() throws {
    #expect(try Self.callbacks([(10_000, .onAir(0, true)), (11_000, .onAir(0, false))]).told.isEmpty)
  }

  @Test func aPauseWithinTheDebounceIsNotNoticed() throws {
    let told = try Self.callbacks([
      (10_000, .onAir(0, true)), (20_000, .onAir(0, false)), (50_000, .onAir(0, true)),
      (60_000, .onAir(0, false)),
    ]).told
    #expect(told.map(\.time) == [11_000, 90_000])
  }

  @Test func aBroadcastIsHeardOnlyInRange() throws {
    let walk: [Timeline.Waypoint] = [
      .init(time: 0, distance: nil), .init(time: 30_000, distance: 10_000_000),
      .init(time: 40_000, distance: nil),
    ]
    let told = try Self.callbacks([(0, .onAir(0, true)), (0, .onAir(1, true))], distance: walk).told
    #expect(told.filter(\.isEnter).map(\.time) == [31_000, 31_000])
    #expect(told.filter { !$0.isEnter }.map(\.time) == [70_000, 70_000])
  }

  @Test func bluetoothThatComesBackTellsTheStateWithoutACallback() throws {
    let told = try Self.callbacks([
      (0, .onAir(0, true)), (10_000, .bluetooth(false)), (20_000, .bluetooth(true)),
      (30_000, .onAir(0, false)),
    ]).told
    #expect(told.map(\.time) == [1000, 60_000])
  }

  @Test func regionsBeyondTheLimitAreNotWatched() throws {
    let events: [(Milliseconds, PhoneEvent)] = [
      (0, .onAir(19, true)), (0, .onAir(20, true)), (0, .onAir(-1, true)), (0, .onAir(.max, true)),
    ]
    #expect(try Self.callbacks(events).told.map(\.region) == [19])
    #expect(try Self.callbacks(events, set: [("region_rank", "2")]).told.isEmpty)
  }

  @Test func theAppsOwnRegionIsSilentBesideThem() throws {
    #expect(try Self.callbacks([(100_000, .onAir(0, true))]).simulation.intervals.first?.to == 101_000)
  }
}
