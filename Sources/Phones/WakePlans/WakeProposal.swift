/// A plan for a gateway that keeps one kind of phone listening, and how well that worked in simulation.
///
/// ```swift
/// let proposal = WakeProposal(phone, WakeProposal.Request(visit: .init(reach: 50_000_000, speed: 1_000_000)))
/// if proposal.verdict == .gapFree, let plan = proposal.plan { print(plan.period, plan.broadcasts) }
/// ```
public struct WakeProposal: Sendable {
  /// The conditions at the site, and the resources of the gateway.
  public struct Request: Sendable, Hashable {
    public var visit: WakeTrial.Visit
    /// How many regions at most; the system's own limit applies as well.
    public var regions: Int
    /// Advertising instances of the controller.
    public var slots: Int
    /// How far the start and end of a broadcast may be off, in both directions.
    public var tolerance: Milliseconds

    public init(
      visit: WakeTrial.Visit, regions: Int = WakePlan.mostRegions, slots: Int = 1,
      tolerance: Milliseconds = 1000
    ) {
      self.visit = visit
      self.regions = regions
      self.slots = slots
      self.tolerance = tolerance
    }
  }

  public enum Verdict: Sendable, Hashable {
    /// The plan leaves no gap.
    case gapFree
    /// The app listens without a plan.
    case needsNone
    /// No plan is free of gaps. The best one may be given.
    case none
  }

  public let profile: PhoneProfile
  public let request: Request
  public let verdict: Verdict
  /// A sentence without its full stop: why no plan is needed, or why there is none.
  public let why: String?
  /// nil if callbacks change nothing.
  public let conditions: WakeConditions?
  public let plan: WakePlan?
  public let proof: WakeProof?
  /// The share of time that the plan covers whatever the latency of each callback; nil without a plan.
  public let sureShare: Double?
  /// Whether every region is needed: without any one of them there is a gap.
  public let isTight: Bool
  /// The cost of the plan or, if nothing is broadcast, of the strategy alone.
  public let cost: WakeCost
  /// One visit with the latest callbacks: with the plan, or with the strategy alone.
  public let example: Simulation

  public init(_ profile: PhoneProfile, _ request: Request) {
    self.init(profile, request, alike: nil)
  }

  /// Proposals for several phones, in their order. Phones that behave alike under the same conditions share the
  /// search and the proof. Each has its own example and cost.
  public static func all(for phones: [(profile: PhoneProfile, request: Request)]) -> [WakeProposal] {
    var proposals: [WakeProposal] = []
    for (profile, request) in phones {
      // Without a plan there is nothing to share, and the reason may contain the phone's name.
      let alike = proposals.first {
        $0.plan != nil && $0.request == request && $0.profile.behaves(like: profile)
      }
      proposals.append(WakeProposal(profile, request, alike: alike))
    }
    return proposals
  }

  private init(_ profile: PhoneProfile, _ request: Request, alike: WakeProposal?) {
    self.profile = profile
    self.request = request
    let idle = WakeTrial(profile, plan: nil, visit: request.visit)
    let window = profile.windowAfterCallback
    let conditions = WakeConditions(profile, window: window, request)
    let found = alike.map(WakeAnswer.init) ?? WakeAnswer(profile, request, idle: idle, conditions)
    self.conditions = profile.os.family == .iOS && window > 0 ? conditions : nil
    (verdict, why, plan) = (found.verdict, found.why, found.plan)
    (proof, sureShare, isTight) = (found.proof, found.sureShare, found.isTight)
    let trial = found.plan.map { WakeTrial(profile, plan: $0, visit: request.visit) } ?? idle
    let circumstances = WakeTrial.Circumstances(
      entryLatency: conditions.entryLatency.upperBound, exitLatency: conditions.exitLatency.upperBound)
    example = trial.simulation(circumstances)
    cost = WakeCost(trial, circumstances)
  }

  /// The outcome of the example visit.
  public var outcome: WakeTrial.Outcome { WakeTrial.Outcome(example, until: request.visit.duration) }

  /// The share of a visit, from the first window on, in which the app is certain to range.
  public var share: Double { min(sureShare ?? 1, proof?.share ?? outcome.share) }
  public var longestGap: Milliseconds { proof?.longestGap ?? outcome.longestGap }
  /// The longest time from arrival to the first window; nil: there may be no window.
  public var longestWait: Milliseconds? {
    if let proof { return proof.longestWait }
    // The example begins with a scan. Other phones arrive just after one.
    switch profile.strategy.mechanism {
    case .cycle where profile.os[.serviceLimit] != nil: return nil
    case .cycle, .job:
      return outcome.wait.map { max($0, profile.schedulePeriod - profile.strategy[.scanPeriod]) }
    default: return outcome.wait
    }
  }
}

extension WakeConditions {
  init(_ profile: PhoneProfile, window: Milliseconds, _ request: WakeProposal.Request) {
    let (os, strategy) = (profile.os, profile.strategy)
    var free = os[.regionLimit] - (strategy[.regionRank] - 1)
    var entry = os[.entryLatency]
    if strategy[.slotsTaken] >= os[.slotLimit] {
      entry = max(entry, os[.slowSlotLatency])
    } else {
      free = min(free, os[.slotLimit] - strategy[.slotsTaken])
    }
    self.init(
      window: min(window, RotationSearch.longestSpacing), entryLatency: 0...max(0, entry),
      exitLatency: 0...max(0, os[.exitLatency]), tolerance: request.tolerance,
      firstWake: request.visit.approach,
      regions: min(request.regions, WakePlan.mostRegions, Int(min(max(free, 0), 1000))), slots: request.slots)
  }
}

