/// What phones' logs say about the constants of a profile. All observations are kept, so that one can see how many there are.
public struct LogFit: Sendable {
  /// The observations of one constant.
  public struct Row: Hashable, Sendable {
    public let rule: String
    /// In ascending order, in milliseconds; at least one.
    public let values: [Milliseconds]
    /// How often nothing came at all, besides.
    public let never: Int
    /// In how many logs it was observed.
    public let logs: Int

    public var count: Int { values.count }
    public var median: Milliseconds { values[values.count / 2] }
    public var least: Milliseconds { values[0] }
    public var most: Milliseconds { values[values.count - 1] }

    /// Whether the constant differs from visit to visit, so that a distribution says more than a median.
    public var isSpread: Bool { LogFit.spread.contains(rule) }

    /// The observations in the words of the table of rules: each of a few, or quantiles; and how many they are.
    public var spread: (values: String, never: String, trials: String) {
      func text(_ value: Milliseconds) -> String { Amount.seconds((value + 50) / 100 * 100) }
      let quantiles = [10, 25, 50, 75, 90].map { "\($0) % \(text(values[(count - 1) * $0 / 100]))" }
      return (
        count <= 8
          ? values.map(text).joined(separator: ", ")
          : ([text(least)] + quantiles + [text(most)]).joined(separator: ", "),
        never > 0 ? "\(never) of \(count + never)" : "", String(count)
      )
    }

    /// The median, no finer than the values agree: to 1 ms, 10 ms, 100 ms or 1 s, the first that is at least a fifth of what
    /// lies between the middle half of them. Fewer than five values agree to 100 ms at best.
    public var rounded: Milliseconds {
      let middle = values[values.count * 3 / 4] - values[values.count / 4]
      let step: Milliseconds = [1, 10, 100].first { $0 * 5 >= middle && (count >= 5 || $0 == 100) } ?? 1000
      return max(step, (median + step / 2) / step * step)
    }
  }

  /// Further observations of a constant change nothing.
  private static let limit = 10_000
  /// Further statements of a countdown change nothing; the median is taken at each.
  private static let zeroLimit = 200
  private static let spread = ["entry_latency", "exit_latency", "grace", "scan_interval"]
  private var values: [String: [Milliseconds]] = [:]
  private var nevers: [String: Int] = [:]
  private var logs: [String: Int] = [:]

  public init() {}

  /// The constants with an observation, by name.
  public var rows: [Row] {
    values.map { rule, values in
      Row(rule: rule, values: values.sorted(), never: nevers[rule] ?? 0, logs: logs[rule] ?? 0)
    }.sorted { $0.rule < $1.rule }
  }

  /// Adds the observations in a log. They come from the phone's own statements. If a statement depends on another constant, the
  /// profile's value is used.
  public mutating func add(_ log: SeenLog, _ comparison: LogComparison) {
    let before = observations
    defer {
      for (rule, count) in observations where count > before[rule] ?? 0 { logs[rule, default: 0] += 1 }
    }
    let profile = comparison.simulation.profile
    addCountdowns(log.events, profile)
    // Android calls back at each packet, so that the beacon's interval would be measured.
    if profile.os.family == .iOS { addTicks(log.events) }
    addScans(log.events)
    addRegion("entry_latency", comparison.regionDelays(isEnter: true))
    addRegion("exit_latency", comparison.regionDelays(isEnter: false))
  }

  private var observations: [String: Int] { values.mapValues(\.count).merging(nevers, uniquingKeysWith: +) }

  private mutating func note(_ rule: String, _ value: Milliseconds) {
    guard value >= 0, values[rule, default: []].count < Self.limit else { return }
    values[rule, default: []].append(value)
  }

  // MARK: Background time

  /// A row of `remaining` that count down to the same instant.
  private struct Countdown {
    var begin: PhoneEvent?
    var beginTime: Milliseconds
    /// When background time was last said to be unlimited, or when it began.
    var unlimited: Milliseconds
    var first: Milliseconds
    /// When time runs out, by each statement.
    var zeros: [Milliseconds] = []
  }

