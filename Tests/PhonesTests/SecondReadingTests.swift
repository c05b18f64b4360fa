import Phones
import Testing

/// What the second reading of the documents found: tasks of their own, audio, fetch, several beacons, timers.
@Suite struct SecondReadingTests {
  /// S3, step 3: a task beside location matters when location ends.
  @Test(arguments: [("ios7", 276.0), ("ios17", 126)])
  func whenLocationStopsTheTaskBesideItGoesOn(os: String, closed: Double) {
    let result = Walk(os: os, strategy: "location-always").follow(
      [], [(0, .foreground), (50, .background), (100, .location(false))], until: 400)
    #expect(result.closed == closed)
    #expect(result.tasks.begins == 1)
  }

  @Test func aSessionThatNeverRanInTheBackgroundHasNoTaskBesideIt() {
    let walk = Walk(strategy: "location-always", changeStrategy: { $0[.hasBackgroundMode] = false })
    #expect(walk.approach(50, at: 1).tasks.begins == 0)
  }

  /// S4, as the text has it and as its public analogue has it.
  @Test(arguments: [(Variant.seed, 9), (.observed, 10)])
  func theSamplingTimerIsArmedAtTheFixOrAtTheStart(variant: Variant, samples: Int) {
    let result = Walk(strategy: "task-list-sampled", variant: variant).follow(
      [], [(0, .background)], until: 600)
    #expect(result.totals.samples == samples)
  }

  @Test func fromFixToFixItTakesTimerWindowAndTheTimeToTheFix() {
    let walk = Walk(strategy: "task-list-sampled", changeOS: { $0[.fixLatency] = 3000 })
    let starts = walk.follow([], [(0, .background)], until: 230).history.locating.map(\.lowerBound)
    #expect(starts == [0, 73_000, 146_000, 219_000])
  }

  /// S2: each `begin` has its own expiration handler.
  @Test func aTaskWithAHandlerEndsItselfBesideTheOwnOneOfTheStrategy() {
    let result = Walk(strategy: "background-task").follow(
      [], [(0, .background), (0, .begin(1, handler: true))], until: 300)
    #expect(result.tasks.begins == 2)
    #expect(result.tasks.ends == 2)
    #expect(result.closed == 176)
    let handlers = result.history.facts.filter { $0.what == .handlerRan }
    #expect(handlers.map(\.time) == [176_000, 176_000])
    // In the order in which the tasks were begun.
    #expect(handlers.map(\.task?.rawValue) == [-1, 1])
  }

  @Test func oneTaskWithoutAHandlerKillsTheApp() {
    let result = Walk(strategy: "background-task").follow(
      [], [(0, .background), (0, .begin(1, handler: true)), (0, .begin(2))], until: 300)
    #expect(result.tasks.ends == 2)
    #expect(result.closed == 180)
    #expect(result.outcome == .taskLeakKilled)
  }

  @Test func endingAWebCallsTaskLeavesTheRangingTask() {
    let result = Walk(strategy: "background-task").follow(
      [], [(0, .background), (0, .begin(1)), (20, .end(1))], until: 300)
    #expect(result.closed == 176)
  }

  /// Live, the app reports its own tasks, so that the strategy's guess would count them twice.
  @Test func whereTasksAreReportedTheStrategyBeginsNone() {
    var engine = Walk(strategy: "background-task").engine(start: .foreground)
    engine.takeReportedTasks()
    var output = PolicyOutput()
    engine.apply(.background, at: 0, into: &output)
    engine.apply(.begin(1), at: 1000, into: &output)
    engine.apply(.end(1), at: 20_000, into: &output)
    engine.advance(through: 20_000, into: &output)
    #expect(engine.window.state == .suspended)
  }

  /// The window of a granted task ends by expiry, whatever was refused beside it.
  @Test func aGrantedTaskCountsForMoreThanARefusedOne() {
    let result = Walk(os: "ios17").follow(
      [(0, 20), (60, 4)],
      [(0, .regionEnter), (0, .begin(1, handler: true)), (5, .begin(2, granted: false))])
    #expect(result.outcome == .taskExpired)
  }

  /// Core Location: location begun in the background gives nothing to an app that is permitted only when in use.
  @Test func samplesThatBeginInTheBackgroundGetNoLocationWhenInUse() {
    let result = Walk(os: "ios9", strategy: "task-list-sampled").follow(
      [(0, 20), (400, 20)], [(0, .permission(.whenInUse)), (0, .foreground), (50, .background)])
    let unlimited = result.windows.filter { $0.time > 50_000 && $0.state == .ranging && $0.expires == nil }
    #expect(unlimited.isEmpty)
    #expect(result.closed == 236)
    let always = Walk(os: "ios9", strategy: "task-list-sampled").follow(
      [(0, 20), (400, 20)], [(0, .foreground), (50, .background)])
    #expect(always.state(at: 399) == .ranging)
  }

