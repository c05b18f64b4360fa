public import RangingPolicy

extension WakeProposal {
  /// The constants of the profile that decide the plan, or why there is none.
  public var decidingConstants: [Simulation.DecidingConstant] {
    let strategy = profile.strategy
    guard profile.os.supportsBeacons.value else { return profile.constants(["supports_beacons"]) }
    switch strategy.mechanism {
    case .cycle: return profile.constants(["scan_period", "scan_interval", "service_limit"])
    case .job: return profile.constants(["scan_period", "scan_interval"])
    case .intent: return profile.constants(["hit_latency", "scan_duty"])
    case .foregroundService: return profile.constants(["scan_duty"])
    case .events, .location, .sampledLocation, .activitySession:
      guard conditions != nil, verdict != .needsNone else { return [] }
      let task = strategy.beginsTask.value ? ["task_cap", "expiration_margin"] : []
      return profile.constants(["grace"] + task + ["entry_latency", "exit_latency", "region_limit"])
    }
  }
}
