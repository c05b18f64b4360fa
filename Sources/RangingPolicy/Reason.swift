/// The outcome of a near trigger: delivered, or the first condition that blocked it.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  case delivered = "DELIVERED"
  /// Delivered a second or more after the crossing.
  case deliveredLate = "DELIVERED_LATE"

  /// The beacon was not heard, or no event had reported it to the app yet.
  case notDetected = "NOT_DETECTED"
  case graceExpired = "GRACE_EXPIRED"
  case taskExpired = "TASK_EXPIRED"
  /// `beginBackgroundTask` returned the invalid identifier.
  case taskRefused = "TASK_REFUSED"
  /// The system killed the app because of a task that was never ended.
  case taskLeakKilled = "TASK_LEAK_KILLED"
  /// Killed for a leaked task; an event since then woke nothing.
  case latchedUntilLaunch = "LATCHED_UNTIL_LAUNCH"
  case noLocationSession = "NO_LOCATION_SESSION"
  case locationAutoPaused = "LOCATION_AUTO_PAUSED"
  case locationConfigRejected = "LOCATION_CONFIG_REJECTED"
  case audioPause = "AUDIO_PAUSE"
  /// The timer for the next sample does not run while its process is suspended.
  case timerFrozen = "TIMER_FROZEN"
  case authDenied = "AUTH_DENIED"
  case reducedAccuracy = "REDUCED_ACCURACY"
  case bluetoothOff = "BT_OFF"
  /// The region's state came without an enter event (Bluetooth or permission came back inside it).
  case stateUnknownNoEvent = "STATE_UNKNOWN_NO_EVENT"
  case regionLimit = "REGION_LIMIT"
  case slowSlot = "SLOW_SLOT"
  case forceQuit = "FORCE_QUIT"
  case reboot = "REBOOT"
  case lowMemory = "LOW_MEMORY"
  case rangingUnsupported = "RANGING_UNSUPPORTED"
  /// The callback came, but without the beacon.
  case emptyTick = "EMPTY_TICK"

  // Android.
  case betweenScans = "BETWEEN_SCANS"
  case scanQuota = "SCAN_QUOTA"
  case scanDowngraded = "SCAN_DOWNGRADED"
  case screenOffUnfiltered = "SCREEN_OFF_UNFILTERED"
  case locationOff = "LOCATION_OFF"
  case dozeDeferred = "DOZE_DEFERRED"
  case bucketExhausted = "BUCKET_EXHAUSTED"
  case foregroundServiceDenied = "FGS_START_DENIED"
  /// The app scans with `neverForLocation`, and the system drops beacons from the results.
  case neverForLocation = "NEVER_FOR_LOCATION"

  public var isDelivered: Bool { self == .delivered || self == .deliveredLate }
}
