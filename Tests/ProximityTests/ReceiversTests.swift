import Beacons
import Core
import TestSupport
import Testing

@testable import Proximity

@Suite struct ReceiversTests {
  @Test func theSmallestDistanceOfAZonesReceiversDecides() {
    var scene = Scene([.simple()])
    for second in 0..<20 {
      scene.hear(Signal.at20m, at: Double(second), receiver: 0)
      scene.hear(Signal.at3m, at: Double(second) + 0.5, receiver: 1)
    }
    #expect(scene.story == ["enter 0.5"])
    #expect(scene.transitions.first?.evidence.receiver == ReceiverIndex(rawValue: 1))
  }

  @Test func aReceiverThatHearsTheBeaconNoMoreDecidesNoMore() {
    var scene = Scene([.simple()])
    for second in 0..<40 {
      scene.hear(Signal.at3m, at: Double(second), receiver: 0)
      scene.hear(Signal.at20m, at: Double(second) + 0.5, receiver: 1)
    }
    scene.hear(Signal.at20m, from: 40.5, to: 60, receiver: 1)
    #expect(scene.story == ["enter 0.0", "exit 48.0"])
    #expect(scene.transitions.last?.evidence.receiver == ReceiverIndex(rawValue: 1))
    #expect(scene.transitions.last?.evidence.unit == .metres)
  }

  @Test func aForcedExitNamesTheDecidingReceiversDistance() throws {
    var scene = Scene([.simple()])
    for second in 0..<20 {
      scene.hear(Signal.at1m, at: Double(second), receiver: 0)
      scene.hear(Signal.at20m, at: Double(second) + 0.5, receiver: 1)
    }
    scene.engine.leave(
      ZoneIndex(rawValue: 0), BeaconIndex(rawValue: 0), because: .zoneRemoved, at: .zero + .seconds(20),
      into: &scene.transitions)
    let exit = try #require(scene.transitions.last)
    #expect(exit.event == .exit && exit.evidence.reason == .zoneRemoved)
    #expect(try #require(exit.distance) < 2)
    #expect(exit.evidence.receiver == ReceiverIndex(rawValue: 0))
    #expect(exit.evidence.unit == .seconds && abs(exit.evidence.value - 0.5) < 0.001)
  }

  /// Also where it is no later than what came before: the newest to come is the last.
  @Test func theLastSightingIsReportedUnchanged() {
    var scene = Scene([.simple()])
    let beacon = BeaconIndex(rawValue: 0)
    #expect(scene.engine.lastSighting(of: beacon) == nil)
    #expect(scene.engine.lastSighting(of: BeaconIndex(rawValue: 7)) == nil)
    for (seconds, receiver) in [(5.0, 0), (9.0, 1), (7.0, 2)] as [(Double, UInt16)] {
      scene.hear(Signal.at3m, at: seconds, receiver: receiver)
      #expect(
        scene.engine.lastSighting(of: beacon)
          == LastSighting(
            time: .zero + .seconds(seconds),
            wallTime: WallTime(nanoseconds: Int64(seconds) * 1_000_000_000 + Scene.hour),
            receiver: ReceiverIndex(rawValue: receiver)))
    }
  }

  @Test func receiversOfOtherZonesHaveNoSay() {
    var scene = Scene([.simple(receivers: [ReceiverIndex(rawValue: 1)])])
    scene.hear(Signal.at1m, from: 0, to: 20, receiver: 0)
    #expect(scene.story == [])
  }

  @Test func aReceiversOwnMeasuredPowerGoesBeforeTheBeacons() throws {
    let deaf = ReceiverIndex(rawValue: 1)
    var engine = ZoneEngine(
      site: Site(zones: [], receivers: [deaf: Calibration(measuredPower: -80, exponent: 4)]))
    engine.admit(BeaconIndex(rawValue: 0), zones: [], measuredPower: -70)
    var transitions: [Transition] = []
    for receiver in [0, 1] as [UInt16] {
      var sighting = Scene.sighting(-90, at: 1, receiver: receiver)
      sighting.measuredPower = -40
      engine.observe(sighting, into: &transitions)
    }
    let own = try #require(engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 0)))
    let calibrated = try #require(engine.estimate(of: BeaconIndex(rawValue: 0), at: deaf))
    #expect(abs(own.estimate.distance - 10) < 0.001)
    #expect(abs(calibrated.estimate.distance - 1.778) < 0.001)
    #expect(engine.estimate(of: BeaconIndex(rawValue: 0))?.receiver == deaf)
  }

  @Test func theBeaconsOwnMeasuredPowerGoesBeforeTheFrames() throws {
    var engine = ZoneEngine(site: Site(zones: []))
    engine.admit(BeaconIndex(rawValue: 0), zones: [], measuredPower: -70)
    var sighting = Scene.sighting(-90, at: 1)
    sighting.measuredPower = -40
    var transitions: [Transition] = []
    engine.observe(sighting, into: &transitions)
    let estimate = try #require(engine.estimate(of: BeaconIndex(rawValue: 0))).estimate
    #expect(abs(estimate.distance - 10) < 0.001)
  }
}

