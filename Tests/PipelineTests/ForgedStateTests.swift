import Beacons
import Configuration
import Core
import Proximity
import TestSupport
import Testing

@testable import Pipeline

/// States that somebody forged so that their checksums fit. Each is refused, or a pipeline can go on from it.
@Suite struct ForgedStateTests {
  @Test(arguments: 0..<12 as Range<UInt64>) func aForgedSnapshotIsRefusedOrHarmless(seed: UInt64) throws {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<300 { _ = pipeline.say(to: site.next()) }
    let body = Array(pipeline.snapshotOctets.dropFirst(16).dropLast(8))
    let fresh = Pipeline(site)
    var dice = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<250 {
      // The fingerprint in front stays, or nothing else would be read.
      var reader = StateCoder(body: dice.forged(body, from: 8))
      var heir = fresh
      guard (try? heir.restore(from: &reader)) != nil else { continue }
      accepted += 1
      var later = site
      for _ in 0..<40 { _ = heir.say(to: later.next()) }
      _ = heir.allStates()
      _ = heir.snapshotOctets
    }
    #expect(accepted > 10)
  }

  /// A row of a beacon whose octets somebody forged.
  @Test(arguments: 0..<6 as Range<UInt64>) func aForgedRowIsRefusedOrHarmless(seed: UInt64) throws {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<400 { _ = pipeline.say(to: site.next()) }
    let wallTime = WallTime(nanoseconds: 1_795_211_400_000_000_000 + site.time.nanoseconds)
    let saved = pipeline.savedBeacons(at: site.time, wallTime: wallTime)
    let beacon = try #require(saved.max { ($0.room != nil ? 1 : 0) < ($1.room != nil ? 1 : 0) })
    let fresh = Pipeline(site)
    var dice = SeededGenerator(seed: seed)
    var (accepted, refused) = (0, 0)
    for _ in 0..<400 {
      var row = beacon
      row.octets = dice.forged(beacon.octets, from: 0)
      if dice.oneIn(4) { row.inside.append(Int32(truncatingIfNeeded: dice.next())) }
      var heir = fresh
      var output = Pipeline.Output()
      let unread = heir.restore(
        [row], isSameBoot: seed % 2 == 0, at: site.time, wallTime: wallTime, into: &output)
      accepted += 1 - unread
      refused += unread
      var later = site
      for _ in 0..<25 { _ = heir.say(to: later.next()) }
      _ = heir.savedBeacons(at: later.time, wallTime: wallTime)
      _ = heir.allStates()
    }
    #expect(accepted > 20 && refused > 20, "\(accepted), \(refused)")
  }
}
