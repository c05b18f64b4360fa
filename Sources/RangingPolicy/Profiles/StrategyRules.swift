extension StrategyProfile {
  /// The names of the constants that describe this strategy: those that differ from an app that does nothing special, and
  /// those that its mechanism depends on.
  public var ruleNames: [String] {
    let plain = StrategyProfile("", mechanism, "")
    let matters = Set(mattering)
    return Self.constants.filter { name, field in
      matters.contains(name) || field.told(of: self) != field.told(of: plain)
    }.map(\.name)
  }

  private var mattering: [String] {
    var names = ["heard_distance", "heard_distance_least", "heard_distance_most", "risk", "review_risk"]
    if beginsTask.value { names += ["begins_task", "guards_task", "ends_task", "task_granted"] }
    if startsLocation.value {
      names += ["location_accuracy", "distance_filter", "pauses_automatically", "pauses_while_audio"]
    }
    if mechanism == .sampledLocation {
      names += ["ends_task", "sample_interval", "sample_window", "timer_from_fix"]
    }
    if needs == .newerLocation { names += ["awaits_events", "holds_service_session", "resumes_when_moving"] }
    guard mechanism.family == .android else { return names + ["has_audio_mode"] }
    names.append("never_for_location")
    names += ["scan_duty", "hit_latency", "forgets_after", "filters_scans"]
    if mechanism == .cycle || mechanism == .job { names += ["scan_period", "scan_interval"] }
    if mechanism == .job { names.append("bucket_period") }
    if mechanism == .foregroundService {
      names += ["restarts_long_scans", "declares_service_type", "data_sync"]
    }
    return names
  }
}

extension PhoneProfile {
  /// The names of the system's constants that this strategy meets.
  public var systemRuleNames: [String] {
    let names = Set(os.family == .iOS ? iOSRules : androidRules)
    return OSProfile.constants.map(\.name).filter(names.contains)
  }

  private var iOSRules: [String] {
    var names = [
      "supports_beacons", "grace", "tick_period", "entry_latency", "exit_latency", "region_limit",
      "relaunches_after_force_quit", "tells_when_in_use_apart", "has_reduced_accuracy", "fetch_time",
      "full_duty_factor",
    ]
    let isSampled = strategy.mechanism == .sampledLocation
    if strategy.beginsTask.value || isSampled { names += ["task_cap", "expiration_margin", "kill_delay"] }
    if strategy.notifiesOnDisplay.value { names.append("screen_wake_latency") }
    if strategy.mechanism == .activitySession { names.append("has_activity_session") }
    if isSampled { names.append("fix_latency") }
    if strategy.needs == .newerLocation { names.append("needs_service_session") }
    if strategy.needs == .liveActivities { names.append("has_live_activities") }
    guard strategy.startsLocation.value else { return names }
    names += ["needs_allows_flag", "location_accuracy_limit", "allows_distance_filter"]
    if strategy.pausesAutomatically.value {
      names.append(strategy.resumesWhenMoving.value ? "stationary_after" : "auto_pause_after")
    }
    return names + ["location_100m_factor", "location_10m_factor"]
  }

  private var androidRules: [String] {
    var names = [
      "relaunches_after_force_quit", "full_duty_factor", "downgrades_scan_after", "screen_off_needs_filter",
      "scan_start_limit", "scan_start_period", "doze_after", "filters_never_for_location",
    ]
    if strategy.mechanism == .cycle { names += ["service_limit", "scans_between_cycles"] }
    if strategy.mechanism == .job { names.append("bucket_allowance") }
    if strategy.needs == .devicePresence { names.append("has_device_presence") }
    if strategy.mechanism == .foregroundService {
      names += ["starts_service_in_background", "service_needs_type", "data_sync_limit"]
    }
    return names
  }
}
