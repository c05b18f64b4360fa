extension Fact.What {
  /// What Apple's or Google's documentation calls it; nil if it has no name for it.
  public func systemWord(on family: OSProfile.Family) -> String? {
    family == .iOS ? applesWord : googlesWord
  }

  private var applesWord: String? {
    switch self {
    case .regionEnter: "locationManager(_:didEnterRegion:)"
    case .regionExit: "locationManager(_:didExitRegion:)"
    case .screenWake: "notifyEntryStateOnDisplay"
    case .enteredForeground: "applicationWillEnterForeground(_:)"
    case .enteredBackground: "applicationDidEnterBackground(_:)"
    case .launched, .relaunched: "application(_:didFinishLaunchingWithOptions:)"
    case .taskBegun: "beginBackgroundTask(expirationHandler:)"
    case .taskEnded, .unknownEnd: "endBackgroundTask(_:)"
    case .taskRefused: "UIBackgroundTaskIdentifier.invalid"
    case .handlerRan: "expirationHandler"
    case .countdownEnded: "backgroundTimeRemaining"
    case .backgroundFetch: "application(_:performFetchWithCompletionHandler:), BGAppRefreshTask"
    case .sessionStarted: "startUpdatingLocation()"
    case .sessionStopped: "stopUpdatingLocation()"
    case .autoPaused: "locationManagerDidPauseLocationUpdates(_:)"
    case .bluetoothOff: "CBManagerState.poweredOff"
    case .bluetoothOn: "CBManagerState.poweredOn"
    case .permissionLost, .permissionGranted: "locationManagerDidChangeAuthorization(_:)"
    case .suspended, .resumed, .killed, .spared, .eventIgnored, .eventWithheld, .taskLeaked, .forceQuit,
      .rebooted, .lowMemory, .audioOn, .audioOff, .notRunning, .scanStarted, .scanRefused, .scanDowngraded,
      .serviceStopped, .eventUnawaited, .locationSwitchedOff, .locationSwitchedOn, .screenOn, .screenOff,
      .layStill, .moved, .bucketChanged, .serviceDenied:
      nil
    }
  }

  private var googlesWord: String? {
    switch self {
    case .enteredForeground: "Activity.onStart()"
    case .enteredBackground: "Activity.onStop()"
    case .forceQuit: "Force stop"
    case .bluetoothOff: "BluetoothAdapter.STATE_OFF"
    case .bluetoothOn: "BluetoothAdapter.STATE_ON"
    case .scanStarted, .scanRefused: "BluetoothLeScanner.startScan()"
    case .scanDowngraded: "SCAN_MODE_OPPORTUNISTIC"
    case .locationSwitchedOff, .locationSwitchedOn: "LocationManager.isLocationEnabled()"
    case .bucketChanged: "UsageStatsManager.getAppStandbyBucket()"
    case .serviceDenied: "ForegroundServiceStartNotAllowedException"
    case .serviceStopped: "Service.onDestroy()"
    case .regionEnter, .regionExit, .screenWake, .eventIgnored, .eventWithheld, .launched, .relaunched,
      .suspended, .resumed, .taskBegun, .taskEnded, .taskRefused, .taskLeaked, .unknownEnd, .handlerRan,
      .countdownEnded, .killed, .spared, .rebooted, .lowMemory, .sessionStarted, .sessionStopped,
      .autoPaused, .audioOn, .audioOff, .permissionLost, .permissionGranted, .notRunning, .backgroundFetch,
      .eventUnawaited, .screenOn, .screenOff, .layStill, .moved:
      nil
    }
  }
}
