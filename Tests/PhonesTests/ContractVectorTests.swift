import Phones
import Testing

/// The vectors about audio, the task contract, location and samples, by their numbers.
@Suite struct ContractVectorTests {
  @Test func v1a_audioPausesRanging() {
    let walk = Walk(strategy: "location-when-in-use")
    let result = walk.follow([], [(0, .background), (60, .audio(true)), (180, .audio(false))], until: 300)
    #expect(result.ranging == 180)
    #expect(result.totals.windows == 2)
    #expect(result.intervals.map(\.state) == [.ranging, .background, .ranging])
  }

  @Test func v1b_nearWhileAudioPlays() {
    let walk = Walk(strategy: "location-when-in-use")
    let events: [(Double, PhoneEvent)] = [(0, .background), (60, .audio(true)), (180, .audio(false))]
    let stays = walk.follow([(0, 50), (119, 50), (120, 3)], events, until: 300)
    // 50 m to 3 m within a second: 4 m is passed at 119.979 s.
    #expect(stays.crossed == 119.979)
    #expect(stays.delivered == 180)
    #expect(stays.outcome == .deliveredLate)
    #expect(stays.verdicts.first?.blockedBy == .audioPause)

    let steps = walk.follow([(0, 50), (120, 50), (120, 3), (170, 3), (170, 50)], events, until: 300)
    #expect(steps.crossed == 120)
    #expect(steps.outcome == .audioPause)
    #expect(seconds(steps.verdicts.first?.time) == 170)
  }

  @Test func v1c_withoutLocationTenSecondsAreLeft() {
    for strategy in ["location-when-in-use", "location-always"] {
      let never = Walk(strategy: strategy, changeStrategy: { $0[.startsLocation] = false })
      let stopped = Walk(strategy: strategy)
      for result in [
        never.approach(50, at: 1), stopped.follow([(0, 50), (50, 0)], [(0, .location(false))]),
      ] {
        #expect(result.closed == 10)
        #expect(result.ranging == 10)
        #expect(result.outcome == .noLocationSession)
      }
    }
  }

  @Test func v1c_theSameWithoutModeOrFlag() {
    for change: @Sendable (inout StrategyProfile) -> Void in [
      { $0[.hasBackgroundMode] = false }, { $0[.allowsBackgroundUpdates] = false },
    ] {
      let result = Walk(os: "ios9", strategy: "location-always", changeStrategy: change).approach(50, at: 1)
      #expect(result.ranging == 10)
      #expect(result.outcome == .noLocationSession)
    }
  }

  @Test(arguments: ["stock", "background-task"])
  func v2a_threeBeginsTwoEnds(strategy: String) {
    // The task of the strategy's own has a handler, which ends that one only.
    let result = Walk(strategy: strategy).follow(
      [], [(0, .background), (0, .begin(1)), (0, .begin(2)), (0, .begin(3)), (5, .end(1)), (6, .end(3))])
    #expect(result.closed == 180)
    #expect(result.outcome == .taskLeakKilled)
    #expect(result.intervals.last?.from == 181_000)
    #expect(result.tasks.leaks == 1)
  }

  @Test(arguments: [(5.0, 10.0), (60, 60)])
  func v2b_threeBeginsThreeEnds(lastEnd: Double, expected: Double) {
    let result = Walk().follow(
      [],
      [
        (0, .regionEnter), (0, .begin(1)), (0, .begin(2)), (1, .begin(3)), (2, .end(2)), (3, .end(1)),
        (lastEnd, .end(3)),
      ], until: 100)
    #expect(result.closed == expected)
    #expect(result.state(at: expected) == .suspended)
    #expect(result.tasks.leaks == 0)
  }

  @Test func v2d_anInvalidTaskLeavesTheGrace() {
    let refused = Walk(strategy: "background-task", changeStrategy: { $0[.taskGranted] = false })
    let told = Walk()
    for result in [
      refused.approach(50, at: 1), told.follow([(0, 50), (50, 0)], [(0, .begin(1, granted: false))]),
    ] {
      #expect(result.closed == 10)
      #expect(result.outcome == .taskRefused)
      #expect(result.tasks.refusals == 1)
    }
  }

