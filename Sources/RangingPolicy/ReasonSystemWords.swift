extension Reason {
  /// The outcome in our words, then in parentheses what the platforms' own documentation calls it.
  public var explanation: String { explanation(on: [.iOS, .android]) }

  /// The same for some platforms only.
  public func explanation(on families: Set<OSProfile.Family>) -> String {
    let terms = [OSProfile.Family.iOS, .android].filter(families.contains).compactMap(systemWords)
    return terms.isEmpty ? words : words + " (" + terms.joined(separator: "; ") + ")"
  }

  /// What Apple's or Google's documentation calls the condition; nil if it has no name for it.
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
      .reducedAccuracy, .stateUnknownNoEvent, .regionLimit, .slowSlot, .reboot, .lowMemory,
      .rangingUnsupported, .emptyTick:
      nil
    }
  }
}
