extension PhoneEngine {
  private var isAudioPause: Bool { rules[.pausesWhileAudio] && isAudioOn }

  /// Whether the app ranges now.
  public var isRanging: Bool {
    guard isRunning, rules[.supportsBeacons], rules[.rangingStarted], isPermitted, isRadioOn, !isAudioPause
    else {
      return false
    }
    return !rules.isAndroid || (scan.isOn && !scan.isStarved && !isDowngraded)
  }

  /// The first condition that keeps the app from seeing any beacon now; nil if there is none.
  public var blocking: Reason? { standstill(for: .all) ?? (isHeard ? nil : .notDetected) }

  /// The same for one beacon of the timeline.
  func blocking(beacon index: Int) -> Reason? {
    standstill(for: beacons[index].regions) ?? (beacons[index].isHeard ? nil : .notDetected)
  }

  /// The first condition that keeps the app from ranging beacons of these regions.
  private func standstill(for regions: RegionMask) -> Reason? {
    if !rules[.supportsBeacons] { return .rangingUnsupported }
    if !permission.isGranted { return .authDenied }
    if !isPermitted { return .reducedAccuracy }
    if !isRadioOn { return .bluetoothOff }
    if rules.isAndroid && !hasLocationServices { return .locationOff }
    if rules.dropsBeacons { return .neverForLocation }
    if case .terminated(let reason, let isLatched) = lifecycle {
      if scan.isServiceDenied && !isLatched { return .foregroundServiceDenied }
      return reason == .taskLeakKilled && wasEventIgnored ? .latchedUntilLaunch : reason
    }
    if lifecycle == .suspended { return sleepReason(for: regions) }
    if !rules[.rangingStarted] { return .notDetected }
    if isAudioPause { return .audioPause }
    if rules.isAndroid && !isRanging { return scanReason }
    return nil
  }

  /// Why an app that runs does not range (Android).
  private var scanReason: Reason {
    if isDozing { return .dozeDeferred }
    if scan.isStarved { return .scanQuota }
    if isDowngraded { return .scanDowngraded }
    return .screenOffUnfiltered
  }

  /// Why the app is not awake.
  private func sleepReason(for regions: RegionMask) -> Reason {
    switch rules.mechanism {
    case .events: return eventReason(for: regions)
    case .location, .activitySession:
      if rules.isLocationRejected && session.isOn { return .locationConfigRejected }
      return session.isAutoPaused ? .locationAutoPaused : .noLocationSession
    case .sampledLocation:
      if session.timerDue != .never { return .timerFrozen }
      if rules.isLocationRejected { return .locationConfigRejected }
      return session.isAutoPaused ? .locationAutoPaused : eventReason(for: regions)
    case .cycle, .job, .intent, .foregroundService: return scheduleReason
    }
  }

  private var scheduleReason: Reason {
    if isDozing { return .dozeDeferred }
    if isBucketExhausted { return .bucketExhausted }
    if scan.isServiceDenied { return .foregroundServiceDenied }
    if isServiceOver { return .taskExpired }
    return rules.mechanism == .intent ? .notDetected : .betweenScans
  }

  private func eventReason(for regions: RegionMask) -> Reason {
    let own = region.regions.indices.filter(regions.contains)
    if own.contains(where: { region.regions[$0].enterDue != .never }) {
      return rules.isSlowSlot ? .slowSlot : .notDetected
    }
    if !noticedRegions.shares(regions) && !region.isGiven && isDistanceKnown { return .notDetected }
    if !own.contains(where: rules.isMonitored) { return .regionLimit }
    if region.isWithheld {
      return isWhenInUseOnly || rules[.wakesForRegions] ? .authDenied : .backgroundRefreshOff
    }
    if region.isSilent { return .stateUnknownNoEvent }
    if !region.wokeApp { return .notDetected }
    // A task that was granted counts for more than one that was refused beside it.
    if wasTaskExpired { return .taskExpired }
    return wasTaskRefused ? .taskRefused : .graceExpired
  }
}
