import Beacons
import Settings
import Messages
import Radio
import WakePlanner

extension BroadcastPlan {
  /// The broadcast that the configuration asks for.
  init(_ wake: WakeSettings) {
    let plan = wake.plan
    self.init(adapter: wake.adapter, identities: wake.identities, mostAtOnce: plan.mostAtOnce) { elapsed in
      // Rounded down, also before the start.
      let milliseconds =
        elapsed.nanoseconds / 1_000_000 - (elapsed.nanoseconds % 1_000_000 < 0 ? 1 : 0)
      let now = plan.onAir(at: milliseconds)
      return OnAir(identities: Array(now.regions), until: now.until.map { .milliseconds($0) })
    }
  }
}

extension WakeSettings {
  /// The log line when the broadcast starts, fails or must wait; nil: none.
  func notice(_ status: BroadcastStatus) -> String? {
    let because = status.reason.isEmpty ? "" : ": \(status.reason)"
    let minors =
      regions.minors.count == 1
      ? "minor \(regions.minors.lowerBound)"
      : "minor \(regions.minors.lowerBound) to \(regions.minors.upperBound)"
    switch status.state {
    case .on:
      return
        "broadcasting wake regions (major \(regions.major), \(minors)) on \(status.adapter ?? "an adapter")\(because)"
    case .failed: return "wake regions are not on air as planned\(because)"
    case .waiting: return status.reason.isEmpty ? nil : "wake regions are not on air yet\(because)"
    }
  }

  /// Its entry in `health`.
  func message(_ status: BroadcastStatus, began: WallTime?) -> HealthMessage.Wake {
    HealthMessage.Wake(
      state: status.state.rawValue, reason: status.reason, adapter: status.adapter, began: began,
      uuid: regions.uuid, major: regions.major, minors: Array(regions.minors),
      onAir: status.onAir.compactMap { regions.minors.dropFirst($0).first })
  }
}
