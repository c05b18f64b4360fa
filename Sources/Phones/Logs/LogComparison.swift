/// A phone's log beside what its profile predicts for the same events.
///
/// What happened to the app (it left the foreground, audio began) comes from the log. Where the beacons were comes from a timeline
/// or a recording; without either, region events and the distances that the app measured come from the log, too. What the
/// app noticed (ranging, background time, near) is compared.
public struct LogComparison: Sendable {
  public let simulation: Simulation
  /// nil: the log stands alone, and its first event is time zero.
  public let alignment: LogAlignment?
  /// The log's time at zero of the timeline.
  public let zero: Milliseconds
  /// Whether the years of the log's times are known.
  public let namesYear: Bool
  /// By time.
  public private(set) var divergences: [Divergence] = []
  /// How many statements of the log were compared.
  public private(set) var compared = 0
  /// How often the log has a near without any distance to compare it with.
  public var uncomparedNears: Int {
    predictsNear ? 0 : seen.count { $0.event.what == .near }
  }

  /// The log's events on the timeline.
  private let seen: [(time: Milliseconds, event: SeenEvent)]
  private let truth: Timeline?
  private let cuts: Set<Int>
  private let tolerance: Milliseconds
  private let tellsNear: Bool
  /// Whether region events are predicted, because distances are known apart from the log.
  private let predictsRegion: Bool

  public enum Obstacle: Error, Hashable, Sendable {
    /// The log has no event with a time.
    case empty
    /// The log and the timeline or recording have no event in common, so their clocks cannot be compared.
    case nothingInCommon
    /// There is more than a year between the first event and the last.
    case tooLong
  }

  /// - Parameters:
  ///   - truth: where the beacons were, and what the log does not tell.
  ///   - tolerance: how far times may be apart, in milliseconds.
  ///   - followsRegion: region events count as in the log, so that a late one makes nothing else diverge.
  public init(
    _ log: SeenLog, with profile: PhoneProfile, near: NearDistances, truth: Timeline? = nil,
    tolerance: Milliseconds = 1000, followsRegion: Bool = false
  ) throws(Obstacle) {
    guard let first = log.events.first?.time, let last = log.events.last?.time else { throw .empty }
    guard last - first <= 366 * 86_400_000 else { throw .tooLong }
    self.tolerance = max(tolerance, 0) + (log.resolution > 1 ? log.resolution : 0)
    tellsNear = log.ownLines > 0 || log.events.contains { $0.what == .near }
    let tellsRegion = log.events.contains { $0.what.isRegionEvent }
    predictsRegion = truth?.tellsDistances ?? false && !(followsRegion && tellsRegion)
    self.truth = truth
    namesYear = log.namesYear
    cuts = log.cuts
    var alignment: LogAlignment?
    if let truth {
      let alone = Simulation(profile, near: near, timeline: truth)
      alignment = LogAlignment(seen: log.events.compactMap(\.mark), truth: alone.marks)
      if alignment == nil { throw .nothingInCommon }
    }
    self.alignment = alignment
    let zero = alignment?.offset ?? first
    self.zero = zero
    seen = log.events.map { event in
      ((event.time ?? first).subtractingReportingOverflow(zero).partialValue, event)
    }
    let inputs = LogInputs(
      seen, truth: truth, predictsRegion: predictsRegion, reach: self.tolerance)
    simulation = Simulation(profile, near: near, timeline: inputs.timeline)
    compare()
  }

  /// The log's time of a time on the timeline, in milliseconds since 1970.
  public func logTime(_ time: Milliseconds) -> Milliseconds {
    time.addingReportingOverflow(zero).partialValue
  }

  private mutating func compare() {
    var found: [Divergence] = []
    var windows = WindowCursor(simulation.windows)
    for (time, event) in seen {
      let near = windows.around(time, tolerance)
      switch event.what {
      case .ranged: found += ranged(at: time, near)
      case .remaining(let left): found += remaining(left, at: time, near)
      case .suspended, .resumed, .terminated:
        if found.count < Divergence.limit { found += state(event.what, at: time, near) }
      // These are compared further down.
      case .expiration: break
      case .near where predictsNear: break
      case .happened(let event) where predictsRegion && event.isRegion: break
      case .happened, .near, .launched, .scan, .inside, .other: continue
      }
      compared += 1
    }
    found += silences() + expirations() + nears()
    if predictsRegion { found += regions() }
    divergences = Divergence.joined(found)
  }

  // MARK: Statements at a time

