/// A proposal as text, the same on the terminal and on a page.
public struct PlanWords: Sendable {
  let proposal: WakeProposal
  /// The UUID of the regions; nil: the user has to choose one.
  let uuid: String?

  public init(_ proposal: WakeProposal, uuid: String? = nil) {
    self.proposal = proposal
    self.uuid = uuid
  }

  /// The plan in a sentence.
  public var rotation: String {
    guard let plan = proposal.plan, let first = plan.broadcasts.first else { return "Nothing is broadcast." }
    let period = seconds(plan.period)
    if plan.regions == 1 { return "Region 1 is on air for \(seconds(first.duration)) of every \(period)." }
    let starts = plan.broadcasts.map(\.start) + [first.start + plan.period]
    let gaps = zip(starts.dropFirst(), starts).map { $0 - $1 }
    return
      "\(plan.regions) regions take turns: every \(span(gaps)) the next one is on air for "
      + "\(span(plan.broadcasts.map(\.duration))), and after \(period) the first is on again."
  }

  /// `7 s`, or `12 s to 13 s` if they differ.
  private func span(_ times: [Milliseconds]) -> String {
    let (least, most) = (times.min() ?? 0, times.max() ?? 0)
    return least == most ? seconds(least) : "\(seconds(least)) to \(seconds(most))"
  }

  /// The results, line by line.
  public var summary: [(name: String, words: String)] {
    var lines = [("Cover", cover), ("First window", wait)]
    if let proof = proposal.proof {
      lines.append(("Seen in", seen(proof)))
      lines.append(("Worst case", worst(proof.worst)))
    }
    if proposal.plan != nil, proposal.isTight {
      let isOne = proposal.plan?.regions == 1
      lines.append(
        ("Tight", isOne ? "without its region the app sleeps" : "without any one of its regions a gap opens"))
    }
    let cost = proposal.cost
    if proposal.plan != nil {
      lines.append(("Callbacks", "\(number(cost.callbacksPerMinute, 1)) a minute while within reach"))
    }
    lines.append(("Battery", battery))
    let (strategy, always) = (proposal.profile.strategy, Catalogue.strategy(named: "location-always"))
    lines.append(
      ("App review", "\(proposal.reviewRisk.level.rawValue) risk (\(proposal.reviewRisk.note))"))
    if let always, always.name != strategy.name, proposal.profile.os.family == .iOS {
      let risk = always.constant(.reviewRisk)
      lines.append(("", "location-always: \(risk.value.rawValue) risk (\(risk.source.inWords))"))
    }
    if let plan = proposal.plan { lines.append(("To register", registration(plan))) }
    return lines
  }

  /// A percentage. It is never rounded up to 100.
  public static func percent(_ share: Double) -> String {
    number(share < 1 ? min(99.9, share * 100) : 100, 1) + " %"
  }

  private var cover: String {
    let share = proposal.share
    let gap = proposal.longestGap
    let span =
      proposal.request.visit.duration == 3_600_000 ? "an hour" : seconds(proposal.request.visit.duration)
    if proposal.longestWait == nil && proposal.outcome.wait == nil {
      return "none: the app never ranges"
    }
    if gap == 0 && share == 1 { return "100 % of \(span) within reach, no gap" }
    var words = "\(Self.percent(share)) of \(span) within reach"
    if let even = proposal.proof?.share, even > share {
      words += " whatever the latencies, \(Self.percent(even)) where they stay the same"
    }
    return words + "; the longest gap is \(seconds(gap))"
  }

  private var wait: String {
    let visit = proposal.request.visit
    let walk =
      "the walk of \(number(Double(visit.reach) / 1e6, 2)) m at \(number(Double(visit.speed) / 1e6, 2)) m/s takes "
      + seconds(visit.approach)
    guard let wait = proposal.longestWait else {
      return (proposal.outcome.wait == nil ? "never" : "perhaps never: the service may have stopped before")
        + "; \(walk)"
    }
    return "at most \(seconds(wait)) after the phone came within reach; \(walk)"
  }

  private func seen(_ proof: WakeProof) -> String {
    let tolerance = proposal.request.tolerance
    return
      "\(proof.phones) phones, by the policy engine: coming \(seconds(proof.step)) apart, callbacks as early and "
      + "as late as may be" + (tolerance > 0 ? ", broadcasts \(seconds(tolerance)) early and late" : "")
  }

  private func worst(_ found: WakeTrial.Circumstances) -> String {
    if let turn = found.turn {
      return
        "callbacks as early as may be until \(seconds(turn.time)) after the phone came, then as late as may be"
    }
    var words =
      "a phone that comes \(seconds(found.arrival)) into the period, notified of enters after "
      + "\(seconds(found.entryLatency)) and of exits after \(seconds(found.exitLatency))"
    if found.startShift != 0 || found.endShift != 0 {
      func side(_ shift: Milliseconds) -> String {
        shift == 0 ? "in time" : "\(seconds(abs(shift))) \(shift > 0 ? "late" : "early")"
      }
      words += "; broadcasts start \(side(found.startShift)) and end \(side(found.endShift))"
    }
    return words
  }

  private var battery: String {
    let cost = proposal.cost
    func factor(_ factor: Double) -> String { "x" + number(factor, 2) }
    let own =
      "\(factor(cost.batteryWithinReach)) within reach, \(factor(cost.batteryOfDay)) over a day with one visit"
    guard proposal.profile.os.family == .iOS, proposal.profile.strategy.name != "location-always" else {
      return own
    }
    return own + "; with location-always \(factor(cost.batteryOfLocationAlways)) all day"
  }

  private func registration(_ plan: WakePlan) -> String {
    let minors = plan.regions == 1 ? "minor 1" : "minors 1 to \(plan.regions)"
    return (plan.regions == 1 ? "one region" : "\(plan.regions) regions, each by itself")
      + ": UUID \(uuid ?? "of your own"), major 1, \(minors)"
  }
}

/// Rounds to this many decimals and drops trailing zeros.
private func number(_ value: Double, _ decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let rounded = (value * scale).rounded() / scale
  return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
}
