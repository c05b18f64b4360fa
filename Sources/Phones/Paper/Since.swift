/// How long before a timeline's zero the app went to the background. A phone that walks up to a beacon has been in a pocket for a
/// while: its schedule of scans or samples does not begin with the walk.
public enum Since: Hashable, Sendable {
  /// As the timeline says. If the app is in the background from the start, its schedule begins at zero.
  case timeline
  case before(Milliseconds)
  /// At least `leastInPocket`, and beyond that a part of the schedule's period: the phone's phase.
  case pocket

  public static let leastInPocket: Milliseconds = 3_600_000

  /// One sentence for a header.
  public var words: String {
    switch self {
    case .timeline:
      "The app went to the background when the timeline says so; if it does not, a schedule begins with it."
    case .before(let time): "The app went to the background \(Amount.seconds(time)) before the walk."
    case .pocket:
      "The app went to the background an hour before the walk, and up to one period of its schedule more."
    }
  }

  /// nil: the timeline itself says it.
  ///
  /// - Parameter phase: from 0 to 1, the part of the period that counts with `pocket`.
  func lead(of profile: PhoneProfile, phase: Double) -> Milliseconds? {
    switch self {
    case .timeline: return nil
    case .before(let time): return min(time, PhoneEngine.latest)
    case .pocket:
      let part = (Double(profile.schedulePeriod) * min(max(phase, 0), 1)).rounded()
      return Self.leastInPocket + Milliseconds(part)
    }
  }
}

extension PhoneProfile {
  /// From one scan or sample of the strategy's schedule to the next; 0: it has none.
  var schedulePeriod: Milliseconds {
    switch strategy.mechanism {
    case .cycle, .job: max(strategy[.scanPeriod], strategy[.scanInterval])
    case .sampledLocation:
      strategy[.timerFromFix]
        ? os[.fixLatency] + (strategy[.sampleWindow] ?? 0) + strategy[.sampleInterval]
        : strategy[.sampleInterval]
    case .events, .location, .activitySession, .intent, .foregroundService: 0
    }
  }
}

extension PhoneEngine {
  /// An app that went to the background `lead` before zero, at zero. What it cost until then does not count.
  init(_ rules: PhoneRules, near: NearDistances, inBackgroundFor lead: Milliseconds) {
    self.init(rules, near: near, start: .foreground, at: -lead)
    var before = PolicyOutput()
    apply(.background, at: -lead, into: &before)
    // In a pocket its screen is dark.
    if rules.isAndroid { apply(.screen(false), at: -lead, into: &before) }
    advance(before: 0, into: &before)
    totals = Totals()
    (wasRanging, wasLocating) = (false, false)
    published = nil
  }
}
