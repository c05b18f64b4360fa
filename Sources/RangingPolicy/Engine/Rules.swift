/// A profile's values alone, as the engine works on them.
struct Rules: Sendable {
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
  let isMonitored: Bool
  let isSlowSlot: Bool
  let relaunchesAfterForceQuit: Bool
  let hasReducedAccuracy: Bool
  let autoPauseAfter: Milliseconds?

  let heardDistance: Micrometres
  let rangingStarted: Bool
  let notifiesOnDisplay: Bool
  let beginsTask: Bool
  let guardsTask: Bool
  let endsTask: Bool
  let taskGranted: Bool
  let startsLocation: Bool
  /// Whether the app's settings let location run on in the background.
  let locationRunsInBackground: Bool
  /// Whether the system refuses accuracy or distance filter.
  let isLocationRejected: Bool
  let pausesWhileAudio: Bool
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
    grace = os.grace.value
    cap = os.taskCap.value
    margin = min(os.expirationMargin.value, os.taskCap.value)
    killDelay = os.killDelay.value
    tickPeriod = max(1, os.tickPeriod.value)
    emptyTicksPerTen = os.emptyTicksPerTen.value
    isMonitored = os.supportsBeacons.value && strategy.regionRank.value <= os.regionLimit.value
    isSlowSlot = strategy.slotsTaken.value >= os.slotLimit.value
    entryLatency = isSlowSlot ? max(os.entryLatency.value, os.slowSlotLatency.value) : os.entryLatency.value
    exitLatency = os.exitLatency.value
    screenWakeLatency = os.screenWakeLatency.value
    fixLatency = os.fixLatency.value
    relaunchesAfterForceQuit = os.relaunchesAfterForceQuit.value
    hasReducedAccuracy = os.hasReducedAccuracy.value
    autoPauseAfter = strategy.pausesAutomatically.value ? os.autoPauseAfter.value : nil

    heardDistance = strategy.heardDistance.value
    rangingStarted = strategy.rangingStarted.value
    notifiesOnDisplay = strategy.notifiesOnDisplay.value
    beginsTask = strategy.beginsTask.value
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
    sampleInterval = max(1, strategy.sampleInterval.value)
    sampleWindow = strategy.sampleWindow.value

    serviceLimit = os.serviceLimit.value
    scanPeriod = max(1, strategy.scanPeriod.value)
    scanInterval = max(scanPeriod, strategy.scanInterval.value)
    switch strategy.mechanism {
    case .cycle: hitLatency = os.scansBetweenCycles.value ? strategy.hitLatency.value : nil
    default: hitLatency = strategy.hitLatency.value
    }
    forgetsAfter = strategy.forgetsAfter.value
    scanStartLimit = Int(clamping: min(max(1, os.scanStartLimit.value), 64))
    scanStartPeriod = os.scanStartPeriod.value
    downgradesScanAfter = strategy.restartsLongScans.value ? nil : os.downgradesScanAfter.value
    scansWithScreenOff = strategy.filtersScans.value || !os.screenOffNeedsFilter.value
    dozeAfter = os.dozeAfter.value
    canStartService = !os.serviceNeedsType.value || strategy.declaresServiceType.value
    canRestartService = canStartService && os.startsServiceInBackground.value
    bucketAllowance = os.bucketAllowance.value
    bucketPeriod = strategy.bucketPeriod.value.map { max(1, $0) }
    scanDuty = strategy.scanDuty.value
  }
}
