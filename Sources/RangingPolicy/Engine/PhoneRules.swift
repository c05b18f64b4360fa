/// A profile as engines read it: the values without their sources, and what follows from several of them. Phones with the same
/// profile share it.
///
/// Lengths of time are those that a constant can be set to: at most 10 years, so that no time overflows.
@dynamicMemberLookup
public final class PhoneRules: Sendable {
  private let os: OSProfile
  private let strategy: StrategyProfile

  public init(_ profile: PhoneProfile) {
    os = profile.os
    strategy = profile.strategy
  }

  /// A constant of the system.
  public subscript<Value>(dynamicMember path: KeyPath<OSProfile, Constant<Value>>) -> Value {
    @inline(__always) get { os[keyPath: path].value }
  }

  /// A constant of the strategy.
  public subscript<Value>(dynamicMember path: KeyPath<StrategyProfile, Constant<Value>>) -> Value {
    @inline(__always) get { strategy[keyPath: path].value }
  }

  var mechanism: StrategyProfile.Mechanism { strategy.mechanism }
  var isAndroid: Bool { os.family == .android }
  var expirationMargin: Milliseconds { min(os.expirationMargin.value, os.taskCap.value) }
  var isMonitored: Bool { os.supportsBeacons.value && strategy.regionRank.value <= os.regionLimit.value }
  /// Regions that the app may monitor besides that of its beacons.
  var wakeRegionLimit: Int {
    min(max(Int(os.regionLimit.value - (strategy.regionRank.value - 1)), 0), PhoneEngine.wakeRegionLimit)
  }
  var isSlowSlot: Bool { strategy.slotsTaken.value >= os.slotLimit.value }
  var entryLatency: Milliseconds {
    isSlowSlot ? max(os.entryLatency.value, os.slowSlotLatency.value) : os.entryLatency.value
  }
  var tellsWhenInUseApart: Bool { os.tellsWhenInUseApart.value && os.family == .iOS }
  /// Whether the app lacks the service session that tells the system that it needs the always permission.
  var lacksServiceSession: Bool { os.needsServiceSession.value && !strategy.holdsServiceSession.value }
  var dropsBeacons: Bool { os.filtersNeverForLocation.value && strategy.neverForLocation.value }

  var beginsTaskAtEvents: Bool { strategy.beginsTask.value && mechanism == .events }
  var beginsTaskBesideLocation: Bool { strategy.beginsTask.value && mechanism == .location }

  var autoPauseAfter: Milliseconds? {
    guard strategy.pausesAutomatically.value else { return nil }
    return strategy.resumesWhenMoving.value ? os.stationaryAfter.value : os.autoPauseAfter.value
  }
  /// Whether the app's settings let location continue in the background.
  var locationRunsInBackground: Bool {
    strategy.hasBackgroundMode.value
      && (!os.needsAllowsFlag.value || strategy.allowsBackgroundUpdates.value)
  }
  /// Whether the system rejects the accuracy or the distance filter.
  var isLocationRejected: Bool {
    let tooCoarse = os.locationAccuracyLimit.value.map { strategy.locationAccuracy.value > $0 } ?? false
    let filtered = strategy.distanceFilter.value != nil && !os.allowsDistanceFilter.value
    return mechanism != .activitySession && (tooCoarse || filtered)
  }
  var hasAudioMode: Bool { strategy.hasAudioMode.value && os.family == .iOS }

  var serviceLimit: Milliseconds? {
    switch mechanism {
    case .cycle: os.serviceLimit.value
    case .foregroundService where strategy.isDataSync.value: os.dataSyncLimit.value
    default: nil
    }
  }
  var scanInterval: Milliseconds { max(strategy.scanPeriod.value, strategy.scanInterval.value) }
  var hitLatency: Milliseconds? {
    mechanism == .cycle && !os.scansBetweenCycles.value ? nil : strategy.hitLatency.value
  }
  var downgradesScanAfter: Milliseconds? {
    strategy.restartsLongScans.value ? nil : os.downgradesScanAfter.value
  }
  var scansWithScreenOff: Bool { strategy.filtersScans.value || !os.screenOffNeedsFilter.value }
  var canStartService: Bool { !os.serviceNeedsType.value || strategy.declaresServiceType.value }
  var canRestartService: Bool { canStartService && os.startsServiceInBackground.value }
  var bucketPeriod: Milliseconds? { strategy.bucketPeriod.value.map { max(1000, $0) } }
}
