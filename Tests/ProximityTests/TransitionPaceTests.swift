import Beacons
import Core
import Proximity
import Testing

/// Who comes and goes all the time, or is made to, fills neither the card nor anybody's inbox.
@Suite struct TransitionPaceTests {
  /// In as soon as it is heard, out after a tenth of a second of silence.
  private static let hasty = Zone.simple(enter: .signal(-127), lost: .after(.milliseconds(100)))

  /// A beacon that is heard three times a second is away in between.
  private static func flicker(_ scene: inout Scene, for seconds: Double) {
    for step in 0..<Int(seconds * 3) { scene.hear(Signal.at1m, at: Double(step) / 3) }
    scene.wait(until: seconds)
  }

  @Test func aFlickeringBeaconEntersTwentyTimesAtOnceAndThenOnceInTenSeconds() {
    var scene = Scene([Self.hasty])
    Self.flicker(&scene, for: 3600)
    let enters = scene.transitions.filter { $0.event == .enter }
    #expect(enters.prefix(20).allSatisfy { $0.seconds < 10 })
    #expect(enters.count <= 20 + 360 && enters.count > 300)
    #expect(scene.engine.heldTransitions > 300)
  }

  @Test func anExitIsNeverHeld() {
    var scene = Scene([Self.hasty])
    Self.flicker(&scene, for: 600)
    for (enter, exit) in zip(scene.transitions, scene.transitions.dropFirst()) where enter.event == .enter {
      #expect(exit.event == .exit)
      #expect(exit.seconds - enter.seconds < 0.2)
    }
    #expect(scene.transitions.last?.event == .exit)
  }

  @Test func aHeldTransitionHappensLaterIfStillTrue() {
    var scene = Scene([Self.hasty])
    Self.flicker(&scene, for: 20)
    scene.transitions.removeAll()
    // Now it stays, heard eleven times a second.
    scene.hear(Signal.at1m, from: 20, to: 60, every: 0.09)
    scene.wait(until: 61)
    #expect(scene.transitions.map(\.event) == [.enter, .exit])
    #expect((scene.transitions.first?.seconds ?? 0) <= 31)
    #expect((scene.transitions.last?.seconds ?? 0) > 59.9)
  }

  /// Heard in bursts, as by who flickers on purpose: an old timer of silence must not hide that it waits.
  @Test func heldTransitionsAreCounted() {
    var scene = Scene([.simple(near: 2, enter: .signal(-90), lost: .after(.seconds(1)))])
    for cycle in 0..<25 {
      let start = Double(cycle) * 1.8
      for step in 0..<40 { scene.hear(-45, at: start + Double(step) / 200) }
    }
    scene.wait(until: 60)
    let cycles = scene.transitions.count { $0.event == .exit }
    #expect(cycles > 10 && cycles < 15)
    #expect(scene.engine.heldTransitions > 0)
    let told = scene.engine.takeHeld()
    #expect(told.count == 1)
  }

  @Test func heldTransitionsAreReportedOncePerBeacon() {
    var scene = Scene([Self.hasty])
    Self.flicker(&scene, for: 600)
    let told = scene.engine.takeHeld()
    #expect(told.map(\.reason) == [.flickers])
    #expect(told.map(\.beacon.rawValue) == [0])
    let again = scene.engine.takeHeld()
    #expect(again.isEmpty)
  }

  @Test func nearCountsToo() {
    var scene = Scene([.simple(near: 2, rearm: 2.5, enter: .signal(-127), lost: .after(.seconds(60)))])
    for step in 0..<3000 {
      // 1 m and 10 m, long enough for the filter to follow.
      scene.hear((step / 12).isMultiple(of: 2) ? Signal.at1m : Signal.at10m, at: Double(step) / 10)
    }
    let nears = scene.transitions.count { $0.event == .near }
    #expect(nears > 20 && nears <= 20 + 30)
  }

  /// A thousand beacons that anybody can invent, and one that nobody can.
  @Test func onlyTheCrowdWaitsForItsTurn() {
    let zone = Zone.simple(enter: .signal(-127), lost: .after(.seconds(3600)))
    var engine = ZoneEngine(site: Site(zones: [zone]), crowd: RateLimit(burst: 100, perSecond: 50))
    for beacon in 0...1000 as ClosedRange<Int32> {
      engine.admit(
        BeaconIndex(rawValue: beacon), zones: [ZoneIndex(rawValue: 0)], isInventable: beacon < 1000)
    }
    var transitions: [Transition] = []
    for beacon in 0...1000 as ClosedRange<Int32> {
      engine.observe(Scene.sighting(-50, at: 1, beacon: beacon), into: &transitions)
    }
    #expect(transitions.count == 101)
    #expect(transitions.last?.beacon == BeaconIndex(rawValue: 1000))
    for second in 2...30 {
      let before = transitions.count
      engine.advance(to: .zero + .seconds(Double(second)), into: &transitions)
      #expect(transitions.count - before <= 50)
    }
    // In the order in which they came, and nobody is forgotten.
    let order = transitions.map(\.beacon.rawValue).filter { $0 < 1000 }
    #expect(order == Array(0..<1000))
    #expect(engine.heldTransitions == 900)
    let reasons = Set(engine.takeHeld().map(\.reason))
    #expect(reasons == [.crowd])
  }

  /// The crowd has used up every turn of the next minute.
  @Test func aNewcomerEntersAndIsNearAtOnceHoweverManyFlicker() {
    let zone = Zone.simple(near: 2, rearm: 2.5, enter: .distance(5), lost: .after(.seconds(3600)))
    var engine = ZoneEngine(site: Site(zones: [zone]), crowd: RateLimit(burst: 10, perSecond: 1))
    for beacon in 0...200 as ClosedRange<Int32> {
      engine.admit(
        BeaconIndex(rawValue: beacon), zones: [ZoneIndex(rawValue: 0)], isInventable: true,
        isNewcomer: beacon == 200)
    }
    var transitions: [Transition] = []
    for step in 0..<20 {
      for beacon in 0...200 as ClosedRange<Int32> {
        engine.observe(
          Scene.sighting(Signal.at1m, at: 1 + Double(step) / 10, beacon: beacon), into: &transitions)
      }
    }
    let newcomers = transitions.filter { $0.beacon == BeaconIndex(rawValue: 200) }
    #expect(newcomers.map(\.event) == [.enter, .near])
    #expect(newcomers.allSatisfy { $0.time <= .zero + .seconds(1.3) })
    #expect(transitions.count <= 2 + 2 * (10 + 2))
  }

  @Test func aTransitionThatWouldWaitTooLongIsRetried() {
    let zone = Zone.simple(enter: .signal(-127), lost: .after(.seconds(100_000)))
    var engine = ZoneEngine(site: Site(zones: [zone]), crowd: RateLimit(burst: 1, perSecond: 1))
    for beacon in 0..<500 as Range<Int32> {
      engine.admit(BeaconIndex(rawValue: beacon), zones: [ZoneIndex(rawValue: 0)], isInventable: true)
    }
    var transitions: [Transition] = []
    for beacon in 0..<500 as Range<Int32> {
      engine.observe(Scene.sighting(-50, at: 0, beacon: beacon), into: &transitions)
    }
    for second in 1...1000 {
      let before = transitions.count
      engine.advance(to: .zero + .seconds(Double(second)), into: &transitions)
      #expect(transitions.count - before <= 1)
    }
    #expect(transitions.count == 500)
  }
}