@Suite struct JointPositionTests {
  /// Four receivers in the corners of a room of 12 × 12 m.
  private let corners = [(0.0, 0.0), (12, 0), (0, 12), (12, 12)]

  private func calibrations(_ count: Int) -> [ReceiverIndex: Calibration] {
    var calibrations: [ReceiverIndex: Calibration] = [:]
    for (index, corner) in corners.prefix(count).enumerated() {
      calibrations[ReceiverIndex(rawValue: UInt16(index))] = Calibration(
        measuredPower: -60, exponent: 2, deviation: 6, position: Position(x: corner.0, y: corner.1))
    }
    return calibrations
  }

  /// A beacon that stands still for 30 s; `fade`: dB that a body takes from what the first receiver hears in the
  /// last five.
  private func settled(at x: Double, _ y: Double, fade: Double, positions: Int = 4) -> Scene {
    var generator = SeededGenerator(seed: 7)
    var scene = Scene(
      [.simple(receivers: [ReceiverIndex(rawValue: 0)])], receivers: calibrations(positions))
    for step in 0..<120 {
      let receiver = step % 4
      let (dx, dy) = (x - corners[receiver].0, y - corners[receiver].1)
      let tenths = (dx * dx + dy * dy).squareRoot() * 10
      let levels = [
        Signal.at1m, -66, -70, -72, -74, -76, -77, -78, -79, -80, -81, -82, -82, -83, -84, -84, -85, -85,
      ]
      let clean = levels[min(max(Int((tenths / 10).rounded()) - 1, 0), levels.count - 1)]
      let noise = Int8.random(in: -4...4, using: &generator)
      let loss = receiver == 0 && step >= 100 ? Int8(fade) : 0
      scene.hear(clean + noise - loss, at: Double(step) * 0.25, receiver: UInt16(receiver))
    }
    return scene
  }

  private func distance(_ scene: Scene) -> Double {
    scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 0))?.estimate.distance
      ?? .infinity
  }

  @Test func severalReceiversSeeAroundABody() {
    #expect(abs(distance(settled(at: 2, 2, fade: 0)) - 2.8) < 1.5)
    let joint = distance(settled(at: 5, 5, fade: 12))
    let alone = distance(settled(at: 5, 5, fade: 12, positions: 2))
    #expect(joint < 0.75 * alone, "\(joint) against \(alone)")
  }

  @Test func aJointPositionIsSurerOfADistanceThanOneSignal() throws {
    let scene = settled(at: 6, 6, fade: 0)
    let estimate = try #require(
      scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 0))
    ).estimate
    #expect(estimate.distanceDeviation < 2.5)
  }

  @Test func whereFewerThanThreeHearTheBeaconEachSignalSpeaksForItself() throws {
    var scene = Scene([.simple()], receivers: calibrations(4))
    scene.hear(Signal.at10m, from: 0, to: 20, receiver: 0)
    scene.hear(Signal.at10m, from: 20, to: 40, receiver: 1)
    #expect(abs(distance(scene) - 10) < 0.001 || distance(scene) == .infinity)
    let estimate = scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 1))
    #expect(abs((estimate?.estimate.distance ?? 0) - 10) < 0.001)
  }
}
