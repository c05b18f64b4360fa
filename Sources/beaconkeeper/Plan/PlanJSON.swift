import Core
import Phones

/// Proposals of `plan` as JSON. Times are seconds, distances metres; regions count from 1, as in `wake:`.
struct PlanJSON {
  var variant: Variant
  var uuid: String?

  func text(_ proposals: [WakeProposal]) -> String {
    var writer = JSONWriter()
    if proposals.count == 1 {
      write(proposals[0], into: &writer)
    } else {
      writer.array(proposals) { write($1, into: &$0) }
    }
    return writer.text
  }

  private func write(_ proposal: WakeProposal, into writer: inout JSONWriter) {
    let strategy = proposal.profile.strategy
    writer.object { json in
      json.field("os", proposal.profile.os.name)
      json.field("strategy", strategy.name)
      json.field("variant", variant.rawValue)
      json.field("gap_free", proposal.verdict == .gapFree)
      json.field("needs_plan", proposal.verdict != .needsNone)
      json.field("why", proposal.why)
      json.field("cover", proposal.share, decimals: 4)
      json.field("longest_gap_s", seconds(proposal.longestGap), decimals: 3)
      json.field("first_window_s", proposal.longestWait.map(seconds), decimals: 3)
      json.field("first_window_by_s", seconds(proposal.request.visit.approach), decimals: 3)
      writePlan(proposal, into: &json)
      writeConditions(proposal, into: &json)
      writeProof(proposal, into: &json)
      json.field("callbacks_per_minute", proposal.cost.callbacksPerMinute, decimals: 3)
      json.field("battery_within_reach", proposal.cost.batteryWithinReach, decimals: 4)
      json.field("battery_of_day", proposal.cost.batteryOfDay, decimals: 4)
      json.field("battery_of_day_location_always", proposal.cost.batteryOfLocationAlways, decimals: 4)
      json.field("review_risk", proposal.reviewRisk.level.rawValue)
      json.field("review_note", proposal.reviewRisk.note)
      json.field("hangs_on", proposal.decidingConstants)
    }
  }

  private func writePlan(_ proposal: WakeProposal, into json: inout JSONWriter) {
    json.object("plan", of: proposal.plan) { json, plan in
      json.field("regions", plan.regions)
      json.field("period_s", seconds(plan.period), decimals: 3)
      json.field("air_time_share", plan.airShare, decimals: 6)
      json.field("slots", plan.mostAtOnce)
      json.field("tight", proposal.isTight)
      json.objects("broadcasts", plan.broadcasts) { json, broadcast in
        json.field("region", broadcast.region + 1)
        json.field("start_s", seconds(broadcast.start), decimals: 3)
        json.field("duration_s", seconds(broadcast.duration), decimals: 3)
      }
      json.objects("register", 1...plan.regions) { json, region in
        json.field("uuid", uuid)
        json.field("major", 1)
        json.field("minor", region)
      }
    }
  }

  private func writeConditions(_ proposal: WakeProposal, into json: inout JSONWriter) {
    let visit = proposal.request.visit
    json.object("conditions", of: proposal.conditions) { json, conditions in
      json.field("window_s", seconds(conditions.window), decimals: 3)
      json.field("entry_latency_s", seconds(conditions.entryLatency.upperBound), decimals: 3)
      json.field("exit_latency_s", seconds(conditions.exitLatency.upperBound), decimals: 3)
      json.field("tolerance_s", seconds(conditions.tolerance), decimals: 3)
      json.field("regions", conditions.regions)
      json.field("slots", conditions.slots)
      json.field("reach_m", Double(visit.reach) / 1e6, decimals: 3)
      json.field("speed_m_s", Double(visit.speed) / 1e6, decimals: 3)
    }
  }

  private func writeProof(_ proposal: WakeProposal, into json: inout JSONWriter) {
    json.object("proof", of: proposal.proof) { json, proof in
      let worst = proof.worst
      json.field("phones", proof.phones)
      json.field("arrivals_apart_s", seconds(proof.step), decimals: 3)
      json.object("worst") { json in
        json.field("arrival_s", seconds(worst.arrival), decimals: 3)
        json.field("entry_latency_s", seconds(worst.entryLatency), decimals: 3)
        json.field("exit_latency_s", seconds(worst.exitLatency), decimals: 3)
        json.field("starts_late_s", seconds(worst.startShift), decimals: 3)
        json.field("ends_late_s", seconds(worst.endShift), decimals: 3)
        json.field("latest_from_s", worst.turn.map { seconds($0.time) }, decimals: 3)
      }
    }
  }

  private func seconds(_ time: Milliseconds) -> Double { Double(time) / 1000 }
}