  private mutating func addCountdowns(_ events: [SeenEvent], _ profile: PhoneProfile) {
    var countdown: Countdown?
    var last: (event: PhoneEvent, time: Milliseconds)?
    var unlimited = Milliseconds.min
    var zero: Milliseconds?
    for event in events {
      guard let time = event.time else { continue }
      switch event.what {
      case .happened(let happened)
      where [.foreground, .background, .regionEnter, .regionExit].contains(happened):
        if happened == .background, let last, last.event.isRegion, time - last.time < profile[.grace] {
          // Grace goes on into the background, so that the countdown does not begin now.
          continue
        }
        conclude(&countdown, profile)
        last = (happened, time)
        zero = nil
      case .inside(let isInside) where last?.event != .foreground:
        conclude(&countdown, profile)
        last = (isInside ? .regionEnter : .regionExit, time)
        zero = nil
      case .remaining(let left?) where left > 0:
        let end = time + left
        if let known = countdown?.zeros.last, abs(known - end) > 3000 { conclude(&countdown, profile) }
        if countdown == nil {
          let begin = last?.time ?? time
          countdown = Countdown(
            begin: last?.event, beginTime: begin, unlimited: max(begin, unlimited), first: time)
        }
        if let known = countdown?.zeros, known.count < Self.zeroLimit {
          countdown?.zeros.append(end)
          zero = LogAlignment.median((known + [end]).sorted())
        }
      case .remaining(nil):
        conclude(&countdown, profile)
        unlimited = time
      case .expiration:
        if let zero {
          note("expiration_margin", zero - time)
        } else if let last, last.event == .background {
          note("task_cap", time - last.time + profile[.expirationMargin])
        }
      case .terminated:
        if let zero, time >= zero, time - zero < 10_000 { note("kill_delay", time - zero) }
      default: continue
      }
    }
    conclude(&countdown, profile)
  }

  private mutating func conclude(_ countdown: inout Countdown?, _ profile: PhoneProfile) {
    defer { countdown = nil }
    // A single statement may be one of a clock that is just being set.
    guard let ended = countdown, ended.zeros.count > 1, let begin = ended.begin, begin != .foreground,
      let zero = LogAlignment.median(ended.zeros.sorted())
    else { return }
    let span = zero - ended.beginTime
    if begin == .background { return note("task_cap", span) }
    // Grace, then the countdown; grace ended between the last unlimited statement and the first other one.
    let (grace, cap) = (profile[.grace], profile[.taskCap])
    let ends = ended.unlimited - 100...ended.first + 100
    if ends.contains(zero - cap) {
      note("grace", span - cap)
    } else if ends.contains(ended.beginTime + grace) {
      note("task_cap", span - grace)
    }
  }

  // MARK: Callbacks

  private mutating func addTicks(_ events: [SeenEvent]) {
    var last: [String?: Milliseconds] = [:]
    for event in events {
      guard case .ranged = event.what, let time = event.time else { continue }
      // Several callbacks in a row, or none for a while, are not a period.
      if let before = last[event.beacon], (200...5000).contains(time - before) {
        note("tick_period", time - before)
      }
      if last.count < 1000 || last[event.beacon] != nil { last[event.beacon] = time }
    }
  }

  private mutating func addScans(_ events: [SeenEvent]) {
    var start: Milliseconds?
    var isInBackground = false
    for event in events {
      guard let time = event.time else { continue }
      switch event.what {
      case .happened(.background): (isInBackground, start) = (true, nil)
      case .happened(.foreground): isInBackground = false
      case .scan(true) where isInBackground:
        if let start { note("scan_interval", time - start) }
        start = time
      case .scan(false) where isInBackground:
        if let start { note("scan_period", time - start) }
      default: continue
      }
    }
  }

  /// Where a timeline or a recording says when the phone came into earshot, or left it.
  private mutating func addRegion(_ rule: String, _ delays: [(from: Milliseconds, told: Milliseconds?)]) {
    for (from, told) in delays {
      if let told { note(rule, told - from) } else { nevers[rule, default: 0] += 1 }
    }
  }
}
