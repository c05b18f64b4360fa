import Beacons
import Core
@testable import Fleet
import TestSupport
import Testing

/// What another wrote into a partition's queue of leases: the partition goes on from it, or begins anew, and no worker stops.
@Suite struct ForgedCheckpointTests {
  private func checkpoint(_ state: [UInt8]) -> [UInt8] {
    Checkpoint(lease: 1, position: 80, worker: "a", seen: [1, 2], state: state).payload
  }

  private let now = WallTime(nanoseconds: (Site.start + 60_000) * 1_000_000)

  /// With the head and the checksum that such a body has.
  private func sealed(_ body: [UInt8]) -> [UInt8] {
    var writer = StateCoder()
    for octet in body { writer.write(octet) }
    return writer.finished()
  }

  @Test func `a damaged checkpoint lets the partition begin anew, and says why`() throws {
    let site = try Site()
    let fresh = FleetPartition(site.configuration, 0, of: 1, epoch: 1)
    var first = FleetPartition(fresh, 0, epoch: 7)
    let queue = site.queue(seconds: 40)
    _ = first.take(queue.prefix(60))
    let payload = checkpoint(first.state())
    let whole = FleetPartition.resume(fresh, 0, epoch: 8, from: payload, at: now)
    #expect(whole.refusal == nil && whole.partition.epoch == 7 && whole.seen == [1, 2])
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let damaged = dice.forged(Array(payload.dropLast(Int.random(in: 0...1, using: &dice))))
      if damaged == payload { continue }
      var heir = FleetPartition.resume(fresh, 0, epoch: 8, from: damaged, at: now)
      #expect(heir.refusal != nil && heir.partition.epoch == 8 && heir.seen.isEmpty)
      #expect(!heir.partition.take(queue.suffix(20)).isEmpty)
    }
    let nothing = FleetPartition.resume(fresh, 0, epoch: 8, from: [], at: now)
    #expect(nothing.refusal == nil && nothing.partition.epoch == 8)
    let missing = FleetPartition.resume(fresh, 0, epoch: 8, from: nil, at: now)
    #expect("\(try #require(missing.refusal))".contains("missing") && missing.partition.epoch == 8)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `a checkpoint that is forged under a fitting checksum stops nobody`(seed: UInt64) throws {
    let site = try Site(hasPhones: seed % 2 == 0)
    let fresh = FleetPartition(site.configuration, 0, of: 1, epoch: 1)
    var first = FleetPartition(fresh, 0, epoch: 7)
    let queue = site.queue(seconds: 40)
    _ = first.take(queue.prefix(90))
    let body = Array(first.state().dropFirst(16).dropLast(8))
    var dice = SeededGenerator(seed: seed)
    var (accepted, refused) = (0, 0)
    for _ in 0..<200 {
      let payload = checkpoint(sealed(dice.forged(body)))
      var heir = FleetPartition.resume(fresh, 0, epoch: 8, from: payload, at: now)
      if heir.refusal == nil { accepted += 1 } else { refused += 1 }
      _ = heir.partition.take(queue[90..<130])
      _ = heir.partition.allStates()
      _ = heir.partition.state()
    }
    #expect(accepted > 10 && refused > 10)
  }

  /// Somebody could once tell a partition any time, and that is in its state.
  @Test func `a checkpoint of the future is told and not believed`() throws {
    let site = try Site()
    let fresh = FleetPartition(site.configuration, 0, of: 1, epoch: 1)
    for (ahead, isBelieved) in [(30_000 as Int64, true), (3_600_000, false), (315_360_000_000, false)] {
      var poisoned = FleetPartition(fresh, 0, epoch: 7)
      _ = poisoned.take([Site.tick(60_000), Site.tick(60_000 + ahead)])
      #expect((poisoned.lead(at: now) == nil) == isBelieved)
      let heir = FleetPartition.resume(fresh, 0, epoch: 8, from: checkpoint(poisoned.state()), at: now)
      #expect((heir.refusal == nil) == isBelieved)
      #expect(heir.partition.epoch == (isBelieved ? 7 : 8))
      if !isBelieved { #expect("\(try #require(heir.refusal))".contains("ahead of this machine's")) }
    }
  }
}

@Suite struct WorkersClocksTests {
  private let now = WallTime(nanoseconds: 1_795_500_000_000_000_000)

  private func tick(_ seconds: Double, worker: String = "a") -> Tick {
    Tick(worker: worker, time: now + .seconds(seconds))
  }

  @Test func `no tick is believed that is ahead of our clock`() {
    let clocks = WorkersClocks()
    #expect(clocks.believe(tick(0), at: now) && clocks.believe(tick(4), at: now))
    #expect(!clocks.believe(tick(6), at: now) && !clocks.believe(tick(3600), at: now))
    // What waited in the queue is from the past.
    #expect(clocks.believe(tick(-86_400), at: now))
  }

  @Test func `nor one that is ahead of most of the others, if ours is wrong`() {
    var clocks = WorkersClocks()
    clocks.hear(tick(-3600, worker: "b"), at: now)
    #expect(clocks.believe(tick(0), at: now), "of two, nobody knows which is wrong")
    clocks.hear(tick(-3601, worker: "c"), at: now)
    #expect(!clocks.believe(tick(0), at: now))
    #expect(clocks.believe(tick(-3599, worker: "b"), at: now))
    clocks.hear(tick(0, worker: "d"), at: now)
    clocks.hear(tick(1, worker: "e"), at: now)
    #expect(clocks.believe(tick(0), at: now))
    // They are gone.
    let later = now + .seconds(20)
    clocks.hear(Tick(worker: "d", time: later), at: later)
    #expect(clocks.believe(Tick(worker: "a", time: later), at: later))
  }
}