extension PhoneProfile {
  /// How long the app ranges after a region event that is far from all others, as the engine computes it.
  var windowAfterCallback: Milliseconds {
    let late: Milliseconds = 4 * 3_600_000
    let timeline = Timeline(
      events: [.init(time: 0, event: .still(true)), .init(time: late, event: .regionEnter)],
      end: late + 2 * RotationSearch.longestSpacing, start: .background)
    let simulation = Simulation(self, near: NearDistances(near: nil, rearm: 0), timeline: timeline)
    let window = simulation.intervals.first { $0.state == .ranging && $0.to > late }
    return window.map { $0.to - max($0.from, late) } ?? 0
  }
}

/// The plan for a phone, with its proof; shared by phones that behave alike.
struct WakeAnswer {
  var verdict: WakeProposal.Verdict
  var why: String?
  let plan: WakePlan?
  let proof: WakeProof?
  let sureShare: Double?
  let isTight: Bool

  init(_ proposal: WakeProposal) {
    (verdict, why, plan) = (proposal.verdict, proposal.why, proposal.plan)
    (proof, sureShare, isTight) = (proposal.proof, proposal.sureShare, proposal.isTight)
  }

  init(
    _ profile: PhoneProfile, _ request: WakeProposal.Request, idle: WakeTrial, _ conditions: WakeConditions
  ) {
    let decision = Decision(profile, idle: idle, conditions)
    func prove(_ plan: WakePlan, everyArrival: Bool = true) -> WakeProof {
      WakeProof(
        WakeTrial(profile, plan: plan, visit: request.visit), conditions, everyArrival: everyArrival)
    }
    (verdict, why) = (decision.verdict, decision.why)
    plan = decision.plan
    sureShare = decision.sureShare
    proof = decision.plan.map { prove($0) }
    if verdict == .gapFree, let proof, !proof.isGapFree {
      verdict = .none
      why = "the policy engine found a gap in the best plan"
    }
    let gapFree = verdict == .gapFree ? decision.plan : nil
    let rest = gapFree.map { plan in (0..<plan.regions).compactMap { plan.without($0) } } ?? []
    isTight = gapFree != nil && rest.allSatisfy { !prove($0, everyArrival: false).isGapFree }
  }
}

/// What a plan costs a phone.
public struct WakeCost: Sendable, Hashable {
  /// Enters and exits that wake the app while it is within reach.
  public let callbacksPerMinute: Double
  /// Drain within reach, as a multiple of the drain without ranging.
  public let batteryWithinReach: Double
  /// Drain over a day with one such visit; the phone is out of reach for the rest.
  public let batteryOfDay: Double
  /// The same day with location updates that always keep the app running (S3), if the system allows them.
  public let batteryOfLocationAlways: Double

  static let day: Milliseconds = 86_400_000

  init(_ trial: WakeTrial, _ circumstances: WakeTrial.Circumstances) {
    let visit = trial.simulation(circumstances)
    let minutes = Double(trial.visit.duration) / 60_000
    let calls = visit.callbacks.count { $0.time <= trial.visit.duration }
    callbacksPerMinute = minutes > 0 ? Double(calls) / minutes : 0
    batteryWithinReach = visit.batteryFactor
    batteryOfDay = Self.day(visit.profile, visit.timeline).batteryFactor
    var os = visit.profile.os
    os[.locationAccuracyLimit] = nil
    os[.allowsDistanceFilter] = true
    let always = Catalogue.strategy(named: "location-always").flatMap { PhoneProfile(os: os, strategy: $0) }
    batteryOfLocationAlways =
      always.map { Self.day($0, visit.timeline).batteryFactor } ?? os[.fullDutyFactor]
  }

  private static func day(_ profile: PhoneProfile, _ timeline: Timeline) -> Simulation {
    let near = NearDistances(near: nil, rearm: 0)
    let day = Approach(name: "", near: near, timeline: timeline).followedByAbsence(until: day)
    return Simulation(profile, near: near, timeline: day, keepsHistory: false)
  }
}

extension WakeProposal {
  /// The constants of the profile that decide the plan, or why there is none.
  public var decidingConstants: [StatedRule] {
    let strategy = profile.strategy
    guard profile.os[.supportsBeacons] else { return profile.constants(["supports_beacons"]) }
    switch strategy.mechanism {
    case .cycle: return profile.constants(["scan_period", "scan_interval", "service_limit"])
    case .job: return profile.constants(["scan_period", "scan_interval"])
    case .intent: return profile.constants(["hit_latency", "scan_duty"])
    case .foregroundService: return profile.constants(["scan_duty"])
    case .events, .location, .sampledLocation, .activitySession:
      guard conditions != nil, verdict != .needsNone else { return [] }
      let task = strategy[.beginsTask] ? ["task_cap", "expiration_margin"] : []
      return profile.constants(["grace"] + task + ["entry_latency", "exit_latency", "region_limit"])
    }
  }
}