  private func ranged(at time: Milliseconds, _ windows: ArraySlice<Window>) -> [Divergence] {
    guard let window = windows.last(where: { $0.time <= time }) ?? windows.first,
      !windows.contains(where: { $0.state == .ranging || $0.state == .foreground })
    else { return [] }
    return [
      Divergence(
        .ranged, at: time, predicted: Self.words(window), seen: "the app ranged", reason: window.why)
    ]
  }

  private func remaining(
    _ left: Milliseconds?, at time: Milliseconds, _ windows: ArraySlice<Window>
  ) -> [Divergence] {
    let isMet = windows.indices.contains { index in
      let window = windows[index]
      let next = index + 1 < windows.endIndex ? windows[index + 1].time : .never
      let from = max(window.time, time - tolerance)
      guard let most = window.remaining(at: from), let left else {
        return left == nil && window.remaining(at: from) == nil
      }
      let least = window.remaining(at: max(from, min(next, time + tolerance))) ?? 0
      return left >= least - tolerance && left <= most + tolerance
    }
    guard !isMet, let window = windows.last(where: { $0.time <= time }) ?? windows.first else { return [] }
    let predicted = window.remaining(at: time)
    let constants: [String]? =
      predicted == nil || left == nil ? ["grace"] : predicted == 0 ? nil : ["task_cap", "grace"]
    return [
      Divergence(
        .remaining, at: time, predicted: Self.left(predicted), seen: Self.left(left), reason: window.why,
        constants: constants)
    ]
  }

  private func state(
    _ what: SeenEvent.What, at time: Milliseconds, _ windows: ArraySlice<Window>
  ) -> [Divergence] {
    guard let window = windows.last(where: { $0.time <= time }) ?? windows.first else { return [] }
    let isMet = windows.contains { window in
      switch what {
      case .suspended: window.state == .suspended
      case .terminated: window.state == .terminated
      default: window.isRunning
      }
    }
    if isMet { return [] }
    let seen = what == .suspended ? "suspended" : what == .terminated ? "the process ended" : "the app ran"
    let reason = window.why ?? nextClosing(after: time)
    return [Divergence(.state, at: time, predicted: Self.words(window), seen: seen, reason: reason)]
  }

  // MARK: Missing statements

  /// Spans without a ranging callback in which the app should have ranged in the background. Android calls back only when it
  /// hears something, so silence says nothing there.
  private func silences() -> [Divergence] {
    guard simulation.profile.os.family == .iOS else { return [] }
    let callbacks = seen.indices.filter { if case .ranged = seen[$0].event.what { true } else { false } }
    guard let end = seen.last?.time else { return [] }
    let longest = 3 * simulation.profile[NumberRule.tickPeriod] + 2 * tolerance
    let region = seen.compactMap { time, event in event.what.isInside.map { (time: time, isInside: $0) } }
    let exits = region.filter { !$0.isInside }.map(\.time)
    var found: [Divergence] = []
    var place = 0
    for (index, callback) in callbacks.enumerated() where found.count < Divergence.limit {
      let from = seen[callback].time
      let isLast = index + 1 == callbacks.count
      let next = isLast ? seen.count - 1 : callbacks[index + 1]
      let to = isLast ? end : seen[next].time
      guard to - from > longest, !(callback..<max(next, callback + 1)).contains(where: cuts.contains) else {
        continue
      }
      while place < simulation.intervals.count, simulation.intervals[place].to <= from { place += 1 }
      for interval in simulation.intervals[place...].prefix(while: { $0.from < to })
      where interval.state == .ranging {
        let span = max(interval.from, from)..<max(min(interval.to, to), max(interval.from, from))
        guard span.upperBound - span.lowerBound > longest, isHeard(span, region, exits) else { continue }
        let reason = nextClosing(after: span.lowerBound)
        found.append(
          Divergence(
            .silent, at: span.lowerBound + simulation.profile[NumberRule.tickPeriod],
            predicted: "ranging until \(Self.seconds(span.upperBound))",
            seen: seen[callback].time == span.lowerBound
              ? "the last ranging callback was at \(Self.seconds(from))" : "no ranging callback",
            reason: reason,
            constants: reason == nil
              ? Reason.locationConfigRejected.constants + Reason.locationAutoPaused.constants : nil))
        break
      }
    }
    return found
  }

