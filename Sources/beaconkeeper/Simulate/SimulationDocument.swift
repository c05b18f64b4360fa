import Core
import Phones
import Reports

/// All results of `simulate` as one JSON object, whatever the options. Its schema is `config/schemas/simulation.schema.json`; a
/// change that old readers would misread needs a new version.
struct SimulationDocument {
  var variant: Variant
  var account: SimulationAccount
  /// From `--at`.
  var instants: [Milliseconds] = []
  /// nil: not requested.
  var comparison: (rankings: [Comparison], visitsPerDay: Int)?

  private static let version = 1

  var text: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("version", Self.version)
      json.field("kind", "simulation")
      json.field("variant", variant.rawValue)
      json.array("circumstances", account.tallies.map(\.profile).circumstances) { $0.value($1.name) }
      json.field("approaches", account.approaches)
      json.array("names", account.names) { $0.value($1) }
      json.array("results", account.listed) { write($1, into: &$0) }
      json.field("results_left_out", account.followed - account.listed.count)
      json.objects("profiles", account.tallies) { write($1, into: &$0) }
      let book = account.book
      json.array("expectations", book.expectations > 0 ? book.checks : []) { write($1, into: &$0) }
      json.field("expectations_left_out", book.expectations > 0 ? book.leftOut : 0)
      if let comparison {
        json.key("comparison")
        write(comparison.rankings, visitsPerDay: comparison.visitsPerDay, into: &json)
      }
    }
    return writer.text
  }

  private func write(_ check: ExpectationBook.Check, into writer: inout JSONWriter) {
    writer.object { json in
      json.field("text", check.expectation)
      json.field("source", check.source)
      json.field("os", check.os)
      json.field("strategy", check.strategy)
      json.field("phone", check.phone)
      json.field("approach", check.approach)
      json.field("met", check.happened == nil)
      json.field("message", check.happened == nil ? nil : check.message)
    }
  }

  /// One result. Times are seconds from zero, distances metres.
  private func write(_ example: Report.Example, into writer: inout JSONWriter) {
    let result = example.result
    let verdict = result.verdicts.first
    let strategy = result.profile.strategy
    let isSampled = strategy.mechanism == .sampledLocation
    writer.object { json in
      json.field("approach", example.approach.name)
      json.field("phone", example.phone)
      json.field("os", result.profile.os.name)
      json.field("strategy", strategy.name)
      json.field("outcome", result.outcome?.rawValue)
      json.field("detected_at", seconds(result.totals.detected), decimals: 3)
      json.field("near_at", seconds(verdict?.crossed), decimals: 3)
      json.field("delivered_at", seconds(verdict?.delivered), decimals: 3)
      json.field("late_s", seconds(verdict?.lateness), decimals: 3)
      json.field("closest_ranged_m", result.totals.closestRanged, decimals: 3)
      json.field("window_end", seconds(result.closing?.time), decimals: 3)
      json.field("ranging_s", seconds(result.totals.ranging), decimals: 3)
      json.field("windows", isSampled ? result.totals.samples : result.totals.windows)
      json.field("battery_factor", result.batteryFactor, decimals: 4)
      json.field("risk", strategy[.risk].rawValue)
      json.field("review_risk", strategy[.reviewRisk].rawValue)
      json.array("evidence", verdict?.evidence ?? []) { write($1, of: result, into: &$0) }
      json.array("intervals", result.intervals) { json, interval in
        json.array(0..<3) { json, index in
          switch index {
          case 0: json.value(Double(interval.from) / 1000, decimals: 3)
          case 1: json.value(Double(interval.to) / 1000, decimals: 3)
          default: json.value(interval.state.rawValue)
          }
        }
      }
      json.array("background_time", result.windows) { writeWindow($1, at: $1.time, into: &$0) }
      if !instants.isEmpty {
        json.array("at", instants) { json, time in
          if let window = result.window(at: time) {
            writeWindow(window, at: time, into: &json)
          } else {
            json.null()
          }
        }
      }
      json.field("variant", variant.rawValue)
      json.field("window_end_why", result.closing?.why.rawValue)
      json.field(
        "window_end_m", result.closing.flatMap { result.timeline.distance(at: $0.time) }, decimals: 3)
      json.field("location_s", seconds(result.totals.location), decimals: 3)
      json.field("risk_note", strategy.constant(.risk).source.text)
      json.field("review_note", strategy.constant(.reviewRisk).source.text)
      json.object("tasks") { json in
        json.field("begins", result.tasks.begins)
        json.field("ends", result.tasks.ends)
        json.field("leaks", result.tasks.leaks)
        json.field("live", result.tasks.held.count)
        json.field("refused", result.tasks.refusals)
        json.field("unknown_ends", result.tasks.unknownEnds)
      }
      json.objects("verdicts", result.verdicts) { json, verdict in
        json.field("outcome", verdict.outcome.rawValue)
        json.field("near_at", seconds(verdict.crossed), decimals: 3)
        json.field("delivered_at", seconds(verdict.delivered), decimals: 3)
        json.field("late_s", seconds(verdict.lateness), decimals: 3)
        if let name = result.timeline.name(of: verdict.beacon) { json.field("beacon", name) }
        json.array("evidence", verdict.evidence) { write($1, of: result, into: &$0) }
      }
      json.field("hangs_on", result.decidingConstants)
    }
  }

  /// `background_time_remaining` is null if it is unlimited.
  private func writeWindow(_ window: Window, at time: Milliseconds, into writer: inout JSONWriter) {
    writer.object { json in
      json.field("t", Double(time) / 1000, decimals: 3)
      json.field("state", window.state.rawValue)
      json.field("background_time_remaining", seconds(window.remaining(at: time)), decimals: 3)
      json.field("why", window.why?.rawValue)
    }
  }

  private func write(_ fact: Fact, of result: Simulation, into writer: inout JSONWriter) {
    writer.object { json in
      json.field("t", Double(fact.time) / 1000, decimals: 3)
      json.field("what", fact.what.rawValue)
      if let name = fact.task.flatMap({ result.timeline.taskNames[$0] }) { json.field("task", name) }
    }
  }

  private func seconds(_ time: Milliseconds?) -> Double? { time.map { Double($0) / 1000 } }

  private func write(_ comparisons: [Comparison], visitsPerDay: Int, into json: inout JSONWriter) {
    json.object { json in
      json.field("visits_per_day", visitsPerDay)
      json.objects("systems", comparisons) { json, comparison in
        json.array("os", comparison.systems) { $0.value($1.name) }
        json.objects("strategies", comparison.entries.enumerated()) { json, item in
          json.field("rank", item.offset + 1)
          write(item.element.tally, into: &json)
          json.field("permission", item.element.tally.profile.strategy.permissionAsked)
          json.field("pareto", item.element.isOnFront)
        }
      }
    }
  }

  /// What the crowd did: the same numbers as in tables and pages.
  private func writeSpread(_ tally: Tally, into json: inout JSONWriter) {
    guard !tally.spread.isEmpty else { return }
    json.field("share_mean", tally.meanShare, decimals: 6)
    json.field("share_low", tally.shareInterval?.lowerBound, decimals: 6)
    json.field("share_high", tally.shareInterval?.upperBound, decimals: 6)
    json.field("share_worst", tally.worstShare, decimals: 6)
    json.field("share_best", tally.bestShare, decimals: 6)
    json.field("never", tally.neverShare, decimals: 6)
    json.key("late_by_s")
    json.object { json in
      json.field("p5", seconds(tally.lateness(of: 0.05)), decimals: 3)
      json.field("p50", seconds(tally.lateness(of: 0.5)), decimals: 3)
      json.field("p90", seconds(tally.lateness(of: 0.9)), decimals: 3)
      json.field("p95", seconds(tally.lateness(of: 0.95)), decimals: 3)
    }
    json.objects("phones", tally.spread.enumerated()) { json, item in
      json.field("phone", "\(item.offset + 1)")
      json.field("share", tally.share(ofPhone: item.offset), decimals: 6)
      json.field("false_triggers", item.element.falseTriggers)
    }
    json.field("false_triggers", tally.falseTriggers)
    json.array("unmeasured", tally.unmeasured) { $0.value($1.words) }
    json.objects("measured", tally.profile.spreads) { json, spread in
      json.field("name", spread.name)
      json.field("values", spread.values)
      json.field("p5", spread.low)
      json.field("p50", spread.middle)
      json.field("p95", spread.high)
      json.field("never_least", spread.never.lowerBound, decimals: 3)
      json.field("never_most", spread.never.upperBound, decimals: 3)
      json.field("of", spread.scope)
      json.field("source", spread.source.text)
      json.field("confidence", spread.confidence.rawValue)
    }
  }

  /// The sums of several approaches, as members of an object.
  private func write(_ tally: Tally, into json: inout JSONWriter) {
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
    writeSpread(tally, into: &json)
  }
}

extension JSONWriter {
  mutating func field(_ name: StaticString, _ constants: [StatedRule]) {
    key(name)
    array(constants) { json, constant in
      json.object { json in
        json.field("name", constant.name)
        json.field("value", constant.value)
        json.field("source", constant.source.text)
        json.field("confidence", constant.confidence.rawValue)
      }
    }
  }
}
