extension PhoneProfile {
  /// Whether a plan for one phone works equally well for the other. They may differ only in names, risks, sources,
  /// and constants that do not matter within reach of a gateway.
  public func behaves(like other: PhoneProfile) -> Bool {
    os.family == other.os.family && strategy.mechanism == other.strategy.mechanism
      && metRules == other.metRules
  }

  /// The values of the constants that matter, by name.
  private var metRules: [String] {
    let idle = strategy.idleConstants
    return Self.rules.filter { !Self.unmet.contains($0.name) && !idle.contains($0.name) }.map {
      "\($0.name) \(told($0).value)"
    }
  }

  /// Constants that no simulation of a plan uses, because it does not end the app, switch the screen on, play audio or change a
  /// permission; and those of the cost, which is computed for each profile.
  private static let unmet: Set<String> = [
    "risk", "review_risk", "relaunches_after_force_quit", "screen_wake_latency", "notifies_on_display",
    "has_reduced_accuracy", "tells_when_in_use_apart", "has_activity_session", "full_duty_factor",
    "location_100m_factor", "location_10m_factor", "entry_latency_most", "heard_distance_least",
    "heard_distance_most", "may_not_hear", "near_spread", "has_live_activities", "has_device_presence",
    "fetch_time", "has_audio_mode", "awaits_events",
  ]
}

extension StrategyProfile {
  /// Constants of features that the strategy does not use.
  fileprivate var idleConstants: Set<String> {
    var idle: Set<String> = []
    if mechanism == .events && !self[.beginsTask] {
      idle.formUnion([
        "task_cap", "expiration_margin", "kill_delay", "guards_task", "ends_task", "task_granted",
      ])
    }
    if mechanism == .events && !self[.startsLocation] {
      idle.formUnion([
        "fix_latency", "needs_allows_flag", "location_accuracy_limit", "allows_distance_filter",
        "auto_pause_after", "stationary_after", "resumes_when_moving", "timer_from_fix",
      ])
    }
    if self[.holdsServiceSession] { idle.insert("needs_service_session") }
    return idle
  }
}
