import Beacons
import Foundation
import Proximity
import Randomness
import Settings
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

  /// Each field of a beacon's row, one after the other, with each extreme value that it can hold.
  @Test(arguments: 0..<6 as Range<UInt64>) func aForgedRowIsRefusedOrHarmless(seed: UInt64) throws {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<400 { _ = pipeline.say(to: site.next()) }
    let wallTime = WallTime(nanoseconds: 1_795_211_400_000_000_000 + site.time.nanoseconds)
    let saved = pipeline.savedBeacons(at: site.time, wallTime: wallTime)
    let beacon = try #require(saved.max { ($0.room != nil ? 1 : 0) < ($1.room != nil ? 1 : 0) })
    let fresh = Pipeline(site)
    let decoder = JSONDecoder()
    let tree = try JSONSerialization.jsonObject(with: JSONEncoder().encode(beacon))
    var (accepted, refused) = (0, 0)
    for path in Self.numbers(in: tree) {
      for number in Self.extremes {
        let forged = Self.put(number, into: tree, at: path[...])
        guard
          let row = try? decoder.decode(
            SavedBeacon.self, from: JSONSerialization.data(withJSONObject: forged))
        else { continue }
        guard row.isSound else {
          refused += 1
          continue
        }
        accepted += 1
        var heir = fresh
        var output = Pipeline.Output()
        heir.restore([row], isSameBoot: seed % 2 == 0, at: site.time, wallTime: wallTime, into: &output)
        var later = site
        for _ in 0..<25 { _ = heir.say(to: later.next()) }
        _ = heir.savedBeacons(at: later.time, wallTime: wallTime)
        _ = heir.allStates()
      }
    }
    #expect(accepted > 100 && refused > 20, "\(accepted), \(refused)")
  }

  @Test func thatTheOffsetOfARoomHasARange() throws {
    let seed = try #require((0..<20).first { !RandomSite(seed: $0).configuration.rooms.isEmpty })
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<400 { _ = pipeline.say(to: site.next()) }
    let saved = pipeline.savedBeacons(at: site.time, wallTime: WallTime(nanoseconds: 0))
    let beacon = try #require(saved.first { $0.room != nil })
    let tree = try JSONSerialization.jsonObject(with: JSONEncoder().encode(beacon))
    let path = try #require(Self.numbers(in: tree).first { $0.last == "offset" })
    let forged = Self.put(1e30, into: tree, at: path[...])
    let row = try JSONDecoder().decode(SavedBeacon.self, from: JSONSerialization.data(withJSONObject: forged))
    #expect(beacon.isSound && !row.isSound)
  }

  private static let extremes: [Double] = [
    -1e30, 1e30, -1, 0, 255, 65_535, 2_147_483_647, -2_147_483_648, 9_223_372_036_854_774_784,
    -9_223_372_036_854_775_808, 4_611_686_018_427_387_904,
  ]

  /// Where numbers are: keys, and places in lists.
  private static func numbers(in tree: Any) -> [[String]] {
    switch tree {
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.flatMap { key, value in numbers(in: value).map { [key] + $0 } }
    case let list as [Any]:
      list.enumerated().flatMap { place, value in numbers(in: value).map { ["\(place)"] + $0 } }
    case is NSNumber: [[]]
    default: []
    }
  }

  private static func put(_ number: Double, into tree: Any, at path: ArraySlice<String>) -> Any {
    guard let first = path.first else { return NSNumber(value: number) }
    if var object = tree as? [String: Any] {
      object[first] = object[first].map { put(number, into: $0, at: path.dropFirst()) }
      return object
    }
    guard var list = tree as? [Any], let place = Int(first) else { return tree }
    list[place] = put(number, into: list[place], at: path.dropFirst())
    return list
  }
}