  /// Whether a beacon is in earshot for the whole of a span, as far as known.
  ///
  /// - Parameters:
  ///   - region: the log's region events, by time.
  ///   - exits: when the log says that the phone is outside, by time.
  private func isHeard(
    _ span: Range<Milliseconds>, _ region: [(time: Milliseconds, isInside: Bool)], _ exits: [Milliseconds]
  ) -> Bool {
    let latency = simulation.profile[NumberRule.exitLatency] + tolerance
    let exit = Self.count(exits) { $0 <= span.lowerBound }
    if exit < exits.count, exits[exit] - latency <= span.upperBound { return false }
    guard let truth, predictsRegion else {
      let told = Self.count(region) { $0.time <= span.lowerBound }
      return told == 0 || region[told - 1].isInside
    }
    let heard = Double(simulation.profile[NumberRule.heardDistance]) / 1e6
    return truth.beacons.indices.contains { beacon in
      [span.lowerBound, (span.lowerBound + span.upperBound) / 2, span.upperBound].allSatisfy {
        truth.distance(at: $0, of: beacon).map { $0 <= heard } ?? false
      }
    }
  }

  private func expirations() -> [Divergence] {
    let times = seen.filter { $0.event.what == .expiration }.map(\.time)
    guard !times.isEmpty else { return [] }
    let facts = simulation.history.facts.filter { $0.what == .handlerRan || $0.what == .countdownEnded }.map(
      \.time)
    // Constants of tasks explain nothing about an app that has none.
    let hasTask = simulation.tasks.begins + simulation.tasks.refusals > 0
    let constants = hasTask ? ["task_cap", "expiration_margin", "grace"] : []
    let none =
      hasTask
      ? "no expiration" : "no expiration: \(simulation.profile.strategy.name) begins no background task"
    return matched(predicted: facts, seen: times).map { predicted, seen in
      Divergence(
        .expiration, at: predicted.map { min($0, seen ?? $0) } ?? seen ?? 0,
        predicted: predicted.map { "the expiration handler runs at \(Self.seconds($0))" } ?? none,
        seen: seen.map { "it ran at \(Self.seconds($0))" } ?? "it did not run", reason: .taskExpired,
        constants: constants)
    }
  }

  private func regions() -> [Divergence] {
    [(Fact.What.regionEnter, PhoneEvent.regionEnter), (.regionExit, .regionExit)].flatMap { fact, event in
      let predicted = simulation.history.facts.filter { $0.what == fact }.map(\.time)
      let times = seen.filter { $0.event.what == .happened(event) }.map(\.time)
      return matched(predicted: predicted, seen: times).map { predicted, seen in
        let isEnter = fact == .regionEnter
        return Divergence(
          .region, at: predicted.map { min($0, seen ?? $0) } ?? seen ?? 0,
          predicted: predicted.map { "\(fact.rawValue) at \(Self.seconds($0))" } ?? "no \(fact.rawValue)",
          seen: seen.map { "\(fact.rawValue) at \(Self.seconds($0))" } ?? "no \(fact.rawValue)",
          reason: predicted == nil || isEnter ? .notDetected : nil,
          constants: isEnter ? ["heard_distance", "entry_latency"] : ["heard_distance", "exit_latency"])
      }
    }
  }

  private var predictsNear: Bool {
    simulation.timeline.tellsDistances || simulation.timeline.entries.contains { $0.event == .near }
  }

  private func nears() -> [Divergence] {
    let timeline = simulation.timeline
    guard predictsNear else { return [] }
    let end = seen.last?.time ?? 0
    var left = Array(seen.lazy.filter { $0.event.what == .near }.prefix(Divergence.limit))
    var found: [Divergence] = []
    for (index, verdict) in simulation.verdicts.prefix(Divergence.limit).enumerated() where tellsNear {
      let name = timeline.name(of: verdict.beacon)
      let next = simulation.verdicts[(index + 1)...].first { $0.beacon == verdict.beacon }?.crossed ?? .never
      let match = left.firstIndex { time, event in
        time >= verdict.crossed - tolerance && time < next
          && (event.beacon == nil || name == nil || event.beacon == name)
      }
      let time = match.map { left.remove(at: $0).time }
      if let time, let delivered = verdict.delivered, abs(time - delivered) <= tolerance { continue }
      if time == nil && (verdict.delivered == nil || verdict.delivered ?? 0 > end + tolerance) { continue }
      let reason = verdict.blockedBy ?? verdict.outcome
      let to = name.map { " of \($0)" } ?? ""
      found.append(
        Divergence(
          .near, at: min(time ?? .never, verdict.delivered ?? .never),
          predicted: verdict.delivered.map { "near\(to) at \(Self.seconds($0))" }
            ?? "near\(to) at \(Self.seconds(verdict.crossed)) is missed: \(verdict.outcome.rawValue)",
          seen: time.map { "near\(to) at \(Self.seconds($0))" } ?? "no near\(to)", reason: reason,
          constants: reason.isDelivered ? reason.constants + ["heard_distance", "near_spread"] : nil))
    }
    found += left.map { time, event in
      let to = event.beacon.map { " of \($0)" } ?? ""
      return Divergence(
        .near, at: time, predicted: "no near\(to)", seen: "near\(to)", constants: ["near_spread"])
    }
    return found
  }

