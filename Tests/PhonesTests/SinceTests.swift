import Testing

@testable import Phones

/// A phone has been in the pocket for a while when it comes near.
@Suite struct SinceTests {
  private static func walk(_ since: Since, from metres: Int64 = 5) -> Timeline {
    var timeline = Timeline(approachFrom: metres * 1_000_000, speed: 1_000_000)
    timeline.since = since
    return timeline
  }

  private static func share(_ walk: Walk, _ timeline: Timeline) -> Double {
    let phases = 200
    let delivered = (0..<phases).count { index in
      let phase = (Double(index) + 0.5) / Double(phases)
      return Simulation(walk.profile, near: walk.rule, timeline: timeline, phase: phase).outcome?.isDelivered
        ?? false
    }
    return Double(delivered) / Double(phases)
  }

  @Test func `a scan that begins with the walk is no scan of a phone in the pocket`() {
    let legacy = Walk(os: "android14", strategy: "altbeacon-legacy", near: 2_000_000)
    #expect(legacy.follow(Self.walk(.timeline)).outcome == .delivered)
    #expect(legacy.follow(Self.walk(.before(15_000))).outcome == .betweenScans)
    #expect(Self.share(legacy, Self.walk(.pocket)) == 0)
    #expect(legacy.follow(Self.walk(.pocket)).outcome == .taskExpired)
  }

  @Test func `of the phases of a schedule as many deliver as its scans cover`() {
    // From near at 3 s to the end at 5 s: 10 s of scan and 2 s of waiting, of 310 s.
    let legacy = Walk(os: "android5", strategy: "altbeacon-legacy", near: 2_000_000) {
      $0[.scansBetweenCycles] = false
    }
    #expect(abs(Self.share(legacy, Self.walk(.pocket)) - 12.0 / 310) < 0.01)
  }

  @Test func `a chain of samples is broken after five minutes in the pocket`() {
    let sampled = Walk(os: "ios17", strategy: "task-list-sampled", variant: .observed)
    #expect(sampled.follow(Self.walk(.timeline, from: 50)).outcome == .timerFrozen)
    let late = Walk(os: "ios17", strategy: "task-list-sampled") { $0[.entryLatency] = 60_000 }
    #expect(late.follow(Self.walk(.timeline)).outcome == .delivered)
    #expect(late.follow(Self.walk(.before(300_000))).outcome == .timerFrozen)
  }

  @Test func `what an app costs before the walk does not count`() {
    let always = Walk(os: "ios7", strategy: "location-always")
    let result = always.follow(Self.walk(.before(600_000)))
    #expect(result.totals.ranging == 5000 && result.totals.windows == 1 && result.batteryFactor == 2)
    #expect(result.windows.allSatisfy { $0.time >= 0 } && result.history.facts.allSatisfy { $0.time >= 0 })
  }
}
