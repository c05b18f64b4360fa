/// The plan that a phone needs, without the proof that it works. Fast enough to run while a configuration is read.
public struct WakeChoice: Sendable {
  public let verdict: WakeProposal.Verdict
  /// A sentence without its full stop: why no plan is needed, or why there is none.
  public let why: String?
  /// A plan without gaps, or the best there is.
  public let plan: WakePlan?

  public init(_ profile: PhoneProfile, _ request: WakeProposal.Request) {
    let idle = WakeTrial(profile, plan: nil, visit: request.visit)
    let conditions = WakeConditions(profile, window: profile.windowAfterCallback, request)
    let decision = Decision(profile, idle: idle, conditions)
    (verdict, why, plan) = (decision.verdict, decision.why, decision.plan)
  }
}
