/// How likely an app store is to refuse an app that wakes as often as a plan requires.
///
/// It is never below the risk of the strategy, and grows with wake-ups: more of them than the beacons themselves cause are a
/// trick to stay awake. None of the sources gives a number, so the limits are inferences.
public struct ReviewRisk: Sendable, Hashable {
  /// Wake-ups of a visit without a plan: one enter and one exit.
  public static let wakeUpsOfVisit = Constant<Int64>(
    2, .table("a region enter and exit for each visit"), .low)
  /// Wake-ups a minute from which the risk is high.
  public static let frequentWakeUps = Constant<Int64>(
    2,
    .table("an inference from S0 and S2, which give no number: several a minute only keep the app running"),
    .low)

  /// Why more wake-ups are a risk.
  static let sources =
    "S0 warns of rejection for tricks that extend background time further, and sees none for its own task; "
    + "S2: \"should not use this method simply to keep your app running\"; "
    + "S4: apps that hold tasks for nothing are refused"

  public let level: StrategyProfile.Risk
  /// Why, with the names of its sources.
  public let note: String

  /// - Parameters:
  ///   - strategy: the strategy's own risk.
  ///   - callbacksPerMinute: of the plan, within reach; 0 without a plan.
  ///   - visit: how long the phone stays within reach, milliseconds.
  public init(strategy: Constant<StrategyProfile.Risk>, callbacksPerMinute: Double, visit: Milliseconds) {
    let usual = Double(Self.wakeUpsOfVisit.value) * 60_000 / Double(max(1, visit))
    guard callbacksPerMinute > usual else {
      (level, note) = (strategy.value, strategy.source.inWords)
      return
    }
    let isFrequent = callbacksPerMinute >= Double(Self.frequentWakeUps.value)
    level = isFrequent || strategy.value == .high ? .high : .medium
    let amount =
      isFrequent
      ? "\(Self.frequentWakeUps.value) or more wake-ups a minute"
      : "more wake-ups than the beacons themselves cause"
    let sources = PolicyDocument.named(in: Self.sources)
    note = "\(amount): \(sources); the strategy itself: \(strategy.source.inWords)"
  }
}

extension WakeProposal {
  /// The objections of app review: to the strategy and, with a plan, to the number of wake-ups.
  public var reviewRisk: ReviewRisk {
    ReviewRisk(
      strategy: profile.strategy.constant(.reviewRisk),
      callbacksPerMinute: plan == nil ? 0 : cost.callbacksPerMinute, visit: request.visit.duration)
  }
}
