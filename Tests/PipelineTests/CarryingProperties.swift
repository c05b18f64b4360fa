import Beacons
@testable import Configuration
import Contract
import Core
import Proximity
import Scenes
import TestSupport
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
        reloaded = reloaded.reconfigured(new, into: &ignored)
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

  /// A zone of all receivers beside the rooms.
  @Test(arguments: [AddedRoomTests.House.family, .ward])
  func `nobody moves in a family or a ward, whatever the gateway goes through`(house: AddedRoomTests.House)
    throws
  {
    func yaml(_ more: String = "") -> String {
      house.yaml(without: nil) + """

        zones:
          - { name: home, enter: { signal: -95 dBm, dwell: 1 s }, exit: { signal: -105 dBm, dwell: 1 s } }
        \(more)
        """
    }
    var run = try AddedRoomTests.Run(house, without: nil)
    run.scene = try Scene(yaml())
    run.stay(30)
    let all = house.beacons.count
    #expect(run.strayed == [] && run.scene.pipeline.counts.transitions == 2 * all)
    // Read again as it is, and with another zone.
    try run.scene.reload(yaml())
    run.stay(10)
    try run.scene.reload(
      yaml("  - { name: empty, beacons: [b0], enter: { signal: -20 dBm }, exit: { signal: -30 dBm } }"))
    run.stay(10)
    // The process does not run for a while.
    let asleep = run.scene.time
    run.scene.skip(120)
    run.scene.pipeline.pause(from: asleep, to: run.scene.time, into: &run.scene.output)
    run.stay(10)
    #expect(run.strayed == [] && run.scene.pipeline.counts.transitions == 2 * all)
    // After a power cut of an hour; then the clock is set back by that hour.
    let saved = run.scene.pipeline.savedBeacons(at: run.scene.time, wallTime: run.scene.wallTime)
    #expect(saved.count == all)
    var next = Pipeline(try Scene.configuration(yaml()))
    let hour = TimeSpan.seconds(3600)
    let unread = next.restore(
      saved, isSameBoot: false, at: run.scene.time, wallTime: run.scene.wallTime + hour,
      into: &run.scene.output)
    run.scene.replace(next, receiver: run.scene.receiver)
    run.stay(30)
    #expect(unread == 0 && run.strayed == [] && run.scene.pipeline.counts.transitions == 0)
  }
}
