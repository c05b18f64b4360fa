import Phones
import Testing

/// Android's schedules and what the system takes away.
@Suite struct AndroidRuleTests {
  func starts(_ result: Simulation) -> [Double] {
    result.windows.filter { $0.state == .ranging }.map { Double($0.time) / 1000 }
  }

  @Test func legacyScansTenSecondsOf310UntilTheServiceStops() {
    let result = Walk(os: "android8", strategy: "altbeacon-legacy").follow([(0, 20), (2000, 20)])
    #expect(starts(result) == [0, 310])
    #expect(result.ranging == 20)
    #expect(result.windows.last?.why == .taskExpired)
    let old = Walk(os: "android5", strategy: "altbeacon-legacy").follow([(0, 20), (940, 20)])
    #expect(starts(old) == [0, 310, 620, 930])
  }

  @Test func legacyMissesBetweenScans() {
    #expect(Walk(os: "android12", strategy: "altbeacon-legacy").approach(50, at: 1).outcome == .betweenScans)
  }

  @Test func jobsRunEvery15Minutes() {
    let result = Walk(os: "android8", strategy: "altbeacon-job").follow([(0, 20), (2000, 20)])
    #expect(starts(result) == [0, 900, 1800])
  }

  @Test func theFirstHitStartsAJobAfter5Seconds() {
    let result = Walk(os: "android8", strategy: "altbeacon-job").follow([
      (0, 80), (100, 80), (130, 50), (400, 50),
    ])
    #expect(starts(result) == [0, 135])
    #expect(result.totals.detected == 135_000)
  }

  @Test func anIntentComesAfter5SecondsInEarshot() {
    let walk = Walk(os: "android14", strategy: "altbeacon-intent")
    let result = walk.approach(50, at: 1)
    #expect(result.totals.detected == 5000)
    #expect(result.outcome == .delivered)
    #expect(walk.approach(50, at: 20).outcome == .notDetected)
  }

  @Test func aForegroundServiceScansAlways() {
    let result = Walk(os: "android14", strategy: "altbeacon-foreground-service").follow([(0, 1), (86_400, 1)])
    #expect(result.ranging == 86_400)
    #expect(result.batteryFactor == 2)
  }

  @Test(arguments: ["altbeacon-foreground-service", "altbeacon-job", "altbeacon-intent"])
  func `where the phone's maker ends apps nothing scans afterwards until the app is opened again`(
    strategy: String
  ) {
    let walk = Walk(os: "android8", strategy: strategy, changeOS: { $0[.endsAppAfter] = 60_000 })
    let late = walk.follow([(0, 80), (100, 80), (146, 2), (2000, 2)], [(0, .foreground), (20, .background)])
    #expect(late.outcome == .taskExpired)
    #expect(late.decidingConstants.contains { $0.name == "ends_app_after" })
    let opened = walk.follow(
      [(0, 80), (100, 80), (146, 2), (2000, 2)],
      [(0, .foreground), (20, .background), (90, .foreground), (95, .background)])
    #expect(opened.outcome == .delivered || strategy == "altbeacon-job")
  }

  /// Whatever bucket the app is put in, the engine has something to do a few times an hour, not at every millisecond.
  @Test(arguments: Catalogue.strategies(.seed).map(\.name)) func aBucketAllowsOnlyItsWakeUps(strategy: String)
    throws
  {
    guard let system = Catalogue.system(named: "android8", variant: .seed),
      let chosen = Catalogue.strategy(named: strategy, variant: .seed),
      let profile = PhoneProfile(os: system, strategy: chosen)
    else { return }
    for start in [PhoneEngine.Start.background, .foreground] {
      var engine = PhoneEngine(PhoneRules(profile), near: NearDistances(near: nil, rearm: 0), start: start)
      var output = PolicyOutput()
      engine.apply(.motion(Motion(start: 0, distance: 5_000_000)), at: 0, into: &output)
      engine.apply(.bucket(3_600_000), at: 0, into: &output)
      var steps = 0
      while let next = engine.nextDeadline, next < 86_400_000, steps < 2000 {
        engine.advance(through: next, into: &output)
        steps += 1
      }
      #expect(steps < 1000)
    }
  }

  @Test func aForegroundServiceIsNotStartedFromTheBackgroundFrom12On() {
    let path: [(Double, Double?)] = [(0, 50), (50, 0)]
    for (os, outcome) in [("android8", Reason.delivered), ("android12", .foregroundServiceDenied)] {
      let result = Walk(os: os, strategy: "altbeacon-foreground-service").follow(path, [(10, .lowMemory)])
      #expect(result.outcome == outcome)
    }
    let untyped = Walk(
      os: "android14", strategy: "altbeacon-foreground-service",
      changeStrategy: { $0[.declaresServiceType] = false })
    #expect(untyped.follow(path).outcome == .foregroundServiceDenied)
  }

  @Test func `a reboot starts a foreground service again, from Android 15 on one of the type dataSync not`() {
    for (os, isDataSync, outcome) in [
      ("android12", false, Reason.delivered), ("android14", true, .delivered),
      ("android15", false, .delivered),
      ("android15", true, .foregroundServiceDenied),
    ] {
      let walk = Walk(
        os: os, strategy: "altbeacon-foreground-service", changeStrategy: { $0[.dataSync] = isDataSync })
      #expect(walk.follow([(0, 50), (50, 0)], [(10, .reboot)]).outcome == outcome, "\(os) \(isDataSync)")
    }
    let refused = Walk(
      os: "android15", strategy: "altbeacon-foreground-service",
      changeOS: { $0[.startsServiceAtBoot] = false })
    #expect(refused.follow([(0, 50), (50, 0)], [(10, .reboot)]).outcome == .foregroundServiceDenied)
  }

