import JSON
import PolicyReport
import RangingPolicy

/// One result of `simulate` as JSON. Times are seconds from zero, distances metres.
struct SimulationJSON {
  var variant: Variant
  /// From `--at`.
  var instants: [Milliseconds] = []

  func write(_ example: Report.Example, into writer: inout JSONWriter) {
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
      json.array("evidence", verdict?.evidence ?? []) { write($1, into: &$0) }
      json.array("intervals", result.intervals) { json, interval in
        json.array(0..<3) { json, index in
          switch index {
          case 0: json.value(Double(interval.from) / 1000, decimals: 3)
          case 1: json.value(Double(interval.to) / 1000, decimals: 3)
          default: json.value(interval.state.rawValue)
          }
        }
      }
      json.array("background_time", result.windows) { writeWindow($1, at: $1.time, of: result, into: &$0) }
      if !instants.isEmpty {
        json.array("at", instants) { json, time in
          if let window = result.window(at: time) {
            writeWindow(window, at: time, of: result, into: &json)
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
        json.array("evidence", verdict.evidence) { write($1, into: &$0) }
      }
      json.field("hangs_on", result.decidingConstants)
    }
  }

  /// `background_time_remaining` is null if it is unlimited.
  private func writeWindow(
    _ window: Window, at time: Milliseconds, of result: Simulation, into writer: inout JSONWriter
  ) {
    writer.object { json in
      json.field("t", Double(time) / 1000, decimals: 3)
      json.field("state", window.state.rawValue)
      json.field("background_time_remaining", seconds(window.remaining(at: time)), decimals: 3)
      json.field("why", window.why?.rawValue)
    }
  }

  private func write(_ fact: Fact, into writer: inout JSONWriter) {
    writer.object { json in
      json.field("t", Double(fact.time) / 1000, decimals: 3)
      json.field("what", fact.what.rawValue)
    }
  }

  private func seconds(_ time: Milliseconds?) -> Double? { time.map { Double($0) / 1000 } }
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
