/// The values of a profile without their sources, in the form the engine uses.
struct PhoneRules: Sendable {
  let mechanism: StrategyProfile.Mechanism
  let isAndroid: Bool
  let supportsBeacons: Bool
  let grace: Milliseconds
  let cap: Milliseconds
  let margin: Milliseconds
  let killDelay: Milliseconds
  let tickPeriod: Milliseconds
  let emptyTicksPerTen: Int64
  let entryLatency: Milliseconds
  let exitLatency: Milliseconds
  let screenWakeLatency: Milliseconds
  let fixLatency: Milliseconds
  let fetchTime: Milliseconds
  let isMonitored: Bool
  let wakeRegionLimit: Int
  let isSlowSlot: Bool
  let relaunchesAfterForceQuit: Bool
  let hasReducedAccuracy: Bool
  let tellsWhenInUseApart: Bool
  /// Whether the app lacks the service session that tells the system that it needs the always permission.
  let lacksServiceSession: Bool
  let dropsBeacons: Bool
  let autoPauseAfter: Milliseconds?

  let heardDistance: Micrometres
  let rangingStarted: Bool
  let notifiesOnDisplay: Bool
  let beginsTaskAtEvents: Bool
  let beginsTaskBesideLocation: Bool
  let awaitsEvents: Bool
  let guardsTask: Bool
  let endsTask: Bool
  let taskGranted: Bool
  let startsLocation: Bool
  /// Whether the app's settings let location continue in the background.
  let locationRunsInBackground: Bool
  /// Whether the system rejects the accuracy or the distance filter.
  let isLocationRejected: Bool
  let pausesWhileAudio: Bool
  let hasAudioMode: Bool
  let resumesWhenMoving: Bool
  let timerFromFix: Bool
  let sampleInterval: Milliseconds
  let sampleWindow: Milliseconds?

  let serviceLimit: Milliseconds?
  let scanPeriod: Milliseconds
  let scanInterval: Milliseconds
  let hitLatency: Milliseconds?
  let forgetsAfter: Milliseconds
  let scanStartLimit: Int
  let scanStartPeriod: Milliseconds
  let downgradesScanAfter: Milliseconds?
  let scansWithScreenOff: Bool
  let dozeAfter: Milliseconds?
  let canRestartService: Bool
  let canStartService: Bool
  let bucketAllowance: Milliseconds
  let bucketPeriod: Milliseconds?
  let scanDuty: Int64

  init(os: OSProfile, strategy: StrategyProfile) {
    mechanism = strategy.mechanism
    isAndroid = os.family == .android
    supportsBeacons = os.supportsBeacons.value
    grace = bounded(os.grace.value)
    cap = bounded(os.taskCap.value)
    margin = min(bounded(os.expirationMargin.value), bounded(os.taskCap.value))
    killDelay = bounded(os.killDelay.value)
    tickPeriod = max(1, bounded(os.tickPeriod.value))
    emptyTicksPerTen = os.emptyTicksPerTen.value
    isMonitored = os.supportsBeacons.value && strategy.regionRank.value <= os.regionLimit.value
    let free = os.regionLimit.value - (strategy.regionRank.value - 1)
    wakeRegionLimit = Int(min(max(free, 0), Int64(PhoneEngine.wakeRegionLimit)))
    isSlowSlot = strategy.slotsTaken.value >= os.slotLimit.value
    entryLatency =
      isSlowSlot
      ? max(bounded(os.entryLatency.value), bounded(os.slowSlotLatency.value))
      : bounded(os.entryLatency.value)
    exitLatency = bounded(os.exitLatency.value)
    screenWakeLatency = bounded(os.screenWakeLatency.value)
    fixLatency = bounded(os.fixLatency.value)
    fetchTime = bounded(os.fetchTime.value)
    relaunchesAfterForceQuit = os.relaunchesAfterForceQuit.value
    hasReducedAccuracy = os.hasReducedAccuracy.value
    tellsWhenInUseApart = os.tellsWhenInUseApart.value && os.family == .iOS
    lacksServiceSession = os.needsServiceSession.value && !strategy.holdsServiceSession.value
    dropsBeacons = os.filtersNeverForLocation.value && strategy.neverForLocation.value
    let pause = strategy.resumesWhenMoving.value ? os.stationaryAfter.value : os.autoPauseAfter.value
    autoPauseAfter = strategy.pausesAutomatically.value ? pause.map(bounded) : nil

    heardDistance = strategy.heardDistance.value
    rangingStarted = strategy.rangingStarted.value
    notifiesOnDisplay = strategy.notifiesOnDisplay.value
    beginsTaskAtEvents = strategy.beginsTask.value && strategy.mechanism == .events
    beginsTaskBesideLocation = strategy.beginsTask.value && strategy.mechanism == .location
    awaitsEvents = strategy.awaitsEvents.value
    guardsTask = strategy.guardsTask.value
    endsTask = strategy.endsTask.value
    taskGranted = strategy.taskGranted.value
    startsLocation = strategy.startsLocation.value
    let flags = !os.needsAllowsFlag.value || strategy.allowsBackgroundUpdates.value
    locationRunsInBackground = strategy.hasBackgroundMode.value && flags
    let tooCoarse = os.locationAccuracyLimit.value.map { strategy.locationAccuracy.value > $0 } ?? false
    let filtered = strategy.distanceFilter.value != nil && !os.allowsDistanceFilter.value
    isLocationRejected = strategy.mechanism != .activitySession && (tooCoarse || filtered)
    pausesWhileAudio = strategy.pausesWhileAudio.value
    hasAudioMode = strategy.hasAudioMode.value && os.family == .iOS
    resumesWhenMoving = strategy.resumesWhenMoving.value
    timerFromFix = strategy.timerFromFix.value
    sampleInterval = max(100, bounded(strategy.sampleInterval.value))
    sampleWindow = strategy.sampleWindow.value.map(bounded)

    switch strategy.mechanism {
    case .cycle: serviceLimit = os.serviceLimit.value.map(bounded)
    case .foregroundService where strategy.isDataSync.value:
      serviceLimit = os.dataSyncLimit.value.map(bounded)
    default: serviceLimit = nil
    }
    scanPeriod = max(100, bounded(strategy.scanPeriod.value))
    scanInterval = max(scanPeriod, bounded(strategy.scanInterval.value))
    switch strategy.mechanism {
    case .cycle: hitLatency = os.scansBetweenCycles.value ? strategy.hitLatency.value.map(bounded) : nil
    default: hitLatency = strategy.hitLatency.value.map(bounded)
    }
    forgetsAfter = bounded(strategy.forgetsAfter.value)
    scanStartLimit = Int(clamping: min(max(1, os.scanStartLimit.value), 64))
    scanStartPeriod = bounded(os.scanStartPeriod.value)
    downgradesScanAfter = strategy.restartsLongScans.value ? nil : os.downgradesScanAfter.value.map(bounded)
    scansWithScreenOff = strategy.filtersScans.value || !os.screenOffNeedsFilter.value
    dozeAfter = os.dozeAfter.value.map(bounded)
    canStartService = !os.serviceNeedsType.value || strategy.declaresServiceType.value
    canRestartService = canStartService && os.startsServiceInBackground.value
    bucketAllowance = bounded(os.bucketAllowance.value)
    bucketPeriod = strategy.bucketPeriod.value.map { max(1000, bounded($0)) }
    scanDuty = strategy.scanDuty.value
  }
}

/// Keeps a profile's values from overflowing times: 35,000 years are enough.
private func bounded(_ span: Milliseconds) -> Milliseconds { min(max(span, 0), 1 << 50) }
