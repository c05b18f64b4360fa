import Phones
import Testing

/// Rules of the platforms beyond the vectors.
@Suite struct PlatformRuleTests {
  @Test func noBeaconsOnIOS6ButItsTasksLast600Seconds() {
    let walk = Walk(os: "ios6", strategy: "background-task")
    #expect(walk.approach(50, at: 1).outcome == .rangingUnsupported)
    let result = walk.follow([], [(0, .background)])
    #expect(result.closed == 596)
    #expect(result.intervals.map(\.state) == [.background, .suspended])
  }

  /// S3: ranging "generally stops after 10 s". The device log of S0 has no such grace once a task was begun.
  @Test(arguments: [("stock", 110.0), ("background-task", 126)])
  func foregroundRangingContinuesForAWhileInTheBackground(strategy: String, closed: Double) {
    let result = Walk(os: "ios17", strategy: strategy).follow(
      [], [(0, .foreground), (100, .background)], until: 200)
    #expect(result.closed == closed)
  }

  @Test func `with Background App Refresh off no event wakes the app, but it ranges on while it runs`() {
    let walk = Walk(os: "ios17", changeOS: { $0[.wakesForRegions] = false })
    let asleep = walk.approach(50, at: 1)
    #expect(asleep.outcome == .backgroundRefreshOff && asleep.ranging == 0)
    let open = walk.follow([(0, 60), (30, 0)], [(0, .foreground), (20, .background)], until: 60)
    #expect(open.outcome == .delivered)
  }

  @Test func `a false exit is taken back by an enter, and each wakes the app`() {
    let walk = Walk(
      os: "ios17",
      changeOS: {
        $0[.falseExitAfter] = 60_000
        $0[.falseExitLength] = 20_000
      })
    let result = walk.follow([(0, 20), (200, 20)])
    let told = result.history.facts.filter { [.regionEnter, .regionExit].contains($0.what) }
    #expect(told.map { seconds($0.time) } == [0, 60, 80, 140, 160])
    #expect(result.ranging == 50)
    // Out of earshot an exit is a real one.
    let leaving = walk.follow([(0, 20), (30, nil), (100, nil)])
    #expect(leaving.history.facts.filter { $0.what == .regionExit }.map { seconds($0.time) } == [30])
  }

  @Test func `a beacon that advertises too seldom is noticed only while the screen is on`() {
    let walk = Walk(
      os: "ios17", variant: .observed, changeStrategy: { $0[.advertisingInterval] = 5000 })
    #expect(walk.approach(50, at: 1).outcome == .notDetected)
    let lit = walk.follow([(0, 30), (200, 0)], [(150, .screen(true))])
    #expect(seconds(lit.totals.detected) == 151)
    #expect(walk.profile.constants(["heard_distance"]).map(\.name).contains("unheard_interval"))
  }

  @Test func `ranging callbacks come without a beacon that has not advertised since the last one`() {
    let slow = Walk(strategy: "background-task", changeStrategy: { $0[.advertisingInterval] = 5000 })
    let result = slow.follow([(0, 50), (47, 3), (60, 3)])
    #expect(result.verdicts.first?.blockedBy == .emptyTick)
    #expect(result.delivered == 50)
    #expect(slow.follow([(0, 50), (46, 4), (47, 3), (48, 5), (60, 20)]).outcome == .emptyTick)
    // Also in the foreground, and for an interval that is no multiple of a second.
    let odd = Walk(changeStrategy: { $0[.advertisingInterval] = 2500 })
    #expect(odd.follow([(0, 50), (46, 4), (60, 3)], [(0, .foreground)]).delivered == 48)
    #expect(Walk().follow([(0, 50), (46, 4), (60, 3)], [(0, .foreground)]).delivered == 46)
  }

