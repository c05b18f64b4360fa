import Beacons
@testable import Configuration
import Core
import Phones
import Proximity
import TestSupport
import Testing

@testable import Pipeline

/// A pipeline is cut at any point, and goes on from its snapshot: nobody can tell.
@Suite struct SnapshotProperties {
  @Test(arguments: 0..<30 as Range<UInt64>) func whoeverTakesOverSaysTheSame(seed: UInt64) throws {
    var site = RandomSite(seed: seed)
    var dice = SeededGenerator(seed: seed &+ 1000)
    var pipeline = Pipeline(site)
    // Each heir goes on to the next cut; as it then is what it took over from, so is the next one.
    var heir: Pipeline?
    let cuts = Set((0..<4).map { _ in Int.random(in: 0..<1500, using: &dice) })
    for step in 0..<2000 {
      if cuts.contains(step) {
        let octets = pipeline.snapshotOctets
        if let heir { #expect(heir.snapshotOctets == octets, "step \(step)") }
        let next = try Pipeline(site, octets: octets)
        #expect(next.snapshotOctets == octets, "step \(step)")
        heir = next
      }
      let event = site.next()
      let said = pipeline.say(to: event)
      if let other = heir?.say(to: event), other != said {
        Issue.record("step \(step): \(other) in place of \(said)")
        return
      }
    }
    #expect(heir?.snapshotOctets == pipeline.snapshotOctets)
    #expect(heir?.allStates() == pipeline.allStates())
    #expect(pipeline.counts.transitions > 10)
  }

  @Test func phonesOfSuchSitesHaveMuchToTell() {
    var lines: [String] = []
    for seed in 0..<30 as Range<UInt64> {
      var site = RandomSite(seed: seed)
      var pipeline = Pipeline(site)
      for _ in 0..<1000 { lines += pipeline.say(to: site.next()) }
    }
    #expect(lines.count { $0.contains("/window ") } > 200)
    #expect(lines.count { $0.contains("/verdict ") } > 20)
  }

  private static func octets(seed: UInt64 = 3, steps: Int = 600) -> (RandomSite, [UInt8]) {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<steps { _ = pipeline.say(to: site.next()) }
    return (site, pipeline.snapshotOctets)
  }

  @Test func whatWasCutOffOrChangedIsRefused() throws {
    let (site, octets) = Self.octets()
    var dice = SeededGenerator(seed: 1)
    for count in [0, 1, 16, 23, 24, octets.count - 1] {
      #expect(throws: StateError.self) { _ = try Pipeline(site, octets: Array(octets.prefix(count))) }
    }
    for _ in 0..<300 {
      var changed = octets
      changed[Int.random(in: octets.indices, using: &dice)] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
      #expect(throws: StateError.self) { _ = try Pipeline(site, octets: changed) }
    }
  }

  /// With a checksum that fits: it is refused, or it is a state that a pipeline can go on from.
  @Test(arguments: 0..<12 as Range<UInt64>) func whatIsForgedIsRefusedOrHarmless(seed: UInt64) throws {
    let (site, octets) = Self.octets(seed: seed, steps: 300)
    let body = Array(octets[16..<(octets.count - 8)])
    var dice = SeededGenerator(seed: seed)
    var refused = 0
    for _ in 0..<150 {
      var forged = body
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let place = Int.random(in: 8..<body.count, using: &dice)
        forged[place] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &dice)]
          .randomElement(using: &dice)!
      }
      if dice.oneIn(10) { forged.removeLast(Int.random(in: 1..<body.count, using: &dice)) }
      var reader = StateCoder(body: forged)
      do throws(StateError) {
        var pipeline = Pipeline(site)
        try pipeline.restore(from: &reader)
        var later = site
        for _ in 0..<40 { _ = pipeline.say(to: later.next()) }
        _ = pipeline.allStates()
        _ = pipeline.snapshotOctets
      } catch {
        refused += 1
      }
    }
    #expect(refused > 10)
  }

  @Test func anotherConfigurationIsRefused() throws {
    let (site, octets) = Self.octets()
    var other = site
    other.configuration.zones[0].exit.dwell = .seconds(77)
    #expect(throws: StateError.configuration) { _ = try Pipeline(other, octets: octets) }
    other = site
    other.configuration.beacons[0].name = "vans"
    #expect(throws: StateError.configuration) { _ = try Pipeline(other, octets: octets) }
    other = site
    other.configuration.receivers[0].calibration.offset += 1
    #expect(throws: StateError.configuration) { _ = try Pipeline(other, octets: octets) }
    other = site
    other.limits = AdmissionLimits()
    #expect(throws: StateError.configuration) { _ = try Pipeline(other, octets: octets) }
  }

  @Test func otherPhonesAreRefused() throws {
    let seed = try #require((0..<20).first { !RandomSite(seed: $0).configuration.phones.isEmpty })
    let (site, octets) = Self.octets(seed: seed)
    let changes: [(inout PhoneSettings) -> Void] = [
      { $0.name = "x" }, { $0.beacon = "x" }, { $0.hasRegionOfEachZone.toggle() },
      { $0.countdown.toggle() },
      { $0.triggers.append(PhoneSettings.Trigger(zone: "x", near: NearDistances(near: 1, rearm: 2))) },
      { $0.profile.os[.grace] += 1 }, { $0.profile.strategy[.scanDuty] += 1 },
    ]
    for change in changes {
      var other = site
      change(&other.configuration.phones[0])
      #expect(throws: StateError.configuration) { _ = try Pipeline(other, octets: octets) }
    }
  }

  @Test func anotherLayoutIsRefusedInWords() throws {
    var (_, octets) = Self.octets(steps: 1)
    octets[4] = 12
    let error = #expect(throws: StateError.layout(12)) { _ = try StateCoder(reading: octets) }
    let own = StateCoder.layout
    #expect(error?.description == "the snapshot has layout 12, and this version reads layout \(own) only")
  }
}
