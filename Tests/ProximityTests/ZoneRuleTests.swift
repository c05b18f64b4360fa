import Beacons
import Core
import Proximity
import Testing

@Suite struct ZoneRuleTests {
  @Test func enterHappensWhenItsDwellEndsNotWhenTheNextAdvertisementComes() {
    var scene = Scene([.simple(enterDwell: 3)])
    scene.hear(Signal.at3m, at: 10)
    scene.hear(Signal.at3m, at: 11.5)
    scene.hear(Signal.at3m, at: 17)
    #expect(scene.story == ["enter 13.0"])
  }

  @Test func withoutDwellTheSightingItselfEnters() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, at: 10)
    #expect(scene.story == ["enter 10.0"])
  }

  @Test func `a signal on the line enters`() {
    for (level, isIn) in [(Int8(-70), true), (-71, false)] {
      var scene = Scene([.simple(enter: .signal(-70), exit: .signal(-80))])
      scene.hear(level, from: 0, to: 30)
      #expect(scene.transitions.map(\.event) == (isIn ? [.enter] : []), "\(level) dBm")
    }
  }

  @Test func aBreakStartsTheDwellAnew() {
    var scene = Scene([.simple(enterDwell: 8)])
    scene.hear(Signal.at3m, from: 0, to: 4)
    scene.hear(Signal.at20m, from: 4, to: 12)
    scene.hear(Signal.at3m, from: 12, to: 30)
    #expect(scene.transitions.map(\.event) == [.enter])
    #expect((scene.transitions.first?.seconds ?? 0) > 20)
  }

  @Test func betweenEnterAndExitNothingChanges() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at6m, from: 0, to: 20)
    #expect(scene.story == [])
    scene.hear(Signal.at3m, from: 20, to: 30)
    scene.hear(Signal.at6m, from: 30, to: 60)
    #expect(scene.transitions.map(\.event) == [.enter])
  }

  @Test func exitHappensWhenItsDwellEnds() {
    var scene = Scene([.simple(exitDwell: 10)])
    scene.hear(Signal.at3m, from: 0, to: 10)
    scene.hear(Signal.at20m, from: 10, to: 40, every: 3)
    let exit = scene.transitions.last
    #expect(exit?.event == .exit)
    #expect(exit?.evidence.dwell == .seconds(10))
    #expect(exit?.evidence.threshold == 9)
    #expect((exit?.evidence.value ?? 0) > 9)
  }

  @Test func nearImpliesEnterJustBeforeItAtTheSameTime() {
    var scene = Scene([.simple(near: 2, nearDwell: 1, enterDwell: 30)])
    scene.hear(Signal.at1m, from: 0, to: 5)
    #expect(scene.story == ["enter 1.0", "near 1.0"])
    #expect(scene.transitions.map(\.evidence.dwell) == [.seconds(1), .seconds(1)])
  }

  @Test func nearFiresOnceAnApproachAndAgainAfterItWasBeyondRearm() {
    var scene = Scene([.simple(near: 2, rearm: 4)])
    scene.hear(Signal.at1m, from: 0, to: 10)
    scene.hear(Signal.at3m, from: 10, to: 30)  // between near and rearm
    scene.hear(Signal.at1m, from: 30, to: 40)
    #expect(scene.story == ["enter 0.0", "near 0.0"])
    scene.hear(Signal.at6m, from: 40, to: 60)  // beyond rearm, not out
    scene.hear(Signal.at1m, from: 60, to: 70)
    #expect(scene.transitions.map(\.event) == [.enter, .near, .near])
  }

  @Test func leavingRearmsNear() {
    var scene = Scene([.simple(near: 2, rearm: 100)])
    scene.hear(Signal.at1m, from: 0, to: 10)
    scene.hear(Signal.at20m, from: 10, to: 30)
    scene.hear(Signal.at1m, from: 30, to: 40)
    #expect(scene.transitions.map(\.event) == [.enter, .near, .exit, .enter, .near])
  }

  @Test func thresholdsMayBeSignals() {
    var scene = Scene([.simple(enter: .signal(-70), exit: .signal(-80))])
    scene.hear(-71, from: 0, to: 10)
    #expect(scene.story == [])
    scene.hear(-65, from: 10, to: 20)
    scene.hear(-85, from: 20, to: 40)
    #expect(scene.transitions.map(\.event) == [.enter, .exit])
    #expect(scene.transitions.map(\.evidence.unit) == [.decibelMilliwatts, .decibelMilliwatts])
    #expect((scene.transitions.first?.evidence.value ?? -99) >= -70)
  }

  @Test func theEndOfARecordingFlushesNothing() {
    var scene = Scene([.simple(enterDwell: 3)])
    scene.hear(Signal.at3m, from: 0, to: 3)
    #expect(scene.story == [])
    // Told too early at most, and then again.
    var transitions: [Transition] = []
    var steps = 0
    while let next = scene.engine.nextDeadline, next < .zero + .seconds(3), steps < 10 {
      scene.engine.advance(to: next, into: &transitions)
      steps += 1
    }
    #expect(transitions.isEmpty)
    #expect(scene.engine.nextDeadline == .zero + .seconds(3))
  }

  @Test func everyTransitionCarriesItsEvidence() throws {
    var scene = Scene([.simple(enterDwell: 3)])
    scene.hear(Signal.at3m, from: 5, to: 10)
    let enter = try #require(scene.transitions.first)
    #expect(enter.wallTime.nanoseconds == enter.time.nanoseconds + Scene.hour)
    #expect(enter.evidence.threshold == 5)
    #expect(enter.evidence.unit == .metres)
    #expect(enter.evidence.samples == 3)
    #expect(enter.evidence.dwell == .seconds(3))
    #expect(abs(enter.evidence.value - 3.162) < 0.001)
    #expect(enter.distance == enter.evidence.value)
    #expect(enter.rssi == -70)
    #expect((enter.distanceDeviation ?? 0) > 1)
  }

  @Test func aSignalOnTheThresholdMeetsIt() {
    var scene = Scene([.simple(enter: .signal(-80), exit: .signal(-90))])
    scene.hear(-80, at: 0)
    #expect(scene.story == ["enter 0.0"])
  }

  @Test func aDistanceOnTheThresholdIsAsLikelyBeyondIt() {
    var scene = Scene([.simple(enter: .distance(10), exit: .distance(20))])
    scene.hear(Signal.at10m, from: 0, to: 60)
    #expect(scene.story == [])
  }

  @Test func contradictoryThresholdsDoNotFlap() {
    var scene = Scene([.simple(enter: .distance(5), exit: .signal(-50))])
    scene.hear(Signal.at3m, from: 0, to: 30)
    #expect(scene.story == ["enter 0.0"])
  }

  @Test func occupancyListsBeaconsWithTheirEntryTimes() {
    var scene = Scene([.simple(near: 2)], beacons: 3)
    scene.hear(Signal.at1m, at: 1, beacon: 2)
    scene.hear(Signal.at3m, at: 2, beacon: 0)
    scene.hear(Signal.at20m, at: 3, beacon: 1)
    let occupancy = scene.engine.occupancy(of: ZoneIndex(rawValue: 0))
    #expect(occupancy.state == .occupied)
    #expect(occupancy.members.map(\.beacon.rawValue) == [0, 2])
    #expect(occupancy.members.map(\.isNear) == [false, true])
    #expect(
      occupancy.members.map(\.since.nanoseconds) == [2_000_000_000 + Scene.hour, 1_000_000_000 + Scene.hour])
    #expect(scene.engine.zones(of: BeaconIndex(rawValue: 2)) == [ZoneIndex(rawValue: 0)])
  }
}