  /// When the phone came into earshot, or left it, and when its log has the region event; nil: it has none, though there were two
  /// minutes for it. Empty unless distances are known from elsewhere than the log.
  func regionDelays(isEnter: Bool) -> [(from: Milliseconds, told: Milliseconds?)] {
    // With fewer common events, the clocks were aligned by these very events.
    guard predictsRegion, let alignment, alignment.matches >= 3, let end = seen.last?.time else { return [] }
    let latency = simulation.profile[isEnter ? NumberRule.entryLatency : NumberRule.exitLatency]
    let told = seen.filter { $0.event.what == .happened(isEnter ? .regionEnter : .regionExit) }.map(\.time)
    let facts = simulation.history.facts.filter { $0.what == .regionEnter || $0.what == .regionExit }
    var delays: [(from: Milliseconds, told: Milliseconds?)] = []
    for (index, fact) in facts.enumerated().prefix(Divergence.limit)
    where fact.what == (isEnter ? .regionEnter : .regionExit) {
      let from = fact.time - latency
      let next = index + 1 < facts.count ? facts[index + 1].time : end
      if let time = told.first(where: { $0 >= from && $0 <= max(next, fact.time) }) {
        delays.append((from, time))
      } else if next - from >= 120_000 {
        delays.append((from, nil))
      }
    }
    return delays
  }

  // MARK: Helpers

  /// How many elements meet a condition, found by binary search: those that meet it must come first.
  private static func count<Element>(_ all: [Element], while isMet: (Element) -> Bool) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if isMet(all[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Pairs each predicted time with the nearest seen one, in order. Returns pairs that differ by more than the tolerance, and
  /// times without a partner.
  private func matched(
    predicted: [Milliseconds], seen times: [Milliseconds]
  ) -> [(predicted: Milliseconds?, seen: Milliseconds?)] {
    let end = seen.last?.time ?? 0
    var rest = times[...]
    var pairs: [(predicted: Milliseconds?, seen: Milliseconds?)] = []
    for (index, time) in predicted.enumerated() where time <= end + tolerance {
      let next = index + 1 < predicted.count ? (time + predicted[index + 1]) / 2 : .never
      while let early = rest.first {
        let later = rest.dropFirst().first ?? .never
        let isFurther = later < next && abs(later - time) < abs(early - time)
        guard early < time - 60_000 || isFurther else { break }
        pairs.append((nil, early))
        rest = rest.dropFirst()
      }
      if let match = rest.first, match < next {
        if abs(match - time) > tolerance { pairs.append((time, match)) }
        rest = rest.dropFirst()
      } else {
        pairs.append((time, nil))
      }
    }
    return pairs + rest.map { (nil, $0) }
  }

  /// What will end the window that is open at a time; nil: nothing.
  private func nextClosing(after time: Milliseconds) -> Reason? {
    simulation.windows.first { $0.time > time && !$0.isRunning }?.why
  }

  private static func words(_ window: Window) -> String {
    window.state.rawValue + (window.why.map { ": \($0.words)" } ?? "")
  }

  private static func left(_ time: Milliseconds?) -> String {
    time.map { "\(seconds($0)) of background time" } ?? "unlimited background time"
  }

  static func seconds(_ time: Milliseconds) -> String { Amount.seconds(time) }
}

/// Finds the windows around times that only increase.
private struct WindowCursor {
  private let windows: [Window]
  private var start = 0

  init(_ windows: [Window]) { self.windows = windows }

  /// The windows in force within `reach` of a time.
  mutating func around(_ time: Milliseconds, _ reach: Milliseconds) -> ArraySlice<Window> {
    while start + 1 < windows.count, windows[start + 1].time <= time - reach { start += 1 }
    var end = min(start + 1, windows.count)
    while end < windows.count, windows[end].time <= time + reach { end += 1 }
    return windows[min(start, end)..<end]
  }
}