  @Test func `an app that comes to the front turns the screen on, which stays on until it is turned off`() {
    let walk = Walk(
      os: "android8", strategy: "altbeacon-foreground-service",
      changeStrategy: { $0[.filtersScans] = false })
    let path: [(Double, Double?)] = [(0, 50), (50, 0)]
    #expect(walk.follow(path, [(5, .foreground), (10, .background)]).outcome == .delivered)
    let dark: [(Double, PhoneEvent)] = [(5, .foreground), (10, .background), (20, .screen(false))]
    #expect(walk.follow(path, dark).outcome == .screenOffUnfiltered)
    // Doze counts from when the screen went off, not from the start.
    let still = Walk(os: "android8", strategy: "altbeacon-foreground-service").follow(
      [(0, 30), (9000, 30)],
      [(0, .still(true)), (0, .foreground), (4000, .background), (4000, .screen(false))])
    #expect(still.ranging == 7600)
  }

  @Test func theSixthScanStartIn30SecondsYieldsNothing() {
    let toggles = (1...6).flatMap {
      [(Double($0), PhoneEvent.bluetooth(false)), (Double($0) + 0.5, .bluetooth(true))]
    }
    let walk = Walk(os: "android8", strategy: "altbeacon-foreground-service")
    #expect(walk.follow([(0, 50), (50, 0)], toggles).outcome == .scanQuota)
    #expect(walk.follow([(0, 50), (50, 0)], Array(toggles.prefix(8))).outcome == .delivered)
  }

  @Test(arguments: [("android8", 1800.0), ("android14", 600)])
  func aLongScanBecomesOpportunistic(os: String, limit: Double) {
    let walk = Walk(
      os: os, strategy: "altbeacon-foreground-service",
      changeStrategy: { $0[.restartsLongScans] = false })
    let result = walk.follow([(0, 30), (2000, 30), (2030, 0)])
    #expect(result.ranging == limit)
    #expect(result.outcome == .scanDowngraded)
  }

  @Test func anUnfilteredScanStopsAtScreenOff() {
    let walk = Walk(
      os: "android8", strategy: "altbeacon-foreground-service",
      changeStrategy: { $0[.filtersScans] = false })
    #expect(walk.approach(50, at: 1).outcome == .screenOffUnfiltered)
    let lit = walk.follow(
      [(0, 50), (50, 0)], [(0, .screen(true)), (20, .screen(false)), (45, .screen(true))])
    #expect(lit.outcome == .delivered)
    #expect(lit.ranging == 25)
  }

  @Test func noScanWithoutTheLocationSwitch() {
    let walk = Walk(os: "android12", strategy: "altbeacon-foreground-service")
    #expect(walk.follow([(0, 50), (50, 0)], [(30, .locationServices(false))]).outcome == .locationOff)
  }

  @Test func dozePutsItOffUntilThePhoneMoves() {
    let walk = Walk(os: "android8", strategy: "altbeacon-foreground-service")
    let path: [(Double, Double?)] = [(0, 30), (4000, 30), (4030, 0), (5000, 0)]
    let result = walk.follow(path, [(0, .still(true)), (4500, .still(false))])
    #expect(result.verdicts.first?.blockedBy == .dozeDeferred)
    #expect(result.delivered == 4500)
    #expect(walk.follow(path, [(0, .still(true))]).ranging == 3600)
  }

  /// Jobs begin every 900 s, cycles every 310 s. Doze begins at 3600 s and puts off what begins later.
  @Test(
    arguments: [
      ("android8", "altbeacon-job", 5000.0, PhoneEvent.still(false), [0, 900, 1800, 2700, 5000, 5900]),
      ("android8", "altbeacon-job", 5000, .screen(true), [0, 900, 1800, 2700, 5000, 5900]),
      ("android8", "altbeacon-job", 3500, .still(false), [0, 900, 1800, 2700, 3600, 4500, 5400]),
      ("android5", "altbeacon-legacy", 5000, .still(false), [3410, 5000, 5310, 5620, 5930]),
      ("android5", "altbeacon-legacy", 3700, .still(false), [3410, 3720, 4030]),
    ] as [(String, String, Double, PhoneEvent, [Double])])
  func whatDozePutOffRunsWhenItEnds(
    os: String, strategy: String, at time: Double, event: PhoneEvent, expected: [Double]
  ) {
    let result = Walk(os: os, strategy: strategy).follow(
      [(0, 30), (6000, 30)], [(0, .still(true)), (time, event)])
    let told = starts(result).filter { strategy == "altbeacon-job" || $0 > 3200 }
    #expect(Array(told.prefix(expected.count)) == expected)
  }

  @Test func openingTheAppEndsDoze() {
    let result = Walk(os: "android8", strategy: "altbeacon-job").follow(
      [(0, 30), (7000, 30)], [(0, .still(true)), (5000, .foreground), (5100, .lowMemory)])
    #expect(Array(starts(result).suffix(2)) == [5900, 6800])
  }

  @Test func aBucketsAllowanceRunsOut() {
    let walk = Walk(
      os: "android8", strategy: "altbeacon-job",
      changeStrategy: {
        $0[.scanPeriod] = 300_000
        $0[.bucketPeriod] = 7_200_000
      })
    let result = walk.follow([(0, 30), (7300, 30)])
    // Two jobs of 300 s use the 10 min up; the next period begins at 7200 s.
    #expect(starts(result) == [0, 900, 7200])
    #expect(walk.follow([(0, 30), (1900, 30), (1930, 0)]).outcome == .bucketExhausted)
  }
}