  @Test func anAppThatDoesNotRangeIsSuspendedAtOnce() {
    let walk = Walk(os: "ios17", changeStrategy: { $0[.rangingStarted] = false })
    #expect(walk.follow([], [(0, .foreground), (100, .background)], until: 200).closed == 100)
    let denied = Walk(os: "ios17").follow(
      [], [(0, .foreground), (50, .permission(.denied)), (100, .background)], until: 200)
    #expect(denied.closed == 100)
  }

  @Test func onlyTheFirstStepIntoTheBackgroundCounts() {
    let result = Walk(os: "ios17").follow(
      [], [(0, .foreground), (100, .background), (150, .background)], until: 200)
    #expect(result.closed == 110)
  }

  /// Core Location: region monitoring wakes an app with the permission for always only.
  @Test(arguments: [("ios7", 10.0), ("ios8", 0), ("ios13", 0), ("ios17", 0)])
  func whenInUseGetsNoRegionWakeUps(os: String, ranged: Double) {
    let result = Walk(os: os).follow(
      [(0, 60), (10, 60), (70, 0)], [(0, .background), (0, .permission(.whenInUse))], start: .background)
    #expect(seconds(result.totals.ranging) == ranged)
    #expect(result.verdicts.first?.outcome == (ranged > 0 ? .graceExpired : .authDenied))
  }

  @Test(arguments: [("ios7", true), ("ios9", false), ("ios17", false)])
  func whenInUseContinuesALocationSessionThatBeganInTheForeground(os: String, isAliveFromBackground: Bool) {
    let walk = Walk(os: os, strategy: "location-when-in-use")
    let permission = (0.0, PhoneEvent.permission(.whenInUse))
    let continued = walk.follow([(0, 2), (500, 2)], [permission, (100, .background)], start: .foreground)
    #expect(continued.windows.last?.state == .ranging)
    let begun = walk.follow(
      [(0, 2), (500, 2)],
      [permission, (50, .location(false)), (100, .background), (105, .location(true))], start: .foreground)
    #expect((begun.windows.last?.state == .ranging) == isAliveFromBackground)
  }

