import Phones
import Testing

/// The vectors of the ranging facts, by their numbers.
@Suite struct SeedVectorTests {
  @Test func v0a_stockIsSuspendedAt40Metres() {
    let result = Walk().approach(50, at: 1)
    #expect(result.totals.detected == 0)
    #expect(result.closed == 10)
    #expect(result.timeline.distance(at: 10_000) == 40)
    #expect(result.ranging == 10)
    #expect(result.outcome == .graceExpired)
    #expect(result.crossed == 46)
    #expect(result.delivered == nil)
    #expect(result.totals.closestRanged == 41)
    #expect(result.intervals.map(\.state) == [.ranging, .suspended])
  }

  @Test func v0b_backgroundTaskStillRangesAtThePump() {
    var engine = Walk(strategy: "background-task").engine()
    var output = PolicyOutput()
    engine.apply(
      .motion(Motion(start: 0, distance: 50_000_000, rate: -1_000_000, per: 1000)), at: 0, into: &output)
    engine.advance(through: 9999, into: &output)
    #expect(engine.remaining == nil)
    engine.advance(through: 50_000, into: &output)
    #expect(engine.isRanging)
    #expect(engine.remaining == 140_000)
    #expect(engine.window.remaining(at: engine.now) == 140_000)
  }

  @Test func v0c_deliveredWithinASecond() {
    let result = Walk(strategy: "background-task").approach(50, at: 1)
    #expect(result.outcome == .delivered)
    #expect(result.delivered == 46)
    #expect(result.closed == 186)
    #expect(result.ranging == 186)
  }

  @Test func v0d_deliveredTwoSecondsBeforeTheWindowEnds() {
    let result = Walk(strategy: "background-task").approach(50, at: 0.25)
    #expect(result.crossed == 184)
    #expect(result.delivered == 184)
    #expect(result.closed == 186)
  }

  @Test func v0e_taskExpiresAt12Metres80() {
    let result = Walk(strategy: "background-task").approach(50, at: 0.2)
    #expect(result.closed == 186)
    #expect(result.timeline.distance(at: 186_000) == 12.8)
    #expect(result.crossed == 230)
    #expect(result.outcome == .taskExpired)
    #expect(result.delivered == nil)
  }

  @Test func v0f_handlerEndsTheTask4SecondsBeforeZero() {
    let result = Walk(strategy: "background-task").follow([], [(0, .background)])
    #expect(result.closed == 176)
    #expect(result.closing?.why == .taskExpired)
    var engine = Walk(strategy: "background-task").engine(start: .foreground)
    var output = PolicyOutput()
    engine.apply(.background, at: 0, into: &output)
    engine.advance(through: 175_999, into: &output)
    #expect(engine.remaining == 4001)
  }

  @Test func v0h_taskNotEndedIsKilledAndLatched() {
    let result = Walk().follow([], [(0, .background), (0, .begin(1))])
    #expect(result.closed == 180)
    #expect(result.closing?.why == .taskLeakKilled)
    #expect(result.outcome == .taskLeakKilled)
    #expect(result.intervals.map(\.state) == [.ranging, .suspended, .terminated])
    #expect(result.intervals.map(\.from) == [0, 180_000, 181_000])

    let careless = Walk(strategy: "background-task", changeStrategy: { $0[.endsTask] = false })
    #expect(careless.follow([], [(0, .background)]).closing?.why == .taskLeakKilled)
  }

  @Test func v0h_debuggerKeepsItAlive() {
    let result = Walk().follow([], [(0, .debugger(true)), (0, .background), (0, .begin(1))], until: 300)
    #expect(result.state(at: 299) == .suspended)
  }

  @Test func v0h_latchedUntilTheUserLaunches() {
    let walk: [(Double, Double?)] = [(300, 60), (360, 0), (400, 60), (460, 0), (520, 60)]
    let result = Walk().follow(
      walk, [(0, .background), (0, .begin(1)), (410, .userLaunch), (415, .background)])
    #expect(result.verdicts.map(\.outcome) == [.latchedUntilLaunch, .graceExpired])
  }

  @Test func v0j_anEventRestartsTheClock() {
    var engine = Walk(strategy: "background-task").engine()
    engine.takeGivenRegionEvents()
    var output = PolicyOutput()
    var remaining: [Double: Double?] = [:]
    engine.apply(.regionEnter, at: 0, into: &output)
    for time in [5.0, 9.999, 10, 99, 100, 109.999, 110] {
      if time == 100 { engine.apply(.regionExit, at: 100_000, into: &output) }
      engine.advance(through: ms(time), into: &output)
      remaining[time] = seconds(engine.remaining)
    }
    #expect(remaining == [5: nil, 9.999: nil, 10: 180, 99: 91, 100: nil, 109.999: nil, 110: 180])
    engine.advance(through: 285_999, into: &output)
    #expect(engine.window.state == .ranging)
    engine.advance(through: 286_000, into: &output)
    #expect(engine.window.state == .suspended)
    #expect(engine.tasks.begins == 1)
  }

  @Test func v0k_aRegionEventInTheForegroundBeginsNoTask() {
    let result = Walk(strategy: "background-task").follow([(5, 60), (25, 40)], [(0, .foreground)], until: 30)
    #expect(result.totals.detected == 15_000)
    #expect(result.tasks.begins == 0)
    #expect(result.intervals.last?.state == .foreground)
  }
}