  @Test func anAppInTheForegroundAtZeroWasNeverInTheBackground() {
    let result = Walk(strategy: "task-list-sampled").follow([], [(0, .foreground), (100, .background)])
    #expect(result.tasks.begins == 1)
    #expect(result.history.facts.count { $0.what == .enteredBackground } == 1)
  }

  @Test func anAppWithTheAudioModeRunsAsLongAsItPlays() {
    let events: [(Double, PhoneEvent)] = [(0, .foreground), (50, .audio(true)), (60, .background)]
    let plays = Walk(os: "ios17").follow([], events + [(600, .audio(false))], until: 700)
    #expect(plays.closed == 600)
    #expect(plays.remaining(at: 599_999) == nil)
    let silent = Walk(os: "ios17", changeStrategy: { $0[.hasAudioMode] = false }).follow(
      [], events, until: 700)
    #expect(silent.closed == 70)
  }

  /// A suspended app cannot begin to play: that is another app's music.
  @Test func anotherAppsMusicKeepsNoAppAlive() {
    let result = Walk().follow([], [(0, .regionEnter), (50, .audio(true))], until: 300)
    #expect(result.ranging == 10)
  }

  @Test func aBackgroundFetchGivesThirtySeconds() {
    let result = Walk().follow([], [(0, .regionEnter), (100, .backgroundFetch)], until: 300)
    #expect(result.ranging == 40)
    #expect(result.closing?.time == 130_000)
    let quit = Walk().follow([], [(50, .forceQuit), (100, .backgroundFetch)], until: 300)
    #expect(quit.ranging == 0)
    let ended = Walk().follow([], [(50, .lowMemory), (100, .backgroundFetch)], until: 300)
    #expect(ended.ranging == 30)
  }

  /// S1: a callback at every change, not one a second.
  @Test func callbacksAtEveryChangeDeliverSooner() {
    let walk: [(Double, Double?)] = [(0, 50), (47.25, 2.75)]
    #expect(Walk(os: "ios7-changes", near: 3_050_000).follow(walk, [(40, .regionEnter)]).delivered == 47)
    let changes = Walk(os: "ios7-changes", strategy: "background-task", near: 3_050_000).follow(walk)
    let everySecond = Walk(strategy: "background-task", near: 3_050_000).follow(walk, until: 60)
    #expect(changes.crossed == 46.95)
    #expect(changes.delivered == 47)
    #expect(everySecond.delivered == 47)
    let fine = Walk(
      strategy: "background-task", near: 3_050_000, changeOS: { $0[.tickPeriod] = 1 },
      changeStrategy: { $0[.advertisingInterval] = 1 })
    #expect(fine.follow(walk).delivered == 46.95)
  }

  @Test func eachBeaconHasItsOwnNearAndTheRegionIsOne() {
    let timeline = Timeline(
      events: [],
      waypoints: [
        .init(time: 0, distance: 60_000_000), .init(time: 60_000, distance: 0),
        .init(time: 30_000, distance: 20_000_000, beacon: 1), .init(time: 34_000, distance: 0, beacon: 1),
      ],
      beacons: [.init(name: nil), .init(name: "exhibit")], end: 70_000)
    let result = Walk(strategy: "background-task").follow(timeline)
    #expect(result.verdicts.map(\.beacon) == [1, 0])
    #expect(result.verdicts.map(\.crossed) == [33_200, 56_000])
    #expect(result.verdicts.allSatisfy { $0.outcome == .delivered })
    #expect(result.history.facts.count { $0.what == .regionEnter } == 1)
  }

  @Test func aBeaconOfAnotherUUIDIsNeverSeen() {
    let timeline = Timeline(
      events: [], waypoints: [.init(time: 0, distance: 50_000_000), .init(time: 50_000, distance: 0)],
      beacons: [.init(name: "theirs", regions: [])])
    let result = Walk(strategy: "location-always").follow(timeline)
    #expect(result.outcome == .notDetected)
    #expect(result.totals.detected == nil && result.verdicts.isEmpty)
    #expect(Walk(strategy: "background-task").follow(timeline).ranging == 0)
  }

  /// Without a task there is no more than the grace: a device log reads 9.99 on going to the background.
  @Test func anAppWithoutATaskHasTheGraceLeft() {
    let result = Walk(strategy: "stock").follow(
      [(0, 5), (200, 5)], [(0, .foreground), (100, .background)])
    #expect(result.remaining(at: 105_000) == 5000)
    #expect(result.window(at: 109_999)?.state == .ranging && result.window(at: 110_000)?.state == .suspended)
  }

  @Test func backgroundTimeRemainingIsReadAtAnyTime() {
    let result = Walk(strategy: "background-task").follow(
      [], [(0, .regionEnter), (100, .regionExit)], until: 200)
    #expect(result.remaining(at: 5000) == nil)
    #expect(result.remaining(at: 99_000) == 91_000)
    #expect(result.remaining(at: 105_000) == nil)
    #expect(result.remaining(at: 110_000) == 180_000)
    #expect(result.remaining(at: 290_000) == 0)
  }
}
