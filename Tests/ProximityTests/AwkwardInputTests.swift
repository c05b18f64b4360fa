import Beacons
import Core
import Proximity
import Testing

@Suite struct AwkwardInputTests {
  @Test func aWildSampleFiresNothing() {
    var scene = Scene([.simple(near: 2)])
    scene.hear(Signal.at6m, from: 0, to: 10)
    scene.hear(-30, at: 10)
    scene.hear(Signal.at6m, from: 11, to: 30)
    scene.hear(-110, at: 30)
    scene.hear(Signal.at6m, from: 31, to: 40)
    #expect(scene.story == [])
  }

  @Test(arguments: [21, 42, 127, -128] as [Int8])
  func aSignalNoRadioCanReportProvesPresenceOnly(rssi: Int8) {
    var scene = Scene([.simple(near: 2)])
    scene.hear(rssi, from: 0, to: 10)
    #expect(scene.story == [])
    scene.hear(Signal.at3m, from: 10, to: 40)
    scene.hear(rssi, from: 40, to: 60)
    #expect(scene.story == ["enter 10.0"])
  }

  @Test func aSlightlyPositiveSignalIsAStrongOne() {
    var scene = Scene([.simple(near: 2)])
    scene.hear(5, from: 0, to: 10)
    #expect(scene.story == ["enter 0.0", "near 0.0"])
  }

  @Test func aBurstInAMillisecondWeighsAsOneInstant() {
    var scene = Scene([.simple(near: 2)])
    scene.hear(Signal.at6m, from: 0, to: 20)
    scene.hear(Signal.at1m, from: 20, to: 20.001, every: 0.00001)
    scene.hear(Signal.at6m, from: 21, to: 40)
    #expect(scene.story == [])
  }

  @Test func afterASilentMinuteTheBeaconIsMetAnew() throws {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(Signal.at20m, from: 90, to: 100)
    #expect(scene.story == ["enter 0.0", "exit 38.0"])
    let estimate = try #require(scene.engine.estimate(of: BeaconIndex(rawValue: 0))).estimate
    #expect(estimate.rssi == Double(Signal.at20m))
    #expect(estimate.samples == 10)
  }

  @Test func equalTimesCountInTheirOrder() {
    var scene = Scene([.simple(enterDwell: 0)])
    for _ in 0..<100 { scene.hear(Signal.at3m, at: 5) }
    #expect(scene.story == ["enter 5.0"])
  }

  @Test func timeThatStepsBackIsTakenAsTheLatest() {
    var scene = Scene([.simple(enterDwell: 3)])
    scene.hear(Signal.at3m, at: 100)
    scene.hear(Signal.at3m, at: 40)
    scene.hear(Signal.at3m, at: 102)
    scene.hear(Signal.at3m, at: 104)
    #expect(scene.story == ["enter 103.0"])
  }

  @Test func aJumpForwardLetsEveryDeadlineHappenAtItsOwnTime() {
    var scene = Scene([.simple(near: 2, nearDwell: 3, enterDwell: 1)])
    scene.hear(Signal.at1m, at: 0)
    scene.wait(until: 1e9)
    #expect(scene.story == ["enter 1.0", "near 3.0", "exit 30.0"])
  }

  @Test func theEndsOfTimeTrapNothing() {
    var scene = Scene([.simple(near: 2, lost: .after(.seconds(10)))])
    for time in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
      let sighting = Sighting(
        beacon: BeaconIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: 0), rssi: -60,
        measuredPower: Int8.min, time: MonotonicTime(nanoseconds: time),
        wallTime: WallTime(nanoseconds: .min))
      scene.engine.observe(sighting, into: &scene.transitions)
    }
    scene.engine.advance(to: .distantFuture, into: &scene.transitions)
    #expect(scene.transitions.first?.event == .enter)
  }

  @Test func unknownBeaconsAndZonesAreIgnored() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at1m, at: 0, beacon: 7)
    scene.hear(Signal.at1m, at: 0, beacon: -1)
    scene.engine.admit(BeaconIndex(rawValue: 1), zones: [ZoneIndex(rawValue: 9), ZoneIndex(rawValue: -1)])
    scene.hear(Signal.at1m, at: 1, beacon: 1)
    #expect(scene.story == [])
    #expect(scene.engine.occupancy(of: ZoneIndex(rawValue: 9)).members.isEmpty)
  }

  @Test func aMeasuredPowerThatCannotBeTrueIsNotBelieved() throws {
    var engine = ZoneEngine(site: Site(zones: [.simple()]))
    var transitions: [Transition] = []
    engine.admit(BeaconIndex(rawValue: 0), zones: [])
    for (second, (power, distance)) in [(Int8(127), 10.0), (-128, 10.0), (-79, 1.0)].enumerated() {
      var sighting = Scene.sighting(-79, at: Double(second))
      sighting.measuredPower = power
      engine.observe(sighting, into: &transitions)
      let estimate = try #require(engine.estimate(of: BeaconIndex(rawValue: 0))).estimate
      #expect(abs(estimate.distance - distance) < 0.001)
    }
  }

  @Test func `however many receivers are invented, one that a zone names is heard`() {
    var scene = Scene([.simple(receivers: [ReceiverIndex(rawValue: 200)])])
    for second in 0..<20 {
      for receiver in 0..<100 as Range<UInt16> {
        scene.hear(Signal.at20m, at: Double(second), receiver: receiver)
      }
      if second >= 10 { scene.hear(Signal.at1m, at: Double(second), receiver: 200) }
    }
    #expect(scene.story == ["enter 10.0"])
  }

  @Test func aReceiverThatInventsNamesCannotFillTheMemory() {
    var scene = Scene([.simple()])
    for receiver in 0..<4096 as Range<UInt16> { scene.hear(Signal.at3m, at: 1, receiver: receiver) }
    #expect(scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 63)) != nil)
    #expect(scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 64)) == nil)
    // Those that fell silent make room.
    scene.hear(Signal.at3m, at: 1000, receiver: 4000)
    #expect(scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 4000)) != nil)
    #expect(scene.transitions.map(\.event) == [.enter, .exit, .enter])
  }
}
