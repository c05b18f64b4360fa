import Phones
import TestSupport
import Testing

/// What holds on every timeline: 10,000 random ones.
@Suite struct InvariantTests {
  static let perRange = 2500

  @Test(arguments: 0..<4)
  func invariantsHoldOnRandomTimelines(range: Int) {
    for seed in 0..<Self.perRange {
      let walk = RandomWalk(seed: UInt64(range * Self.perRange + seed), longest: 1200, events: 0...20)
      let broken = Self.brokenInvariant(of: walk)
      #expect(broken == nil, "seed \(range * Self.perRange + seed) \(walk.profile.strategy.name)")
    }
  }

  /// Follows a walk event by event and names the first invariant that does not hold.
  static func brokenInvariant(of walk: RandomWalk) -> String? {
    var engine = PhoneEngine(PhoneRules(walk.profile), near: walk.rule, start: walk.timeline.start)
    if walk.timeline.givesRegionEvents { engine.takeGivenRegionEvents() }
    var output = PolicyOutput()
    var last: Window?
    for (index, entry) in walk.timeline.entries.enumerated() {
      engine.apply(entry.event, at: entry.time, into: &output)
      let tasks = engine.tasks
      if tasks.begins != tasks.ends + tasks.leaks + tasks.held.count { return "ledger" }
      if walk.profile.strategy.mechanism == .sampledLocation && tasks.held.count > 1 { return "task list" }
      let next =
        index + 1 < walk.timeline.entries.count ? walk.timeline.entries[index + 1].time : walk.timeline.end
      guard next > entry.time else { continue }
      let before = engine.totals.ranging
      engine.advance(before: next, into: &output)
      let ran = ([last].compactMap(\.self) + output.windows).contains {
        $0.state != .suspended && $0.state != .terminated
      }
      if !ran && last != nil && engine.totals.ranging > before { return "ranges while it does not run" }
      for window in output.windows {
        // A sample without length still restarts the countdown: it kept the app alive for an instant.
        let isSampled = walk.profile.strategy.mechanism == .sampledLocation
        if let broken = brokenStep(from: last, to: window, in: walk.timeline),
          !(isSampled && broken == "remaining rose")
        {
          return broken
        }
        last = window
      }
      output.removeAll()
    }
    return nil
  }

  static func brokenStep(from last: Window?, to window: Window, in timeline: Timeline) -> String? {
    let isTold = timeline.entries.contains { entry in
      guard entry.time == window.time else { return false }
      switch entry.event {
      case .background, .backgroundFetch, .beginTask: return true
      default: return false
      }
    }
    let runs = window.state != .suspended && window.state != .terminated
    if let expires = window.expires, runs, expires <= window.time { return "runs without time" }
    guard let last else { return nil }
    if window.time < last.time || window.since < last.since { return "time runs backwards" }
    if last.state != .suspended, last.state != .terminated, let was = last.expires,
      let expires = window.expires
    {
      if expires > was && !isTold {
        return "remaining rose"
      }
    }
    if last.state == .terminated, window.state == .ranging, window.time == last.time {
      return "ranges when ended"
    }
    return nil
  }

  /// Strategies that cannot leak a task: guarded, ended by the handler, and nobody else begins any.
  @Test(arguments: 0..<4)
  func aLargerCapNeverLosesADelivery(range: Int) {
    for seed in 0..<300 {
      var walk = RandomWalk(seed: 7_000_000 + UInt64(range * 300 + seed), family: .iOS)
      walk.profile.strategy[.guardsTask] = true
      walk.profile.strategy[.endsTask] = true
      let events = walk.timeline.entries.filter {
        if case .beginTask = $0.event { return false }
        return true
      }
      let timeline = Timeline(events: events, end: walk.timeline.end, start: walk.timeline.start)
      let small = Simulation(walk.profile, near: walk.rule, timeline: timeline)
      walk.profile.os[.taskCap] += [1, 20_000, 400_000][seed % 3]
      let large = Simulation(walk.profile, near: walk.rule, timeline: timeline)
      let lost = small.verdicts.filter { verdict in
        verdict.outcome.isDelivered && verdict.delivered! <= timeline.end
          && !large.verdicts.contains { $0.crossed == verdict.crossed && $0.outcome.isDelivered }
      }
      #expect(lost.isEmpty, "seed \(range * 300 + seed) \(walk.profile.strategy.name)")
    }
  }

  /// A phone followed live, looked at again and again, says what a timeline on paper says.
  @Test func lookingOftenChangesNothing() {
    for seed in 0..<300 {
      let walk = RandomWalk(seed: 9_000_000 + UInt64(seed))
      var random = SeededGenerator(UInt64(seed))
      var once = PhoneEngine(PhoneRules(walk.profile), near: walk.rule, start: walk.timeline.start)
      var often = once
      if walk.timeline.givesRegionEvents {
        once.takeGivenRegionEvents()
        often.takeGivenRegionEvents()
      }
      var (first, second) = (PolicyOutput(), PolicyOutput())
      for entry in walk.timeline.entries {
        while let due = often.nextDeadline, due < entry.time, random.chance(70) {
          often.advance(before: due + 1, into: &second)
        }
        often.advance(before: entry.time, into: &second)
        once.apply(entry.event, at: entry.time, into: &first)
        often.apply(entry.event, at: entry.time, into: &second)
      }
      once.advance(through: walk.timeline.end, into: &first)
      often.advance(through: walk.timeline.end, into: &second)
      #expect(first.windows == second.windows && first.verdicts == second.verdicts, "seed \(seed)")
      #expect(once.totals == often.totals)
    }
  }
}
