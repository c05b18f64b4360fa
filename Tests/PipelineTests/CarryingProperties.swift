import Beacons
import Messages
import Proximity
import Randomness
import Settings
import Testing

@testable import Pipeline

/// A reload is noticed only by those whom it concerns.
@Suite struct CarryingProperties {
  /// What a pipeline says of events, one that was reloaded beside one that was not.
  private func play(
    seed: UInt64, change: (inout Configuration) -> Void,
    _ compare: (_ step: Int, _ event: RandomSite.Event, _ alone: [String], _ reloaded: [String]) -> Void
  ) -> (Pipeline, Pipeline) {
    var site = RandomSite(seed: seed)
    // Whoever has to wait for a crowd may wait for another time.
    site.limits = AdmissionLimits()
    var dice = SeededGenerator(seed: seed &+ 7)
    var alone = Pipeline(site)
    var reloaded = alone
    for step in 0..<1500 {
      if dice.oneIn(100) {
        var (new, ignored) = (reloaded.configuration, Pipeline.Output())
        change(&new)
        reloaded.release(for: new, at: site.time, into: &ignored)
        reloaded = reloaded.reconfigured(new)
        alone.advance(to: site.time, into: &ignored)
      }
      let event = site.next()
      compare(step, event, alone.say(to: event), reloaded.say(to: event))
    }
    return (alone, reloaded)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a reload of the same configuration is not noticed`(seed: UInt64) {
    var (alone, reloaded) = play(seed: seed) {
      $0.broker = .remote(RemoteBroker(host: "elsewhere", port: 1883))
    } _: { step, event, alone, reloaded in
      // Home Assistant is told of all beacons again.
      if case .collected = event { return }
      #expect(reloaded == alone, "step \(step)")
    }
    for _ in 0..<2 {
      _ = alone.say(to: .collected)
      _ = reloaded.say(to: .collected)
    }
    #expect(reloaded.snapshotOctets == alone.snapshotOctets)
    #expect(reloaded.allStates() == alone.allStates())
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `nobody notices that a beacon and its zone are added`(seed: UInt64) {
    var told = 0
    _ = play(seed: seed) { new in
      let name = "another \(new.beacons.count)"
      new.beacons.append(
        BeaconSettings(name: name, pattern: .address(0xD000_0000_0000 + UInt64(new.beacons.count))))
      let rule = Rule(threshold: .signal(-70), dwell: .zero)
      new.zones.insert(ZoneSettings(name: name, beacons: [name], enter: rule, exit: rule), at: 0)
    } _: { step, _, alone, reloaded in
      let (alone, reloaded) = (decided(alone), decided(reloaded))
      told += alone.count
      #expect(reloaded == alone, "step \(step)")
    }
    #expect(told > 10)
  }

  /// Transitions, events and verdicts. Those of one moment come in the order of the beacons' indices.
  private func decided(_ lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("beaconkeeper/") && $0.contains(" false {") }.sorted()
  }
}
