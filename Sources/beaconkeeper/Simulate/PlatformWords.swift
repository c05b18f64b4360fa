/// Apple's and Google's words beside ours, for the help. Lines fit on 80 columns.
enum PlatformWords {
  /// The events of a timeline.
  static let ofEvents = """
    What those events are called on iOS:
      foreground             applicationWillEnterForeground(_:)
      background             applicationDidEnterBackground(_:)
      region-enter           locationManager(_:didEnterRegion:)
      region-exit            locationManager(_:didExitRegion:)
      begin-task             beginBackgroundTask(expirationHandler:)
      end-task               endBackgroundTask(_:)
      location-start, -stop  startUpdatingLocation(), stopUpdatingLocation()
      permission             CLAuthorizationStatus, CLAccuracyAuthorization
      bluetooth-on, -off     CBManagerState.poweredOn, .poweredOff
      screen-on              wakes the app with notifyEntryStateOnDisplay
      background-fetch       BGAppRefreshTask
      audio-on, -off         UIBackgroundModes: audio

    and on Android:
      foreground             Activity.onStart()
      background             Activity.onStop()
      permission             BLUETOOTH_SCAN, ACCESS_BACKGROUND_LOCATION
      location-services-off  LocationManager.isLocationEnabled() is false
      screen-off, still      lead to Doze: PowerManager.isDeviceIdleMode()
      bucket                 UsageStatsManager.getAppStandbyBucket()
      force-quit             Force stop
    """
}
