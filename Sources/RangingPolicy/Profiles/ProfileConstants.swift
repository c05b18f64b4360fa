/// The kind of a constant's value, and its key path in the profile.
public enum ConstantField<Profile>: Sendable {
  /// A length of time, at least the bound.
  case duration(any WritableKeyPath<Profile, Constant<Milliseconds>> & Sendable, atLeast: Milliseconds = 0)
  case optionalDuration(any WritableKeyPath<Profile, Constant<Milliseconds?>> & Sendable)
  case distance(any WritableKeyPath<Profile, Constant<Micrometres>> & Sendable)
  case optionalDistance(any WritableKeyPath<Profile, Constant<Micrometres?>> & Sendable)
  case flag(any WritableKeyPath<Profile, Constant<Bool>> & Sendable)
  case count(any WritableKeyPath<Profile, Constant<Int64>> & Sendable, ClosedRange<Int64>)
  case factor(any WritableKeyPath<Profile, Constant<Double>> & Sendable)
  case risk(any WritableKeyPath<Profile, Constant<StrategyProfile.Risk>> & Sendable)
}

/// Why a constant cannot be set.
public struct ConstantError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  public init(description: String) { self.description = description }
}

extension OSProfile {
  /// Every constant, by the name used to override it.
  public static let constants: [(name: String, field: ConstantField<OSProfile>)] = [
    ("supports_beacons", .flag(\.supportsBeacons)),
    ("grace", .duration(\.grace)),
    ("task_cap", .duration(\.taskCap)),
    ("expiration_margin", .duration(\.expirationMargin)),
    ("kill_delay", .duration(\.killDelay)),
    ("tick_period", .duration(\.tickPeriod, atLeast: 1)),
    ("empty_ticks_per_ten", .count(\.emptyTicksPerTen, 0...10)),
    ("entry_latency", .duration(\.entryLatency)),
    ("entry_latency_most", .duration(\.entryLatencyMost)),
    ("exit_latency", .duration(\.exitLatency)),
    ("screen_wake_latency", .duration(\.screenWakeLatency)),
    ("fix_latency", .duration(\.fixLatency)),
    ("region_limit", .count(\.regionLimit, 0...1000)),
    ("slot_limit", .count(\.slotLimit, 0...1000)),
    ("slow_slot_latency", .duration(\.slowSlotLatency)),
    ("relaunches_after_force_quit", .flag(\.relaunchesAfterForceQuit)),
    ("tells_when_in_use_apart", .flag(\.tellsWhenInUseApart)),
    ("has_reduced_accuracy", .flag(\.hasReducedAccuracy)),
    ("needs_allows_flag", .flag(\.needsAllowsFlag)),
    ("location_accuracy_limit", .optionalDistance(\.locationAccuracyLimit)),
    ("allows_distance_filter", .flag(\.allowsDistanceFilter)),
    ("has_activity_session", .flag(\.hasActivitySession)),
    ("has_live_activities", .flag(\.hasLiveActivities)),
    ("auto_pause_after", .optionalDuration(\.autoPauseAfter)),
    ("stationary_after", .optionalDuration(\.stationaryAfter)),
    ("needs_service_session", .flag(\.needsServiceSession)),
    ("fetch_time", .duration(\.fetchTime)),
    ("full_duty_factor", .factor(\.fullDutyFactor)),
    ("location_100m_factor", .factor(\.location100mFactor)),
    ("location_10m_factor", .factor(\.location10mFactor)),
    ("service_limit", .optionalDuration(\.serviceLimit)),
    ("scans_between_cycles", .flag(\.scansBetweenCycles)),
    ("scan_start_limit", .count(\.scanStartLimit, 1...64)),
    ("scan_start_period", .duration(\.scanStartPeriod)),
    ("downgrades_scan_after", .optionalDuration(\.downgradesScanAfter)),
    ("screen_off_needs_filter", .flag(\.screenOffNeedsFilter)),
    ("doze_after", .optionalDuration(\.dozeAfter)),
    ("starts_service_in_background", .flag(\.startsServiceInBackground)),
    ("service_needs_type", .flag(\.serviceNeedsType)),
    ("has_device_presence", .flag(\.hasDevicePresence)),
    ("data_sync_limit", .optionalDuration(\.dataSyncLimit)),
    ("filters_never_for_location", .flag(\.filtersNeverForLocation)),
    ("bucket_allowance", .duration(\.bucketAllowance)),
  ]
}

extension StrategyProfile {
  /// Every constant, by the name used to override it.
  public static let constants: [(name: String, field: ConstantField<StrategyProfile>)] = [
    ("risk", .risk(\.risk)),
    ("review_risk", .risk(\.reviewRisk)),
    ("heard_distance", .distance(\.heardDistance)),
    ("heard_distance_least", .distance(\.heardDistanceLeast)),
    ("heard_distance_most", .distance(\.heardDistanceMost)),
    ("may_not_hear", .flag(\.mayNotHear)),
    ("near_spread", .factor(\.nearSpread)),
    ("ranging_started", .flag(\.rangingStarted)),
    ("notifies_on_display", .flag(\.notifiesOnDisplay)),
    ("region_rank", .count(\.regionRank, 1...1000)),
    ("slots_taken", .count(\.slotsTaken, 0...1000)),
    ("awaits_events", .flag(\.awaitsEvents)),
    ("holds_service_session", .flag(\.holdsServiceSession)),
    ("begins_task", .flag(\.beginsTask)),
    ("guards_task", .flag(\.guardsTask)),
    ("ends_task", .flag(\.endsTask)),
    ("task_granted", .flag(\.taskGranted)),
    ("starts_location", .flag(\.startsLocation)),
    ("has_background_mode", .flag(\.hasBackgroundMode)),
    ("allows_background_updates", .flag(\.allowsBackgroundUpdates)),
    ("location_accuracy", .distance(\.locationAccuracy)),
    ("distance_filter", .optionalDistance(\.distanceFilter)),
    ("pauses_automatically", .flag(\.pausesAutomatically)),
    ("pauses_while_audio", .flag(\.pausesWhileAudio)),
    ("resumes_when_moving", .flag(\.resumesWhenMoving)),
    ("has_audio_mode", .flag(\.hasAudioMode)),
    ("timer_from_fix", .flag(\.timerFromFix)),
    ("sample_interval", .duration(\.sampleInterval, atLeast: .seconds(1))),
    ("sample_window", .optionalDuration(\.sampleWindow)),
    ("scan_period", .duration(\.scanPeriod, atLeast: .seconds(1))),
    ("scan_interval", .duration(\.scanInterval, atLeast: .seconds(1))),
    ("hit_latency", .optionalDuration(\.hitLatency)),
    ("forgets_after", .duration(\.forgetsAfter)),
    ("filters_scans", .flag(\.filtersScans)),
    ("restarts_long_scans", .flag(\.restartsLongScans)),
    ("declares_service_type", .flag(\.declaresServiceType)),
    ("data_sync", .flag(\.isDataSync)),
    ("never_for_location", .flag(\.neverForLocation)),
    ("scan_duty", .count(\.scanDuty, 0...1000)),
    ("bucket_period", .optionalDuration(\.bucketPeriod)),
  ]
}
