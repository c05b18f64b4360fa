import Beacons
import Proximity
import Testing

/// One advertisement may say anything.
@Suite struct FirstSampleTests {
  /// After sightings a tenth of a second apart; −60 dBm at 1 m.
  private func distance(_ levels: Int8...) throws -> Double {
    var scene = Scene([.simple()])
    for (place, level) in levels.enumerated() { scene.hear(level, at: Double(place) / 10) }
    return try #require(scene.engine.estimate(of: BeaconIndex(rawValue: 0))).estimate.distance
  }

  @Test(arguments: [5, 20, 0, -20] as [Int8]) func aWildFirstSampleGivesNoNear(level: Int8) throws {
    #expect(try distance(level) > 0.3)
  }

  @Test func oneLikeOthersIsBelievedForTheMostPart() throws {
    #expect(abs(try distance(Signal.at1m) - 1.4) < 0.1)
    #expect(abs(try distance(-66) - 2) < 0.5)
    // Whoever is far off gets nowhere by it.
    #expect(abs(try distance(Signal.at10m) - 10) < 0.01)
    #expect(abs(try distance(Signal.at20m) - 20) < 0.5)
  }

  @Test func theStrongerTheNearer() throws {
    var last = Double.infinity
    for level in -100 ... -30 as ClosedRange<Int8> {
      let distance = try distance(level)
      #expect(distance <= last)
      last = distance
    }
  }

  @Test func aFewMoreAndItIsBelieved() throws {
    #expect(abs(try distance(Signal.at1m, Signal.at1m, Signal.at1m, Signal.at1m) - 1) < 0.25)
    var scene = Scene([.simple()])
    scene.hear(Signal.at1m, from: 0, to: 4, every: 0.1)
    let settled = try #require(scene.engine.estimate(of: BeaconIndex(rawValue: 0))).estimate.distance
    #expect(abs(settled - 1) < 0.06)
    #expect(try distance(5, -76, -76, -76) > 2)
  }
}
