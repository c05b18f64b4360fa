import Beacons
import Core
import Proximity
import Testing

/// What one receiver hears is uncertain, and says how much.
@Suite struct UncertaintyTests {
  private func estimate(_ scene: Scene) throws -> Estimate {
    try #require(scene.engine.estimate(of: BeaconIndex(rawValue: 0))).estimate
  }

  /// A signal that goes up and down by `swing` dB around `level`.
  private func wavering(_ level: Int8, by swing: Int8) -> Scene {
    var scene = Scene([.simple()])
    let steps: [Int8] = [0, -1, -1, 0, 1, 1]
    for step in 0..<120 { scene.hear(level + swing * steps[step % 6], at: Double(step) / 2) }
    return scene
  }

  @Test func aSteadySignalIsBelievedAtOnce() {
    var scene = Scene([.simple(near: 2)])
    scene.hear(Signal.at1m, from: 0, to: 2, every: 0.5)
    #expect(scene.story == ["enter 0.0", "near 0.0"])
  }

  @Test func aSteadySignalALittleWithinTheThresholdIsBelievedSoon() throws {
    var scene = Scene([.simple()])
    scene.hear(-73, from: 0, to: 60)  // 4.5 m of 5
    #expect(scene.transitions.map(\.event) == [.enter])
    #expect(try #require(scene.transitions.first).seconds < 15)
  }

  /// A beacon that comes nearer by 1 dB in 6 s.
  @Test func aWaveringSignalMustBeFartherBeyondTheThreshold() throws {
    func entered(swing: Int8) throws -> Double {
      var scene = Scene([.simple()])
      let steps: [Int8] = [0, -1, 1, 1, -1, 0]
      for step in 0..<300 {
        scene.hear(Int8(-85 + step / 12) + swing * steps[step % 6], at: Double(step) / 2)
      }
      #expect(scene.transitions.map(\.event) == [.enter])
      return try #require(scene.transitions.first).evidence.value
    }
    #expect(try entered(swing: 6) < entered(swing: 0))
    #expect(try entered(swing: 0) > 4.5)
  }

  @Test func theDecidingValueIsBeyondTheNamedThreshold() throws {
    for level in stride(from: -75, through: -60, by: 1) as StrideThrough<Int8> {
      for transition in wavering(level, by: 4).transitions where transition.event == .enter {
        #expect(transition.evidence.value <= transition.evidence.threshold)
      }
    }
  }

  @Test func theFartherTheLessSure() throws {
    var last = 0.0
    for level in [Signal.at1m, Signal.at3m, Signal.at6m, Signal.at10m, Signal.at20m] {
      var scene = Scene([.simple()])
      scene.hear(level, from: 0, to: 30)
      let deviation = try estimate(scene).distanceDeviation
      #expect(deviation > last)
      last = deviation
    }
  }

  @Test func theMoreIsHeardTheSurerUntilOnlyTheSurroundingsAreLeft() throws {
    var scene = Scene([.simple()])
    scene.hear(Signal.at10m, at: 0)
    let first = try estimate(scene)
    #expect(abs(first.distanceDeviation - (0.5 + 10 * 6 * 0.1151)) < 0.1)
    scene.hear(Signal.at10m, from: 1, to: 60)
    let settled = try estimate(scene)
    #expect(settled.distanceDeviation < 0.65 * first.distanceDeviation)
    #expect(settled.distanceDeviation > 0.5 * first.distanceDeviation)
  }

  /// However close it seems, it may be half a metre off.
  @Test func theDeviationIsAtLeastHalfAMetre() throws {
    var scene = Scene([.simple()])
    scene.hear(0, from: 0, to: 30)
    #expect(try estimate(scene).distanceDeviation >= 0.5)
  }

  /// The nearest of several that seem alike is so by luck.
  @Test func theNearestOfManyIsCorrectedForSelection() throws {
    func nearest(_ levels: Int8...) throws -> Double {
      var scene = Scene([.simple()])
      for step in 0..<20 {
        for (receiver, level) in levels.enumerated() {
          scene.hear(level, at: Double(step), receiver: UInt16(receiver))
        }
      }
      return try estimate(scene).distance
    }
    let alone = try nearest(Signal.at3m)
    #expect(try nearest(Signal.at3m, Signal.at3m) > 1.1 * alone)
    #expect(try nearest(Signal.at3m, Signal.at3m, Signal.at3m) > nearest(Signal.at3m, Signal.at3m))
    #expect(try nearest(Signal.at3m, Signal.at6m) > alone)
    #expect(try nearest(Signal.at1m, Signal.at20m) < 1.01 * nearest(Signal.at1m))
  }

  @Test func eachReceiverTellsItsOwnDistance() throws {
    var scene = Scene([.simple()])
    for receiver in 0..<3 as Range<UInt16> { scene.hear(Signal.at10m, at: 1, receiver: receiver) }
    let own = try #require(
      scene.engine.estimate(of: BeaconIndex(rawValue: 0), at: ReceiverIndex(rawValue: 1)))
    #expect(abs(own.estimate.distance - 10) < 0.01)
  }
}
