import Glibc
import TestSupport
import Testing

@testable import Phones

/// Plans for real profiles, held to the policy engine.
@Suite struct WakeProposalTests {
  private static let visit = WakeTrial.Visit(reach: 50_000_000, speed: 1_000_000)

  private static func profile(
    _ os: String, _ strategy: String, _ variant: Variant = .observed, set: [(String, String)] = []
  ) throws -> PhoneProfile {
    let system = try #require(Catalogue.system(named: os, variant: variant))
    let strategy = try #require(Catalogue.strategy(named: strategy, variant: .seed))
    var profile = try #require(PhoneProfile(os: system, strategy: strategy))
    for (name, value) in set {
      #expect(try profile.set(name, to: value, source: "test", confidence: .low))
    }
    return profile
  }

  private static let iPhones = ["ios7.0", "ios7", "ios13", "ios16.4", "ios17"]

  @Test(arguments: iPhones)
  func aBackgroundTaskIsKeptAliveForAnHourWheneverThePhoneComes(os: String) throws {
    let proposal = WakeProposal(try Self.profile(os, "background-task"), .init(visit: Self.visit))
    #expect(proposal.verdict == .gapFree)
    let plan = try #require(proposal.plan)
    let proof = try #require(proposal.proof)
    #expect(proof.isGapFree && proof.share == 1)
    // Every second of the period, under six extremes of the latencies.
    #expect(proof.step == 1000 && proof.phones >= 6 * Int(plan.period / 1000))
    #expect(try #require(proof.longestWait) <= Self.visit.approach)
    #expect(plan.regions == 1 && plan.mostAtOnce == 1 && proposal.isTight)
  }

  @Test func tenSecondsAfterEachEventTakeSeveralRegionsAndEachOfThem() throws {
    let proposal = WakeProposal(try Self.profile("ios13", "stock"), .init(visit: Self.visit))
    let plan = try #require(proposal.plan)
    #expect(proposal.verdict == .gapFree && plan.regions == 6 && plan.period == 42_000)
    let conditions = try #require(proposal.conditions)
    for region in 0..<plan.regions {
      let rest = try #require(plan.without(region))
      let trial = WakeTrial(proposal.profile, plan: rest, visit: Self.visit)
      #expect(WakeProof(trial, conditions, everyArrival: false).longestGap > 0)
    }
    #expect(proposal.isTight)
  }

  @Test func aFasterRotationThanTheExitAllowsOpensAGap() throws {
    let proposal = WakeProposal(try Self.profile("ios13", "background-task"), .init(visit: Self.visit))
    let conditions = try #require(proposal.conditions)
    let plan = try #require(proposal.plan)
    for (period, duration) in [(30_000, 4000), (37_000, 7000), (39_000, 4000), (37_000, 2000)]
      as [(Int64, Int64)]
    {
      let other = try WakePlan(
        period: period, broadcasts: [.init(region: 0, start: 0, duration: duration)])
      let trial = WakeTrial(proposal.profile, plan: other, visit: Self.visit)
      #expect(!WakeProof(trial, conditions).isGapFree, "\(period) \(duration) instead of \(plan)")
    }
  }

  @Test func tooFewRegionsCoverAsMuchAsTheyCanAndSaySo() throws {
    let proposal = WakeProposal(
      try Self.profile("ios13", "stock"), .init(visit: Self.visit, regions: 3))
    #expect(proposal.verdict == .none)
    let why = try #require(proposal.why)
    #expect(why.contains("takes 6 regions, and 3 are to be had"), "\(why)")
    let proof = try #require(proposal.proof)
    // Each of the callbacks, 12 s or 13 s apart, is good for 7 s whatever its latency.
    #expect(proposal.sureShare == 21.0 / 37 && proposal.share == 21.0 / 37)
    #expect(proof.share > 21.0 / 37 && proof.share < 1 && proof.longestGap == 6000)
    #expect(proposal.plan?.broadcasts.map(\.start) == [0, 12_000, 24_000])
    #expect(proposal.plan?.regions == 3)
  }

  @Test func aFastPhoneIsWokenInTimeOrTheGapIsReported() throws {
    let profile = try Self.profile("ios13", "background-task")
    let fast = WakeProposal(profile, .init(visit: .init(reach: 10_000_000, speed: 1_000_000)))
    #expect(fast.verdict == .gapFree)
    #expect(try #require(fast.proof?.longestWait) <= 10_000)
    #expect(fast.plan?.regions == 2 && fast.isTight)
    let flying = WakeProposal(profile, .init(visit: .init(reach: 2_000_000, speed: 5_000_000)))
    #expect(flying.verdict == .none)
    #expect(flying.why?.hasPrefix("the soonest that all phones can be woken is") == true)
    #expect(flying.proof?.isGapFree == true)
  }

