import JSON
import RangingPolicy

/// The sums of several approaches, as JSON.
struct TallyJSON {
  func write(_ comparisons: [Comparison], visitsPerDay: Int, into json: inout JSONWriter) {
    json.object { json in
      json.field("visits_per_day", visitsPerDay)
      json.objects("systems", comparisons) { json, comparison in
        json.array("os", comparison.systems) { $0.value($1.name) }
        json.objects("strategies", comparison.entries.enumerated()) { json, item in
          json.field("rank", item.offset + 1)
          write(item.element.tally, into: &json)
          writeSpread(item.element.tally, into: &json)
          json.field("pareto", item.element.isOnFront)
        }
      }
    }
  }

  private func writeSpread(_ tally: Tally, into json: inout JSONWriter) {
    json.field("share_mean", tally.meanShare, decimals: 6)
    json.field("share_worst", tally.worstShare, decimals: 6)
    json.field("share_best", tally.bestShare, decimals: 6)
    json.objects("phones", tally.spread.enumerated()) { json, item in
      json.field("phone", item.element.phone)
      json.field("share", tally.share(ofPhone: item.offset), decimals: 6)
    }
    json.field("permission", tally.profile.strategy.permissionAsked)
  }

  /// The members of an object.
  func write(_ tally: Tally, into json: inout JSONWriter) {
    json.field("phone", tally.phone)
    json.field("os", tally.profile.os.name)
    json.field("strategy", tally.profile.strategy.name)
    json.field("approaches", tally.approaches)
    json.field("triggers", tally.triggers)
    json.field("delivered", tally.delivered)
    json.field("late", tally.late)
    json.object("missed") { json in
      for item in tally.reasons {
        json.key(named: item.reason.rawValue)
        json.value(item.count)
      }
    }
    json.field("share", tally.share, decimals: 6)
    json.field("worst_late_s", Double(tally.worstLateness) / 1000, decimals: 3)
    json.field("ranging_s", Double(tally.ranging) / 1000, decimals: 3)
    json.field("battery_factor", tally.batteryFactor, decimals: 6)
    json.field("risk", tally.profile.strategy[.risk].rawValue)
    json.field("review_risk", tally.profile.strategy[.reviewRisk].rawValue)
  }
}
