import RangingPolicy

/// The plan for a phone, with its proof; shared by phones that behave alike.
struct WakeAnswer {
  var verdict: WakeProposal.Verdict
  var why: String?
  let plan: WakePlan?
  let proof: WakeProof?
  let sureShare: Double?
  let isTight: Bool

  init(_ proposal: WakeProposal) {
    (verdict, why, plan) = (proposal.verdict, proposal.why, proposal.plan)
    (proof, sureShare, isTight) = (proposal.proof, proposal.sureShare, proposal.isTight)
  }

  init(
    _ profile: PhoneProfile, _ request: WakeProposal.Request, idle: WakeTrial, _ conditions: WakeConditions
  ) {
    let decision = Decision(profile, idle: idle, conditions)
    func prove(_ plan: WakePlan, everyArrival: Bool = true) -> WakeProof {
      WakeProof(
        WakeTrial(profile, plan: plan, visit: request.visit), conditions, everyArrival: everyArrival)
    }
    (verdict, why) = (decision.verdict, decision.why)
    plan = decision.plan
    sureShare = decision.sureShare
    proof = decision.plan.map { prove($0) }
    if verdict == .gapFree, let proof, !proof.isGapFree {
      verdict = .none
      why = "the policy engine found a gap in the best plan"
    }
    let gapFree = verdict == .gapFree ? decision.plan : nil
    let rest = gapFree.map { plan in (0..<plan.regions).compactMap { plan.without($0) } } ?? []
    isTight = gapFree != nil && rest.allSatisfy { !prove($0, everyArrival: false).isGapFree }
  }
}
