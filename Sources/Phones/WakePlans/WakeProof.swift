/// The result of simulating phones that arrive at every phase of a plan, with every extreme of the permitted latencies.
public struct WakeProof: Sendable {
  /// How many phones were simulated.
  public private(set) var phones = 0
  /// The time between two arrivals, milliseconds.
  public let step: Milliseconds
  /// The smallest share of a visit, from the first window on, in which the app ranged.
  public private(set) var share = 1.0
  public private(set) var longestGap: Milliseconds = 0
  /// The longest time from arrival to the first window; nil: a phone was never woken.
  public private(set) var longestWait: Milliseconds? = 0
  /// The circumstances of the longest gap or, without a gap, of the longest wait.
  public private(set) var worst: WakeTrial.Circumstances

  public var isGapFree: Bool { longestWait != nil && longestGap == 0 }

  /// Arrivals are a second apart, or more in long rotations, so that there are no more of them than this.
  static let mostArrivals: Milliseconds = 600

  /// - Parameter everyArrival: false: one phone per extreme of the latencies, which arrives at the period's start.
  public init(_ trial: WakeTrial, _ conditions: WakeConditions, everyArrival: Bool = true) {
    let period = trial.plan?.period ?? 1000
    step = max(1000, (period / Self.mostArrivals + 999) / 1000 * 1000)
    worst = Self.extremes(conditions)[0]
    for extreme in Self.extremes(conditions) {
      for arrival in stride(from: 0, to: everyArrival ? period : 1, by: Int64.Stride(step)) {
        var circumstances = extreme
        circumstances.arrival = arrival
        take(trial.outcome(circumstances), circumstances)
      }
    }
    // One change from early to late callbacks. A few rounds are enough, because all rounds are alike.
    let short = WakeTrial(
      trial.profile, plan: trial.plan,
      visit: .init(
        reach: trial.visit.reach, speed: trial.visit.speed,
        duration: min(trial.visit.duration, 3 * period + 2 * conditions.window)))
    for turn in stride(from: period, to: 2 * period, by: Int64.Stride(step)) {
      let circumstances = Self.turning(conditions, at: turn)
      take(short.outcome(circumstances), circumstances, countsShare: false)
    }
  }

  private mutating func take(
    _ outcome: WakeTrial.Outcome, _ circumstances: WakeTrial.Circumstances, countsShare: Bool = true
  ) {
    phones += 1
    let isWorse =
      outcome.longestGap > longestGap
      || (longestGap == 0 && outcome.longestGap == 0 && (outcome.wait ?? .max) > (longestWait ?? .max - 1))
    if isWorse { worst = circumstances }
    longestGap = max(longestGap, outcome.longestGap)
    longestWait = longestWait.flatMap { longest in outcome.wait.map { max(longest, $0) } }
    if countsShare { share = min(share, outcome.share) }
  }

  /// The extremes of the latencies and of the gateway's tolerance, the latest first.
  private static func extremes(_ conditions: WakeConditions) -> [WakeTrial.Circumstances] {
    let (entry, exit) = (conditions.entryLatency, conditions.exitLatency)
    let off = conditions.tolerance
    typealias Ends = (entry: Milliseconds, exit: Milliseconds, start: Milliseconds, end: Milliseconds)
    let ends: [Ends] = [
      (entry.upperBound, exit.upperBound, 0, 0), (entry.lowerBound, exit.lowerBound, 0, 0),
      (entry.lowerBound, exit.upperBound, 0, 0), (entry.upperBound, exit.lowerBound, 0, 0),
      // The shortest broadcasts, then the shortest silences.
      (entry.upperBound, exit.upperBound, off, -off), (entry.upperBound, exit.upperBound, -off, off),
    ]
    var different: [WakeTrial.Circumstances] = []
    for end in ends {
      let one = WakeTrial.Circumstances(
        entryLatency: end.entry, exitLatency: end.exit, startShift: end.start, endShift: end.end)
      if !different.contains(one) { different.append(one) }
    }
    return different
  }

  private static func turning(_ conditions: WakeConditions, at time: Milliseconds)
    -> WakeTrial.Circumstances
  {
    let (entry, exit) = (conditions.entryLatency, conditions.exitLatency)
    return WakeTrial.Circumstances(
      entryLatency: entry.lowerBound, exitLatency: exit.lowerBound, startShift: -conditions.tolerance,
      endShift: -conditions.tolerance,
      turn: .init(
        time: time, enterDelay: entry.upperBound - entry.lowerBound + 2 * conditions.tolerance,
        exitDelay: exit.upperBound - exit.lowerBound + 2 * conditions.tolerance))
  }
}
