/// Whether a phone needs a plan, which one, and why none is good enough.
struct Decision {
  var verdict: WakeProposal.Verdict
  var why: String?
  var plan: WakePlan?
  /// The share of time that the plan is certain to cover; nil without a plan.
  var sureShare: Double?

  init(_ profile: PhoneProfile, idle: WakeTrial, _ conditions: WakeConditions) {
    let alone = idle.outcome(
      WakeTrial.Circumstances(
        entryLatency: conditions.entryLatency.upperBound, exitLatency: conditions.exitLatency.upperBound))
    guard profile.os[.supportsBeacons] else {
      self.init(verdict: .none, why: "\(profile.os.name) knows no beacons")
      return
    }
    if profile.os.family == .android {
      self.init(profile, scheduled: alone)
    } else if alone.isGapFree {
      self.init(verdict: .needsNone, why: "\(profile.strategy.name) keeps the app running by itself")
    } else {
      self.init(conditions)
      let rules = PhoneRules(profile)
      if verdict == .none, alone.wait != nil, let limit = rules.autoPauseAfter {
        let end = rules[.resumesWhenMoving] ? "it moves" : "the app is opened"
        why =
          "location pauses itself when the phone has lain still for \(seconds(limit)), until \(end), and "
          + (why ?? "nothing else wakes it")
      }
    }
  }

  private init(verdict: WakeProposal.Verdict, why: String?) {
    self.verdict = verdict
    self.why = why
  }

  private init(_ conditions: WakeConditions) {
    let search = RotationSearch(conditions: conditions)
    var rotation: Rotation?
    if conditions.window > 0, conditions.regions > 0, let best = search.best() {
      self.init(verdict: .gapFree, why: nil)
      rotation = best
    } else {
      let obstacle = Obstacle(conditions)
      self.init(verdict: .none, why: obstacle.words)
      rotation = obstacle.bestRotation
    }
    plan = try? rotation?.plan()
    sureShare = rotation.map { SureCover(conditions: conditions, rotation: $0).share }
  }

  /// Android: callbacks open no window; only the scan schedule does.
  private init(_ profile: PhoneProfile, scheduled alone: WakeTrial.Outcome) {
    let strategy = profile.strategy
    let period = seconds(strategy[.scanPeriod])
    let doze = profile.os[.dozeAfter].map {
      ", until Doze stops it: after \(seconds($0)) in which the phone lies still with its screen off"
    }
    switch strategy.mechanism {
    case .foregroundService where alone.isGapFree:
      self.init(
        verdict: .needsNone, why: "a foreground service scans all the time, whatever is on air" + (doze ?? "")
      )
    case .intent where alone.isGapFree:
      self.init(
        verdict: .needsNone,
        why:
          "the system scans and runs the app as long as the beacon is heard" + (doze ?? "")
          + ". Keep one beacon on air without a pause")
    case .cycle:
      let limit = profile.os[.serviceLimit].map {
        ", and the system stops the service after \(seconds($0))"
      }
      self.init(
        verdict: .none,
        why:
          "the app's service scans \(period) of every \(seconds(strategy[.scanInterval])), whatever is on "
          + "air" + (limit ?? ""))
    case .job:
      self.init(
        verdict: .none,
        why:
          "a job scans for \(period) about every \(seconds(strategy[.scanInterval])), whatever is on air")
    default:
      self.init(verdict: .none, why: "the schedule of scans decides when the app listens, whatever is on air")
    }
  }
}

/// Why no plan is free of gaps, and which comes closest.
struct Obstacle {
  let words: String
  let bestRotation: Rotation?

  init(_ conditions: WakeConditions) {
    let search = RotationSearch(conditions: conditions)
    guard conditions.regions > 0 else {
      words = "the app has no region left to register"
      bestRotation = nil
      return
    }
    guard conditions.window > 0 else {
      words = "a region event gives the app no time to range"
      bestRotation = nil
      return
    }
    if let soonest = search.soonest() {
      let wait = SureCover(conditions: conditions, rotation: soonest).longestWait
      words =
        "the soonest that all phones can be woken is \(seconds(wait)) after they come within reach, and by "
        + "\(seconds(conditions.firstWake)) they must be"
      bestRotation = soonest
      return
    }
    bestRotation = search.mostCovering()
    let (enters, cycle) = (
      Milliseconds(conditions.enterCover.count), conditions.shortestBroadcast + conditions.shortestSilence
    )
    var rich = conditions
    rich.firstWake = .max
    rich.regions = 1000
    if enters == 0 && conditions.exitCover.isEmpty {
      words =
        "a window of \(seconds(conditions.window)) may have closed before the next callback, which may come up to "
        + "\(seconds(conditions.entryLatency.upperBound + 2 * conditions.tolerance)) later than meant"
    } else if let wanted = RotationSearch(conditions: rich).best() {
      let silence = seconds(conditions.shortestSilence)
      words =
        "a region can call back again only after \(silence) of silence, once in \(seconds(cycle)), and each callback "
        + "is good for \(seconds(enters)): that takes \(wanted.regions) regions, and "
        + (conditions.regions == 1 ? "one is" : "\(conditions.regions) are") + " to be had"
    } else if cycle > RotationSearch.longestSpacing {
      words = "a region can call back again only once in \(seconds(cycle))"
    } else {
      words =
        "broadcasts of \(seconds(conditions.shortestBroadcast)) would have to overlap, and the controller has "
        + (conditions.slots == 1 ? "one advertising instance" : "\(conditions.slots) advertising instances")
    }
  }
}

func seconds(_ time: Milliseconds) -> String { Amount.seconds(time) }