  /// Turns that overlap, the second shortly after the first: two regions do where an even rotation wakes more often.
  @Test func unevenTurnsWakeLessOftenAndTheEngineFindsNoGap() throws {
    let profile = try Self.profile(
      "ios13", "stock", set: [("grace", "20 s"), ("entry_latency", "10 s"), ("exit_latency", "0 s")])
    let proposal = WakeProposal(
      profile,
      .init(
        visit: .init(reach: 15_000_000, speed: 1_000_000, duration: 600_000), regions: 2, slots: 2,
        tolerance: 0))
    let plan = try #require(proposal.plan)
    #expect(proposal.verdict == .gapFree && proposal.proof?.isGapFree == true)
    let starts = plan.broadcasts.map(\.start)
    #expect(abs(2 * (starts[1] - starts[0]) - plan.period) > 2000, "\(plan.broadcasts)")
    #expect(try #require(proposal.longestWait) <= proposal.request.visit.approach)
  }

  @Test func anAppThatAlwaysListensNeedsNoPlan() throws {
    for (os, strategy) in [
      ("ios7", "location-always"), ("ios17", "activity-session"),
      ("android8", "altbeacon-foreground-service"),
      ("android14", "altbeacon-intent"),
    ] {
      let proposal = WakeProposal(try Self.profile(os, strategy), .init(visit: Self.visit))
      #expect(
        proposal.verdict == .needsNone && proposal.plan == nil && proposal.why != nil, "\(os) \(strategy)")
      #expect(proposal.outcome.isGapFree)
    }
  }

  @Test func anAppThatNoCallbackWakesIsExplained() throws {
    for (os, strategy, words) in [
      ("ios6", "background-task", "ios6 knows no beacons"),
      ("android8", "altbeacon-job", "a job scans for 10 s about every 900 s"),
      ("android8", "altbeacon-legacy", "the system stops the service after 600 s"),
    ] {
      let proposal = WakeProposal(try Self.profile(os, strategy), .init(visit: Self.visit))
      #expect(proposal.verdict == .none && proposal.plan == nil)
      #expect(proposal.why?.contains(words) == true, "\(proposal.why ?? "")")
    }
  }

  /// The planner reckons with each callback by itself, the engine with the whole phone: they never disagree.
  @Test func gapFreePlansHaveNoGapForAnyConstants() throws {
    var random = SeededGenerator(seed: 3)
    var plans = 0
    for _ in 0..<30 {
      let constants = [
        ("grace", "\(Int.random(in: 0...15, using: &random)) s"),
        ("task_cap", "\(Int.random(in: 0...60, using: &random)) s"),
        ("expiration_margin", "\(Int.random(in: 0...6, using: &random)) s"),
        ("entry_latency", "\(Int.random(in: 0...4000, using: &random)) ms"),
        ("exit_latency", "\(Int.random(in: 0...40, using: &random)) s"),
      ]
      let strategy = ["stock", "background-task"].randomElement(using: &random) ?? "stock"
      let proposal = WakeProposal(
        try Self.profile("ios13", strategy, set: constants),
        .init(
          visit: .init(
            reach: .random(in: 5...100, using: &random) * 1_000_000, speed: 1_000_000, duration: 300_000),
          regions: .random(in: 1...20, using: &random), slots: .random(in: 1...3, using: &random),
          tolerance: .random(in: 0...2, using: &random) * 500))
      #expect(proposal.why?.contains("engine") != true, "\(constants) \(strategy) \(proposal.plan as Any)")
      guard proposal.verdict == .gapFree, let plan = proposal.plan else { continue }
      plans += 1
      #expect(proposal.proof?.isGapFree == true)
      #expect(plan.mostAtOnce <= proposal.request.slots && plan.regions <= proposal.request.regions)
      #expect(try #require(proposal.proof?.longestWait) <= proposal.request.visit.approach)
    }
    #expect(plans >= 10)
  }

  @Test(
    arguments: [
      [("task_cap", "300 d")], [("grace", "300 d")], [("entry_latency", "2 h")], [("exit_latency", "2 h")],
      [("slots_taken", "30")], [("slots_taken", "29")], [("region_rank", "20")], [("region_rank", "21")],
      [("grace", "0 s"), ("task_cap", "0 s")], [("task_granted", "false")], [("ends_task", "false")],
      [("guards_task", "false")], [("ranging_started", "false")], [("grace", "1 ms"), ("task_cap", "2 ms")],
    ] as [[(String, String)]])
  func extremeConstantsGiveAnAnswerInTime(constants: [(String, String)]) throws {
    let profile = try Self.profile("ios13", "background-task", set: constants)
    let start = cpuSeconds
    let proposal = WakeProposal(
      profile, .init(visit: .init(reach: 50_000_000, speed: 1_000_000, duration: 300_000)))
    #expect(cpuSeconds - start < 60)
    #expect(proposal.verdict == .gapFree || proposal.why != nil)
    if proposal.verdict == .gapFree { #expect(proposal.proof?.isGapFree == true) }
  }

  /// What this thread computed for, however busy the machine is.
  private var cpuSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }
}
