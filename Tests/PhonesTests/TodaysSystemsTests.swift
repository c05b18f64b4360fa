import Phones
import Testing

/// iOS 17 to 26 and Android 12 to 16, with the interfaces that came with them.
@Suite struct TodaysSystemsTests {
  @Test(arguments: [
    ("iOS 12", "ios9"), ("iOS 15", "ios13"), ("iOS 18", "ios18"), ("iOS 20", "ios18"), ("iOS 26", "ios26"),
    ("Android 15", "android15"), ("Android 17", "android16"),
  ])
  func aVersionWithoutAProfileHasTheNewestUpToIt(version: String, name: String) {
    #expect(Catalogue.systemName(for: version) == name)
  }

  @Test(arguments: [("ios16.4.1", "ios16.4"), ("ios8.4.1", "ios8"), ("iOS 7.0.1", "ios7.0")])
  func aThirdPartOfAVersionCountsForNothing(version: String, name: String) {
    #expect(Catalogue.systemName(for: version) == name)
  }

  @Test(arguments: ["ios0x11", "ios1e3", "ios", "ios17.", "ios1.2.3.4.5", "ios٣"])
  func anInvalidVersionIsRejected(version: String) {
    #expect(Catalogue.systemName(for: version) == nil)
  }

  /// What an app's CI is told must name what decided.
  @Test func anAndroidPhonesEvidenceNamesItsEvents() {
    let result = Walk(os: "android14", strategy: "altbeacon-foreground-service").follow(
      [(0, 20), (16, 4), (20, 4)], [(5, .background), (7, .locationServices(false)), (8, .screen(false))])
    let facts = result.verdicts.first?.evidence.map(\.what) ?? []
    #expect(result.outcome == .locationOff)
    #expect(facts.contains(.locationSwitchedOff) && facts.contains(.screenOff))
  }

  @Test func aMonitorGivesTheTimeOfRegionEvents() {
    let result = Walk(os: "ios17", strategy: "cl-monitor").approach(50, at: 1)
    #expect(result.closed == 10)
    #expect(result.outcome == .graceExpired)
  }

  @Test func anAppThatDoesNotAwaitEventsIsRelaunchedForNothing() {
    func outcome(awaits: Bool) -> Reason? {
      Walk(os: "ios17", strategy: "cl-monitor", changeStrategy: { $0[.awaitsEvents] = awaits })
        .follow([(0, 80), (10, 80), (16, 50), (28, 2)], [(5, .lowMemory)]).outcome
    }
    #expect(outcome(awaits: true) == .graceExpired)
    #expect(outcome(awaits: false) == .lowMemory)
  }

  /// iOS 18: the permission for always counts while a service session states the need for it.
  @Test(arguments: [("ios17", 10.0), ("ios18", 0), ("ios26", 0)])
  func withoutAServiceSessionNoEventWakesTheApp(os: String, ranged: Double) {
    let walk = Walk(
      os: os, strategy: "cl-monitor", changeStrategy: { $0[.holdsServiceSession] = false })
    #expect(walk.approach(50, at: 1).ranging == ranged)
  }

  @Test func liveUpdatesPauseWhileThePhoneLiesStillAndGoOnWhenItMoves() {
    let walk = Walk(os: "ios18", strategy: "live-updates", variant: .observed)
    let path: [(Double, Double?)] = [(0, 20), (1000, 20), (1020, 0)]
    let lying = walk.follow(path, [(0, .background), (10, .still(true))])
    #expect(lying.outcome == .locationAutoPaused)
    #expect(lying.closed == 310)
    let moving = walk.follow(path, [(0, .background), (10, .still(true)), (900, .still(false))])
    #expect(moving.outcome == .delivered)
    // Apple does not say after how long, and the verdict says that it hangs on it.
    #expect(lying.decidingConstants.contains { $0.name == "stationary_after" && $0.confidence == .low })
  }

  @Test func aLiveActivityGivesNoRanging() {
    #expect(
      Walk(os: "ios17", strategy: "live-activity").approach(50, at: 1).ranging
        == Walk(os: "ios17").approach(50, at: 1).ranging)
    let old = Catalogue.system(named: "ios13", variant: .seed)!
    let strategy = Catalogue.strategy(named: "live-activity", variant: .seed)!
    #expect(PhoneProfile.mismatch(os: old, strategy: strategy) == "live-activity needs iOS 16.1, not ios13")
  }

  @Test(arguments: [("android8", true), ("android12", false), ("android16", false)])
  func neverForLocationFiltersBeaconsOut(os: String, isDelivered: Bool) {
    let result = Walk(
      os: os, strategy: "altbeacon-intent", changeStrategy: { $0[.neverForLocation] = true }
    ).approach(50, at: 1)
    #expect(result.outcome == (isDelivered ? .delivered : .neverForLocation))
  }

  @Test(arguments: [("android14", 30_000.0), ("android15", 21_600), ("android16", 21_600)])
  func aServiceOfTheTypeDataSyncEndsAfterSixHours(os: String, ranged: Double) {
    let walk = Walk(
      os: os, strategy: "altbeacon-foreground-service", changeStrategy: { $0[.dataSync] = true })
    #expect(walk.follow([], [(0, .background)], until: 30_000).ranging == ranged)
  }

  @Test(arguments: [("android8", false), ("android12", true)])
  func presenceOfACompanionWakesTheApp(os: String, exists: Bool) {
    let profile = PhoneProfile(
      os: Catalogue.system(named: os)!, strategy: Catalogue.strategy(named: "companion-presence")!)
    #expect((profile != nil) == exists)
    if exists {
      #expect(Walk(os: os, strategy: "companion-presence").approach(50, at: 1).outcome == .delivered)
    }
  }
}