  @Test func `a verdict hangs on the rules of its own platform only`() throws {
    let expired = Walk(os: "ios17", strategy: "background-task").approach(50, at: 1)
    #expect(expired.outcome == .taskExpired)
    #expect(
      Set(expired.decidingConstants.map(\.name)) == ["grace", "task_cap", "expiration_margin"])
    let stopped = Walk(os: "android8", strategy: "altbeacon-legacy").approach(50, at: 0.02)
    #expect(stopped.outcome == .taskExpired)
    #expect(stopped.decidingConstants.map(\.name) == ["service_limit"])
    let unheard = Walk(os: "android14", strategy: "altbeacon-foreground-service").approach(50, at: 1)
    #expect(unheard.decidingConstants.map(\.name) == ["tick_period"])
  }

  @Test func `a withheld event hangs on the rules of the permission, and a denied permission on none`() {
    func names(_ permission: Permission) -> [String] {
      Walk(os: "ios18", strategy: "cl-monitor").follow(
        [(0, 60), (10, 60), (70, 0)], [(0, .permission(permission))], start: .background
      ).decidingConstants.map(\.name)
    }
    #expect(
      names(.whenInUse) == ["tells_when_in_use_apart", "needs_service_session", "holds_service_session"])
    #expect(names(.denied) == [])
  }

  /// What S4 samples location for.
  @Test(arguments: [(3000.0, 1.0), (100, 1.2), (10, 2)])
  func locationCostsByItsAccuracyAndItsTime(accuracy: Double, factor: Double) {
    func cost(_ strategy: String, location seconds: Double) -> Double {
      let walk = Walk(
        strategy: strategy,
        changeStrategy: {
          $0[.locationAccuracy] = Micrometres(accuracy * 1e6)
          $0[.rangingStarted] = false
        })
      return walk.follow([], [(seconds, .location(false))], until: 3600, start: .foreground).batteryFactor
    }
    #expect(abs(cost("location-always", location: 3600) - factor) < 1e-9)
    #expect(abs(cost("location-always", location: 600) - (1 + (factor - 1) / 6)) < 1e-9)
    let sampled = Walk(
      strategy: "task-list-sampled", variant: .observed,
      changeStrategy: {
        $0[.locationAccuracy] = Micrometres(accuracy * 1e6)
        $0[.rangingStarted] = false
      }
    ).follow([], [(0, .background)], until: 3600, start: .foreground)
    // Ten seconds of each minute.
    #expect(abs(sampled.batteryFactor - (1 + (factor - 1) / 6)) < 1e-9)
  }

  @Test(arguments: [("ios7", true), ("ios8", true), ("ios9", false), ("ios13", false)])
  func theFlagForLocationInTheBackgroundCountsFromIOS9On(os: String, isAlive: Bool) {
    let walk = Walk(
      os: os, strategy: "location-when-in-use", changeStrategy: { $0[.allowsBackgroundUpdates] = false })
    let result = walk.follow([(0, 2), (500, 2)], [(0, .foreground), (100, .background)])
    #expect((result.windows.last?.state == .ranging) == isAlive)
  }

  @Test func observedLatenciesShiftTheWindow() {
    let result = Walk(variant: .observed).approach(50, at: 1)
    #expect(result.totals.detected == 1000)
    #expect(result.closed == 11)
  }

  @Test(arguments: [("ios7", 3.0), ("ios13", 30)])
  func anExitComesAfterSilenceAndIsCalledOffByHearing(os: String, latency: Double) {
    let walk = Walk(os: os, variant: .observed)
    let left = walk.follow([(0, 40), (60, 40), (60, 60), (200, 60)])
    #expect(left.windows.filter { $0.state == .ranging }.map(\.time) == [1000, ms(60 + latency)])
    let returned = walk.follow([(0, 40), (60, 40), (60, 60), (62, 60), (62, 40), (200, 40)])
    #expect(returned.totals.windows == 1)
  }

  @Test func theTwentyFirstRegionIsNotMonitored() {
    let walk = Walk(changeStrategy: { $0[.regionRank] = 21 })
    #expect(walk.approach(50, at: 1).outcome == .regionLimit)
    #expect(Walk(changeStrategy: { $0[.regionRank] = 20 }).approach(50, at: 1).totals.detected == 0)
  }

  @Test func withoutAHardwareSlotDetectionTakes15Minutes() {
    let walk = Walk(changeStrategy: { $0[.slotsTaken] = 30 })
    let result = walk.approach(50, at: 1, stay: 1000)
    #expect(result.verdicts.first?.blockedBy == .slowSlot)
    #expect(result.delivered == 900)
    #expect(walk.approach(50, at: 1).outcome == .slowSlot)
  }

  @Test func screenOnInsideTheRegionWakesTheAppIfAsked() {
    let walk: [(Double, Double?)] = [(0, 50), (50, 0), (60, 0)]
    let asked = Walk(changeStrategy: { $0[.notifiesOnDisplay] = true })
    let result = asked.follow(walk, [(45, .screen(true))])
    #expect(result.outcome == .delivered)
    #expect(result.closed == 55)
    #expect(Walk().follow(walk, [(45, .screen(true))]).outcome == .graceExpired)
  }

  @Test(arguments: [("ios7.0", Variant.seed, false), ("ios7", .seed, true), ("ios17", .observed, false)])
  func forceQuit(os: String, variant: Variant, relaunches: Bool) {
    let result = Walk(os: os, strategy: "background-task", variant: variant).follow(
      [(0, 80), (10, 80), (90, 0)], [(5, .forceQuit)])
    #expect((result.outcome == .forceQuit) == !relaunches)
  }

  @Test func monitoringGoesOnAfterAReboot() {
    let result = Walk(strategy: "background-task").follow([(0, 80), (10, 80), (90, 0)], [(5, .reboot)])
    #expect(result.outcome == .delivered)
  }

  @Test func bluetoothOffAndOnGivesNoEvent() {
    let away = Walk(strategy: "background-task").follow(
      [(0, 80), (80, 0), (300, 0)], [(10, .bluetooth(false)), (50, .bluetooth(true))])
    #expect(away.outcome == .stateUnknownNoEvent)
    let off = Walk(strategy: "background-task").follow([(0, 50), (50, 0)], [(40, .bluetooth(false))])
    #expect(off.outcome == .bluetoothOff)
  }

  @Test(arguments: [
    (Permission.denied, Reason.authDenied), (.restricted, .authDenied), (.reducedAccuracy, .reducedAccuracy),
  ])
  func withoutPermissionNothingRanges(permission: Permission, reason: Reason) {
    let result = Walk(os: "ios17", strategy: "location-always").follow(
      [(0, 50), (50, 0)], [(20, .permission(permission))])
    #expect(result.outcome == reason)
    #expect(result.ranging == 20)
  }

  @Test func reducedAccuracyIsUnknownBeforeIOS14() {
    let result = Walk(strategy: "background-task").follow(
      [(0, 50), (50, 0)], [(0, .permission(.reducedAccuracy))])
    #expect(result.outcome == .delivered)
  }

  @Test func iOS16RefusesTheOldLocationRecipeWhereObserved() {
    for strategy in ["location-always", "location-when-in-use"] {
      let seen = Walk(os: "ios16.4", strategy: strategy, variant: .observed).approach(50, at: 1)
      #expect(seen.outcome == .locationConfigRejected)
      #expect(Walk(os: "ios16.4", strategy: strategy).approach(50, at: 1).outcome == .delivered)
    }
  }

  @Test func anActivitySessionMustBeginInTheForeground() {
    let walk = Walk(os: "ios17", strategy: "activity-session", variant: .observed)
    #expect(walk.approach(50, at: 1).outcome == .delivered)
    let late = walk.follow(
      [(0, 50), (50, 0)], [(0, .location(false)), (5, .location(true))])
    #expect(late.outcome == .noLocationSession)
  }

  @Test func locationPausesItselfOnlyWhereAllowed() {
    let events: [(Double, PhoneEvent)] = [(0, .still(true))]
    let path: [(Double, Double?)] = [(0, 30), (1000, 30), (1100, 0)]
    let paused = Walk(strategy: "location-when-in-use", variant: .observed).follow(path, events)
    #expect(paused.outcome == .locationAutoPaused)
    #expect(paused.closed == 900)
    #expect(Walk(strategy: "location-always", variant: .observed).follow(path, events).outcome == .delivered)
  }

  @Test func lowPowerHearsTheBeaconTooLateOrNever() {
    let weak = Walk(strategy: "low-power", changeStrategy: { $0[.heardDistance] = 2_000_000 })
    let result = weak.approach(50, at: 1)
    #expect(result.totals.detected == 48_000)
    #expect(result.outcome == .deliveredLate)
    #expect(seconds(result.verdicts.first?.lateness) == 2)
    #expect(weak.follow([(0, 50), (47, 3), (100, 3)]).outcome == .notDetected)
  }

  @Test func emptyCallbacksDelayDelivery() {
    let walk = Walk(strategy: "background-task", changeOS: { $0[.emptyTicksPerTen] = 3 })
    let result = walk.approach(50, at: 1)
    #expect(result.verdicts.first?.blockedBy == .emptyTick)
    #expect(result.delivered == 47)
    #expect(result.outcome == .deliveredLate)
  }

  @Test func aLaterApproachIsDecidedAnew() {
    let path: [(Double, Double?)] = [(0, 50), (50, 0), (60, 0), (120, 60), (170, 0), (180, 0)]
    let result = Walk(strategy: "background-task").follow(path)
    #expect(result.verdicts.map(\.outcome) == [.delivered, .delivered])
  }

  @Test func anEventExactlyAtExpiryRescuesTheApp() {
    let result = Walk(strategy: "background-task").follow([], [(0, .regionEnter), (186, .regionExit)])
    #expect(result.intervals.first.map { $0.to } == ms(186 + 186))
    #expect(result.tasks.begins == 1)
  }
}
