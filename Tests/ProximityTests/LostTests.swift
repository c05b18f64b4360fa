import Beacons
import Core
import Proximity
import TestSupport
import Testing

@Suite struct LostTests {
  @Test func aBeaconHeardEachSecondIsLostNineSecondsAfterItsLastWord() throws {
    var scene = Scene([.simple(exitDwell: 60)])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0", "exit 38.0"])
    let evidence = try #require(scene.transitions.last?.evidence)
    #expect(evidence.unit == .seconds)
    #expect(evidence.threshold == 9)
    #expect(evidence.value == 9)
    #expect(evidence.dwell == .zero)
    #expect(evidence.samples == 30)
  }

  @Test func aFastBeaconIsLostInAFewSeconds() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 60, every: 0.1)
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0", "exit 64.9"])
  }

  @Test func aBeaconHeardTenThousandTimesASecondIsLostInTheShortestTime() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 17, every: 0.0001)
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0", "exit 22.0"])
  }

  @Test func aSlowBeaconThatIsMissedEverySecondTimeDoesNotFlap() {
    var generator = SeededGenerator(seed: 1)
    var scene = Scene([.simple()])
    for tick in 0..<2000 where Bool.random(using: &generator) {
      scene.hear(Signal.at3m, at: Double(tick) * 10)
    }
    #expect(scene.transitions.map(\.event) == [.enter])
  }

  @Test func oneLongGapDoesNotMakeAFastBeaconSlow() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(Signal.at3m, from: 33.5, to: 40)
    scene.wait(until: 50)
    #expect(scene.transitions.map(\.event) == [.enter, .exit])
  }

  @Test func aBurstAtTheStartDoesNotPassForTheInterval() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 2, every: 0.03)
    scene.hear(Signal.at3m, from: 10, to: 300, every: 10)
    #expect(scene.transitions.map(\.event) == [.enter])
  }

  @Test func burstsWithPausesBetweenDoNotFlap() {
    var scene = Scene([.simple()])
    for burst in 0..<100 {
      scene.hear(Signal.at3m, from: Double(burst) * 12, to: Double(burst) * 12 + 2, every: 0.1)
    }
    #expect(scene.transitions.map(\.event) == [.enter])
  }

  @Test func aBeaconThatSlowsDownIsUnderstoodAfterTwoGaps() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 60, every: 0.1)
    scene.hear(Signal.at3m, from: 60, to: 600, every: 20)
    #expect(scene.transitions.map(\.event) == [.enter, .exit, .enter, .exit, .enter])
  }

  @Test func comingByNowAndThenDoesNotTeachAHugeInterval() {
    var scene = Scene([.simple()])
    for visit in 0..<6 {
      scene.hear(Signal.at3m, from: Double(visit) * 600, to: Double(visit) * 600 + 30)
    }
    scene.wait(until: 5000)
    let exits = scene.transitions.filter { $0.event == .exit }.map(\.seconds)
    #expect(exits == [38, 638, 1238, 1838, 2438, 3038])
  }

  @Test func aFixedTimeoutIsKeptToTheLetter() {
    var scene = Scene([.simple(lost: .after(.seconds(120)))])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.wait(until: 148.9)
    #expect(scene.story == ["enter 0.0"])
    scene.wait(until: 200)
    #expect(scene.story == ["enter 0.0", "exit 149.0"])
  }

  @Test func silenceBeforeADwellEndsKeepsABeaconOut() {
    var scene = Scene([.simple(enterDwell: 60)])
    scene.hear(Signal.at3m, at: 0)
    scene.wait(until: 500)
    #expect(scene.story == [])
  }

  @Test func aSightingWithoutSignalProvesPresence() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(nil, from: 30, to: 60)
    #expect(scene.story == ["enter 0.0"])
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0", "exit 68.0"])
  }

  @Test func aSightingWithoutSignalEntersNothing() {
    var scene = Scene([.simple()])
    scene.hear(nil, from: 0, to: 60)
    #expect(scene.story == [])
    #expect(scene.engine.estimate(of: BeaconIndex(rawValue: 0)) == nil)
  }

  @Test func whereBeingHeardIsEnoughNoSignalIsNeeded() {
    var scene = Scene([.simple(enter: .signal(-127), exit: .signal(-131))])
    scene.hear(nil, from: 0, to: 30)
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0", "exit 38.0"])
    #expect(scene.transitions.first?.rssi == nil)
    #expect(scene.transitions.first?.distance == nil)
  }

  @Test func theLearntIntervalIsReported() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 60, every: 2)
    let interval = scene.engine.estimate(of: BeaconIndex(rawValue: 0))?.estimate.interval?.seconds ?? 0
    #expect(abs(interval - 2) < 0.01)
  }
}
