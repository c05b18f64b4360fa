/// A profile as engines read it: the values without their sources, and what follows from several of them. Phones with the same
/// profile share it.
///
/// Lengths of time are those that a constant can be set to: at most 10 years, so that no time overflows.
public final class PhoneRules: Sendable {
  // In the order of the cases, and as many. In place, so that a read is one load.
  private let numbers: [31 of Int64]
  private let limits: [14 of Int64?]
  private let flags: [40 of Bool]
  let mechanism: StrategyProfile.Mechanism
  let isAndroid: Bool
  /// The permission at the start.
  let permission: Permission
  /// When the beacon first advertises after time zero, if it does so less often than callbacks come.
  let advertisingPhase: Milliseconds

  /// - Parameter phase: where the beacon is in its advertising interval at time zero, from 0 to 1.
  public init(_ profile: PhoneProfile, phase: Double = 0) {
    numbers = InlineArray { profile[NumberRule.allCases[$0]] }
    limits = InlineArray { profile[LimitRule.allCases[$0]] }
    flags = InlineArray { profile[FlagRule.allCases[$0]] }
    mechanism = profile.strategy.mechanism
    isAndroid = profile.os.family == .android
    permission = profile.strategy.permission
    let interval = profile.strategy[.advertisingInterval]
    let isSlow = interval > profile.os[.tickPeriod]
    advertisingPhase = isSlow ? Milliseconds((Double(interval) * min(max(phase, 0), 1)).rounded()) : 0
  }

  subscript(rule: NumberRule) -> Int64 { numbers[rule.rawValue] }
  subscript(rule: LimitRule) -> Int64? { limits[rule.rawValue] }
  package subscript(rule: FlagRule) -> Bool { flags[rule.rawValue] }

  var expirationMargin: Milliseconds { min(self[.expirationMargin], self[.taskCap]) }
  /// Whether the system monitors one of the app's regions, from 0. The first has the rank `region_rank`.
  func isMonitored(_ region: Int) -> Bool {
    self[.supportsBeacons] && self[.regionRank] + Int64(region) <= self[.regionLimit]
  }
  /// Regions that the app may monitor besides that of its beacons.
  var wakeRegionLimit: Int {
    min(max(Int(self[.regionLimit] - (self[.regionRank] - 1)), 0), PhoneEngine.wakeRegionLimit)
  }
  /// Whether the system notices the beacon only while the screen is on.
  var needsScreen: Bool { self[.unheardInterval].map { self[.advertisingInterval] >= $0 } ?? false }
  var isSlowSlot: Bool { self[.slotsTaken] >= self[.slotLimit] }
  var entryLatency: Milliseconds {
    isSlowSlot ? max(self[.entryLatency], self[.slowSlotLatency]) : self[.entryLatency]
  }
  package var tellsWhenInUseApart: Bool { self[.tellsWhenInUseApart] && !isAndroid }
  /// Whether the app lacks the service session that tells the system that it needs the always permission.
  var lacksServiceSession: Bool { self[.needsServiceSession] && !self[.holdsServiceSession] }
  var dropsBeacons: Bool { self[.filtersNeverForLocation] && self[.neverForLocation] }

  var beginsTaskAtEvents: Bool { self[.beginsTask] && mechanism == .events }
  var beginsTaskBesideLocation: Bool { self[.beginsTask] && mechanism == .location }

  /// How long the phone lies still before location pauses itself; nil: it does not.
  package var autoPauseAfter: Milliseconds? {
    guard self[.pausesAutomatically] else { return nil }
    return self[.resumesWhenMoving] ? self[.stationaryAfter] : self[.autoPauseAfter]
  }
  /// Whether the app's settings let location continue in the background.
  package var locationRunsInBackground: Bool {
    self[.hasBackgroundMode]
      && (!self[.needsAllowsFlag] || self[.allowsBackgroundUpdates])
  }
  /// Whether the system rejects the accuracy or the distance filter.
  package var isLocationRejected: Bool {
    let tooCoarse = self[.locationAccuracyLimit].map { self[.locationAccuracy] > $0 } ?? false
    let filtered = self[.distanceFilter] != nil && !self[.allowsDistanceFilter]
    return mechanism != .activitySession && (tooCoarse || filtered)
  }
  var hasAudioMode: Bool { self[.hasAudioMode] && !isAndroid }

  /// How long the app may scan after it went to the background: whichever ends first, its service or the whole app.
  var serviceLimit: Milliseconds? {
    let ofService: Milliseconds? =
      switch mechanism {
      case .cycle: self[.serviceLimit]
      case .foregroundService where self[.dataSync]: self[.dataSyncLimit]
      default: nil
      }
    return [ofService, self[.endsAppAfter]].compactMap(\.self).min()
  }
  var scanInterval: Milliseconds { max(self[.scanPeriod], self[.scanInterval]) }
  var hitLatency: Milliseconds? {
    mechanism == .cycle && !self[.scansBetweenCycles] ? nil : self[.hitLatency]
  }
  var downgradesScanAfter: Milliseconds? {
    self[.restartsLongScans] ? nil : self[.downgradesScanAfter]
  }
  var scansWithScreenOff: Bool { self[.filtersScans] || !self[.screenOffNeedsFilter] }
  var canStartService: Bool { !self[.serviceNeedsType] || self[.declaresServiceType] }
  /// Whether the app, which is in the background, may start its service again after the system has ended it.
  func canRestartService(after end: Reason) -> Bool {
    guard canStartService else { return false }
    guard end == .reboot else { return self[.startsServiceInBackground] }
    return self[.startsServiceAtBoot] && (!self[.dataSync] || self[.startsDataSyncAtBoot])
  }
  var bucketPeriod: Milliseconds? { self[.bucketPeriod].map { max(1000, $0) } }
}