  @Test func v2e_anOverwrittenIdentifierLeaks() {
    let result = Walk().follow(
      [(0, 50), (250, 0)], [(0, .background), (0, .begin(1)), (1, .begin(1)), (2, .end(1))])
    #expect(result.tasks.leaks == 1)
    #expect(result.tasks.ends == 1)
    // Region enter at 0: zero at 190 s, killed at 191 s.
    #expect(result.closed == 190)
    #expect(result.outcome == .taskLeakKilled)

    let unguarded = Walk(strategy: "background-task", changeStrategy: { $0[.guardsTask] = false })
    let twice = unguarded.follow([(0, 40), (400, 40)], [(0, .regionEnter), (50, .regionEnter)])
    #expect(twice.outcome == .taskLeakKilled)
    #expect(twice.closed == 240)
  }

  @Test func v3a_alwaysRangesAllDay() {
    let result = Walk(strategy: "location-always").follow([(0, 1), (86_400, 1)])
    #expect(result.ranging == 86_400)
    #expect(result.batteryFactor == 2.0)
    #expect(result.closing == nil)
  }

  @Test func v3b_aRebootEndsIt() {
    let result = Walk(strategy: "location-always").follow([(0, 1), (86_400, 1)], [(3600, .reboot)])
    #expect(result.ranging == 3600)
    #expect(result.closed == 3600)
    #expect(result.closing?.why == .reboot)
    #expect(result.windows.last?.why == .reboot)
    let later = Walk(strategy: "location-always").follow(
      [(0, 20), (4000, 20), (4100, 1), (86_400, 1)], [(3600, .reboot)])
    #expect(later.outcome == .reboot)
  }

  @Test func v4a_tenSamplesInTenMinutes() {
    let walk = Walk(strategy: "task-list-sampled", changeStrategy: { $0[.timerFromFix] = false })
    let result = walk.follow([], [(0, .background)], until: 600)
    #expect(result.totals.samples == 10)
    #expect(result.totals.location == 100_000)
    // Location comes in samples; the process, and with it ranging, goes on.
    #expect(result.ranging == 600)
    let adds = walk.follow(
      [], (1...5).map { (Double($0), .begin($0 < 3 ? 1 : 2)) }, until: 9, start: .foreground)
    #expect(adds.tasks.held.count == 1)
    #expect(adds.tasks.ends == 4)
  }

  @Test func v4b_aTimerLongerThanTheTaskFreezes() {
    let walk = Walk(strategy: "task-list-sampled", changeStrategy: { $0[.sampleInterval] = 200_000 })
    let result = walk.follow([], [(0, .background)], until: 600)
    #expect(result.totals.samples == 1)
    #expect(result.outcome == .timerFrozen)
    // W keeps it alive for 10 s, the task for 176 s after.
    #expect(result.closed == 186)
    #expect(walk.approach(50, at: 0.2).outcome == .timerFrozen)
  }

  @Test func v5a_thirtySecondTasks() {
    let result = Walk(os: "ios13", strategy: "background-task").approach(50, at: 1)
    #expect(result.closed == 36)
    #expect(result.timeline.distance(at: 36_000) == 14)
    #expect(result.outcome == .taskExpired)
    let noMargin = Walk(
      os: "ios13", strategy: "background-task", changeOS: { $0[.expirationMargin] = 0 }
    ).approach(50, at: 1)
    #expect(noMargin.closed == 40)
    #expect(noMargin.outcome == .taskExpired)
  }

  @Test func v5b_aFasterWalkMakesIt() {
    let result = Walk(os: "ios13", strategy: "background-task").approach(50, at: 1.4)
    #expect(result.crossed == 32.858)
    #expect(result.delivered == 33)
    #expect(result.outcome == .delivered)
  }
}
