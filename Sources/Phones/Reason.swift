import Beacons
import Core

/// The outcome of a near trigger: delivered, or the first condition that blocked it.
public enum Reason: String, StateCoded, Hashable, Sendable, CaseIterable {
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
  /// The app was killed for a leaked task, and a later event did not wake it.
  case latchedUntilLaunch = "LATCHED_UNTIL_LAUNCH"
  case noLocationSession = "NO_LOCATION_SESSION"
  case locationAutoPaused = "LOCATION_AUTO_PAUSED"
  case locationConfigRejected = "LOCATION_CONFIG_REJECTED"
  case audioPause = "AUDIO_PAUSE"
  /// The timer for the next sample stands still while the process is suspended.
  case timerFrozen = "TIMER_FROZEN"
  case authDenied = "AUTH_DENIED"
  /// Background App Refresh is off, so that no region event wakes the app.
  case backgroundRefreshOff = "BACKGROUND_REFRESH_OFF"
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
  /// A callback came without the beacon.
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

extension Reason {
  /// The names of the constants that this outcome depends on, on either platform. `PhoneProfile.constants` leaves out those of
  /// the other.
  public var constants: [String] {
    switch self {
    case .delivered, .deliveredLate: ["tick_period"]
    case .notDetected: ["heard_distance", "entry_latency", "hit_latency"]
    case .graceExpired, .stateUnknownNoEvent: ["grace"]
    case .taskExpired:
      ["grace", "task_cap", "expiration_margin", "service_limit", "data_sync_limit", "ends_app_after"]
    case .taskRefused: ["grace", "task_granted"]
    case .taskLeakKilled, .latchedUntilLaunch: ["task_cap", "kill_delay"]
    case .noLocationSession: ["grace", "starts_location", "has_background_mode", "allows_background_updates"]
    case .locationAutoPaused: ["auto_pause_after", "stationary_after", "pauses_automatically"]
    case .locationConfigRejected: ["location_accuracy_limit", "allows_distance_filter"]
    case .audioPause: ["pauses_while_audio"]
    case .timerFrozen:
      ["sample_interval", "sample_window", "timer_from_fix", "task_cap", "expiration_margin"]
    // If the permission was denied altogether, none of these decided: see `Verdict.constants`.
    case .authDenied: ["tells_when_in_use_apart", "needs_service_session", "holds_service_session"]
    case .bluetoothOff, .reboot, .lowMemory, .locationOff: []
    case .backgroundRefreshOff: ["wakes_for_regions"]
    case .reducedAccuracy: ["has_reduced_accuracy"]
    case .regionLimit: ["region_limit", "region_rank"]
    case .slowSlot: ["slow_slot_latency", "slot_limit", "slots_taken"]
    case .forceQuit: ["relaunches_after_force_quit"]
    case .rangingUnsupported: ["supports_beacons"]
    case .emptyTick: ["empty_ticks_per_ten", "advertising_interval"]
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

extension Reason {
  /// The outcome as the end of a sentence: `the 10 s after the last event were over`.
  public var words: String {
    switch self {
    case .delivered: "delivered"
    case .deliveredLate: "delivered late"
    case .notDetected: "no event had notified the app of the beacon"
    case .graceExpired: "the time after the last region event had run out"
    case .taskExpired: "background time had run out"
    case .taskRefused: "the background task was refused"
    case .taskLeakKilled: "the app was killed for a task that it did not end"
    case .latchedUntilLaunch: "the app was killed, and nobody has launched it since"
    case .noLocationSession: "no location session kept the app running"
    case .locationAutoPaused: "location had paused itself"
    case .locationConfigRejected: "the system refused the app's location settings in the background"
    case .audioPause: "ranging pauses while audio plays"
    case .timerFrozen: "the app's timer stood still with its process"
    case .authDenied: "location permission was denied, or only for when in use"
    case .backgroundRefreshOff: "Background App Refresh is off, so that no region event wakes the app"
    case .reducedAccuracy: "precise location was withheld"
    case .bluetoothOff: "Bluetooth was off"
    case .stateUnknownNoEvent: "the phone was inside again without an event"
    case .regionLimit: "the app watches more regions than it may"
    case .slowSlot: "no hardware slot was free, so that detection takes minutes"
    case .forceQuit: "the user had force-quit the app"
    case .reboot: "the phone had restarted"
    case .lowMemory: "the system had ended the app for memory"
    case .rangingUnsupported: "the system knows no beacons"
    case .emptyTick: "the ranging callback came without the beacon"
    case .betweenScans: "it fell between two scans"
    case .scanQuota: "too many scans were started"
    case .scanDowngraded: "the scan had run too long and was downgraded"
    case .screenOffUnfiltered: "a scan without filter stops at screen-off"
    case .locationOff: "location was switched off"
    case .dozeDeferred: "Doze had put the scan off"
    case .bucketExhausted: "the app's standby bucket was exhausted"
    case .neverForLocation: "the app declared that it never derives location, so beacons were filtered out"
    case .foregroundServiceDenied: "the foreground service was not allowed to start"
    }
  }
}

extension Reason {
  /// The outcome in our words, followed by the platforms' own terms in parentheses.
  public var explanation: String { explanation(on: [.iOS, .android]) }

  /// The same for some platforms only.
  public func explanation(on families: Set<OSProfile.Family>) -> String {
    let terms = [OSProfile.Family.iOS, .android].filter(families.contains).compactMap(systemWords)
    return terms.isEmpty ? words : words + " (" + terms.joined(separator: "; ") + ")"
  }

  /// The platform's own term for the condition; nil: none.
  public func systemWords(on family: OSProfile.Family) -> String? {
    family == .iOS ? applesWords : googlesWords
  }

  private var applesWords: String? {
    switch self {
    case .notDetected: "no locationManager(_:didEnterRegion:)"
    case .graceExpired: "suspended about 10 s after locationManager(_:didEnterRegion:)"
    case .taskExpired: "backgroundTimeRemaining reached 0; beginBackgroundTask(expirationHandler:)"
    case .taskRefused: "beginBackgroundTask(expirationHandler:) returned .invalid"
    case .taskLeakKilled, .latchedUntilLaunch:
      "beginBackgroundTask(expirationHandler:) without endBackgroundTask(_:)"
    case .noLocationSession: "startUpdatingLocation(), UIBackgroundModes, allowsBackgroundLocationUpdates"
    case .locationAutoPaused: "pausesLocationUpdatesAutomatically, CLLocationUpdate.stationary"
    case .locationConfigRejected: "desiredAccuracy, distanceFilter"
    case .audioPause: "stopRangingBeacons(satisfying:)"
    case .timerFrozen: "Timer in a suspended app"
    case .authDenied: "CLAuthorizationStatus.denied, .authorizedWhenInUse"
    case .backgroundRefreshOff: "UIBackgroundRefreshStatus.denied"
    case .reducedAccuracy: "CLAccuracyAuthorization.reducedAccuracy"
    case .bluetoothOff: "CBManagerState.poweredOff"
    case .stateUnknownNoEvent: "locationManager(_:didDetermineState:for:) without didEnterRegion"
    case .regionLimit: "startMonitoring(for:)"
    case .rangingUnsupported: "CLLocationManager.isRangingAvailable()"
    case .emptyTick: "locationManager(_:didRange:satisfying:)"
    case .delivered, .deliveredLate, .slowSlot, .forceQuit, .reboot, .lowMemory, .betweenScans, .scanQuota,
      .scanDowngraded, .screenOffUnfiltered, .locationOff, .dozeDeferred, .bucketExhausted,
      .foregroundServiceDenied, .neverForLocation:
      nil
    }
  }

  private var googlesWords: String? {
    switch self {
    case .notDetected: "no ScanCallback.onScanResult(), no PendingIntent"
    case .taskExpired: "background execution limits: Service.onDestroy()"
    case .authDenied: "BLUETOOTH_SCAN, ACCESS_BACKGROUND_LOCATION"
    case .bluetoothOff: "BluetoothAdapter.STATE_OFF"
    case .forceQuit: "Force stop"
    case .betweenScans: "BluetoothLeScanner.stopScan()"
    case .scanQuota: "BluetoothLeScanner.startScan()"
    case .scanDowngraded: "SCAN_MODE_OPPORTUNISTIC"
    case .screenOffUnfiltered: "startScan() without ScanFilter"
    case .locationOff: "LocationManager.isLocationEnabled()"
    case .dozeDeferred: "PowerManager.isDeviceIdleMode()"
    case .bucketExhausted: "UsageStatsManager.getAppStandbyBucket()"
    case .neverForLocation: "BLUETOOTH_SCAN, usesPermissionFlags=neverForLocation"
    case .foregroundServiceDenied: "startForeground(), ForegroundServiceStartNotAllowedException"
    case .delivered, .deliveredLate, .graceExpired, .taskRefused, .taskLeakKilled, .latchedUntilLaunch,
      .noLocationSession, .locationAutoPaused, .locationConfigRejected, .audioPause, .timerFrozen,
      .backgroundRefreshOff, .reducedAccuracy, .stateUnknownNoEvent, .regionLimit, .slowSlot, .reboot,
      .lowMemory,
      .rangingUnsupported, .emptyTick:
      nil
    }
  }
}
