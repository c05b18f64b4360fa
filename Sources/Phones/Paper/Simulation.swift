/// The result of a timeline under one profile.
///
/// ```swift
/// // From 50 m at 1 m/s; near is 4 m, and re-arms beyond 6 m.
/// let walk = Timeline(approachFrom: 50_000_000, speed: 1_000_000)
/// let simulation = Simulation(phone, near: NearDistances(near: 4_000_000, rearm: 6_000_000), timeline: walk)
/// for verdict in simulation.verdicts { print(verdict.outcome) }
/// ```
public struct Simulation: Sendable {
  /// A span in which the state stays the same; half-open.
  public struct Interval: Hashable, Sendable {
    public var from: Milliseconds
    public var to: Milliseconds
    public var state: Window.State
  }

  public let profile: PhoneProfile
  public let timeline: Timeline
  /// Until when it was simulated: the timeline's end, or when a window that was open then closed by itself.
  public let end: Milliseconds
  public private(set) var intervals: [Interval]
  /// Every change, with its reason.
  public private(set) var windows: [Window]
  /// One for each crossing of the near threshold.
  public let verdicts: [Verdict]
  /// The callbacks of wake regions.
  public private(set) var callbacks: [RegionCallback]
  public let totals: Totals
  public let tasks: TaskLedger
  /// Empty if none was to be kept.
  public private(set) var history: History
  /// The first verdict's outcome. If the threshold was never crossed: what kept the app from ranging at the end, or nil
  /// if nothing did.
  public let outcome: Reason?
  /// When and why the deciding window closed; nil if it stayed open or there was none.
  public let closing: (time: Milliseconds, why: Reason)?

  /// - Parameters:
  ///   - keepsHistory: false saves time and memory where only the outcome counts.
  ///   - phase: where in its schedule the phone is when the timeline begins, and the beacon in its interval, from 0 to 1; see
  ///     `Since`.
  public init(
    _ profile: PhoneProfile, near: NearDistances, timeline: Timeline, keepsHistory: Bool = true,
    phase: Double = 0.5
  ) {
    let rules = PhoneRules(profile, phase: timeline.since == .pocket ? phase : 0)
    var engine =
      timeline.since.lead(of: profile, phase: phase).map {
        PhoneEngine(rules, near: near, inBackgroundFor: $0)
      } ?? PhoneEngine(rules, near: near, start: timeline.start)
    if timeline.givesRegionEvents { engine.takeGivenRegionEvents() }
    for (index, beacon) in timeline.beacons.enumerated() { engine.place(index, in: beacon.regions) }
    if keepsHistory { engine.keepHistory() }
    engine.history?.facts.removeAll { $0.time < 0 }
    var output = PolicyOutput()
    for entry in timeline.entries { engine.apply(entry.event, at: entry.time, into: &output) }
    engine.advance(through: timeline.end, into: &output)
    let end = engine.closing(after: timeline.end) ?? timeline.end
    engine.advance(through: end, into: &output)
    engine.concludeTrigger(into: &output)

    self.profile = profile
    self.timeline = timeline
    self.end = end
    windows = output.windows
    verdicts = output.verdicts
    callbacks = output.callbacks
    totals = engine.totals
    tasks = engine.tasks
    history = engine.history ?? History()
    intervals = Self.intervals(of: output.windows, until: end)
    let last = output.windows.last?.why ?? (engine.totals.detected == nil ? .notDetected : nil)
    outcome = output.verdicts.first?.outcome ?? last
    closing = Self.closing(in: output.windows, for: output.verdicts.first)
  }

  /// The result without its course, which needs the most memory.
  public var withoutCourse: Simulation {
    var short = self
    (short.intervals, short.windows, short.callbacks, short.history) = ([], [], [], History())
    return short
  }

  /// What the app could do at a time; nil before the start.
  public func window(at time: Milliseconds) -> Window? { windows.last { $0.time <= time } }

  /// `backgroundTimeRemaining` at a time, as the app would read it; nil: unlimited.
  public func remaining(at time: Milliseconds) -> Milliseconds? { window(at: time)?.remaining(at: time) }

  /// `task begun: upload`, by the app's own name for the task.
  public func words(of fact: Fact) -> String {
    let name = fact.task.flatMap { timeline.taskNames[$0] }
    return fact.what.rawValue + (name.map { ": \($0)" } ?? "")
  }

  public var batteryFactor: Double {
    totals.batteryFactor(over: end, of: profile)
  }

  private static func intervals(of windows: [Window], until end: Milliseconds) -> [Interval] {
    var intervals: [Interval] = []
    for (index, window) in windows.enumerated() {
      let to = index + 1 < windows.count ? windows[index + 1].time : end
      if let last = intervals.last, last.state == window.state {
        intervals[intervals.count - 1].to = to
      } else if to > window.time {
        intervals.append(Interval(from: window.time, to: to, state: window.state))
      }
    }
    return intervals
  }

  /// The end of the window that delivered. For a miss, the end of the last window before the crossing.
  private static func closing(in windows: [Window], for verdict: Verdict?) -> (
    time: Milliseconds, why: Reason
  )? {
    var closings: [(time: Milliseconds, why: Reason)] = []
    var wasRunning = false
    var wasRunningAtCrossing = false
    for window in windows {
      if wasRunning && !window.isRunning {
        closings.append((window.time, window.why ?? .notDetected))
      } else if window.why == .taskLeakKilled, !closings.isEmpty {
        closings[closings.count - 1].why = .taskLeakKilled
      }
      wasRunning = window.isRunning
      if let verdict, window.time <= verdict.crossed { wasRunningAtCrossing = wasRunning }
    }
    guard let verdict else { return closings.last }
    if let delivered = verdict.delivered { return closings.first { $0.time > delivered } }
    if wasRunningAtCrossing { return closings.first { $0.time > verdict.crossed } }
    return closings.last { $0.time <= verdict.crossed }
  }

  /// The constants behind the outcome and, if it was late, behind what blocked it.
  public var decidingConstants: [StatedRule] {
    profile.constants(verdicts.first?.constants ?? outcome?.constants ?? [])
  }
}

extension Window {
  var isRunning: Bool { state == .foreground || state == .ranging || state == .background }
}

extension PhoneEngine {
  /// A little after the open window closes by itself if nothing else happens; nil if it does not close, or none is open.
  fileprivate func closing(after end: Milliseconds) -> Milliseconds? {
    guard !rules.isAndroid, isRunning || (lifecycle == .suspended && !tasks.isEmpty) else { return nil }
    var probe = self
    var output = PolicyOutput()
    probe.advance(through: end + rules[.grace] + rules[.taskCap] + rules[.killDelay] + 1, into: &output)
    guard let first = output.windows.firstIndex(where: { !$0.isRunning }) else { return nil }
    var time = output.windows[first].time
    if let killed = output.windows[first...].first(where: { $0.why == .taskLeakKilled }) {
      time = killed.time
    }
    return time + 1000
  }
}
