extension Reason {
  /// The names of the constants that this outcome depends on.
  public var constants: [String] {
    switch self {
    case .delivered, .deliveredLate: ["tick_period"]
    case .notDetected: ["heard_distance", "entry_latency"]
    case .graceExpired, .stateUnknownNoEvent: ["grace"]
    case .taskExpired: ["grace", "task_cap", "expiration_margin", "service_limit", "data_sync_limit"]
    case .taskRefused: ["grace", "task_granted"]
    case .taskLeakKilled, .latchedUntilLaunch: ["task_cap", "kill_delay"]
    case .noLocationSession: ["grace", "starts_location", "has_background_mode", "allows_background_updates"]
    case .locationAutoPaused: ["auto_pause_after", "stationary_after", "pauses_automatically"]
    case .locationConfigRejected: ["location_accuracy_limit", "allows_distance_filter"]
    case .audioPause: ["pauses_while_audio"]
    case .timerFrozen:
      ["sample_interval", "sample_window", "timer_from_fix", "task_cap", "expiration_margin"]
    case .authDenied, .bluetoothOff, .reboot, .lowMemory, .locationOff: []
    case .reducedAccuracy: ["has_reduced_accuracy"]
    case .regionLimit: ["region_limit", "region_rank"]
    case .slowSlot: ["slow_slot_latency", "slot_limit", "slots_taken"]
    case .forceQuit: ["relaunches_after_force_quit"]
    case .rangingUnsupported: ["supports_beacons"]
    case .emptyTick: ["empty_ticks_per_ten"]
    case .betweenScans: ["scan_period", "scan_interval"]
    case .scanQuota: ["scan_start_limit", "scan_start_period"]
    case .scanDowngraded: ["downgrades_scan_after"]
    case .screenOffUnfiltered: ["screen_off_needs_filter", "filters_scans"]
    case .dozeDeferred: ["doze_after"]
    case .bucketExhausted: ["bucket_allowance", "bucket_period"]
    case .neverForLocation: ["never_for_location", "filters_never_for_location"]
    case .foregroundServiceDenied:
      ["starts_service_in_background", "service_needs_type", "declares_service_type"]
    }
  }
}
