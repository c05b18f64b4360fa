/// What a phone's operating system allows: constants, each with source and confidence.
///
/// A plain value: to make another profile, copy one, change it and rename it.
public struct OSProfile: Hashable, Sendable {
  public enum Family: String, Hashable, Sendable {
    case iOS = "ios"
    case android
  }

  public var name: String
  public var family: Family
  /// One line of description.
  public var summary: String

  /// Whether apps can range beacons at all.
  public var supportsBeacons = Constant(true, "S1: from the iPhone 5S on", .high)
  /// How long the app ranges after each region event before the countdown, and after it entered the background without a task.
  public var grace = Constant<Milliseconds>(.seconds(10), "S0, S3", .high)
  /// The time that `beginBackgroundTask` grants.
  public var taskCap = Constant<Milliseconds>(.seconds(180), "S0, device log", .high)
  /// How long before zero the expiration handler runs.
  public var expirationMargin = Constant<Milliseconds>(.seconds(4), "S0, device log of iOS 7", .high)
  /// How long after zero an app is killed if it still holds a task.
  public var killDelay = Constant<Milliseconds>(.seconds(1), "S0", .high)
  /// Ranging callbacks happen at whole multiples of this, from time zero.
  public var tickPeriod = Constant<Milliseconds>(.seconds(1), "device logs show 1 Hz", .high)
  /// How many of ten background callbacks are empty, spread evenly.
  public var emptyTicksPerTen = Constant<Int64>(0, "over 30 % seen on 10.0.2 only: 3 shows it", .low)

  public var entryLatency = Constant<Milliseconds>(0, "seed documents name none", .medium)
  /// How long the beacon must be silent before a region exit is reported. Hearing it again earlier cancels the exit.
  public var exitLatency = Constant<Milliseconds>(0, "seed documents name none", .medium)
  /// The same for the slowest phones, in a comparison.
  public var entryLatencyMost = Constant<Milliseconds>(.seconds(3), "an estimate", .low)
  /// From screen-on to the wake-up with `notifyEntryStateOnDisplay`.
  public var screenWakeLatency = Constant<Milliseconds>(0, "seed documents name none", .medium)
  /// From starting location updates to the first fix.
  public var fixLatency = Constant<Milliseconds>(0, "seed documents name none", .medium)
  /// Regions that one app may monitor.
  public var regionLimit = Constant<Int64>(20, "Core Location reference", .high)
  /// Regions that the Bluetooth hardware monitors for all apps together.
  public var slotLimit = Constant<Int64>(30, "platform facts: first registered wins", .high)
  /// Enter latency of a region without a hardware slot: the longest observed.
  public var slowSlotLatency = Constant<Milliseconds>(.minutes(15), "platform facts, old", .high)
  public var relaunchesAfterForceQuit = Constant(true, "7.1 and later relaunch", .medium)
  /// Whether users can withhold precise location, which blocks ranging and monitoring.
  public var hasReducedAccuracy = Constant(false, "iOS 14 and later", .high)
  /// Whether the permission for when in use is less than that for always: no region event wakes the app, and background
  /// location must have been started in the foreground.
  public var tellsWhenInUseApart = Constant(true, "Core Location: iOS 8 and later", .high)
  /// Whether location in the background needs `allowsBackgroundLocationUpdates`.
  public var needsAllowsFlag = Constant(true, "iOS 9 and later", .high)
  /// The coarsest accuracy that keeps an app alive in the background; nil: any.
  public var locationAccuracyLimit = Constant<Micrometres?>(nil, "S1, S3: 3 km is enough", .high)
  /// Whether a distance filter may be set on background location.
  public var allowsDistanceFilter = Constant(true, "S3", .high)
  public var hasActivitySession = Constant(false, "from iOS 17 on", .high)
  public var hasLiveActivities = Constant(false, "from iOS 16.1 on", .high)
  /// How long the phone lies still before location pauses itself, if the app allows that; nil: never.
  public var autoPauseAfter = Constant<Milliseconds?>(nil, "seed documents saw none", .medium)
  /// How long the phone lies still before `CLLocationUpdate.liveUpdates` counts as stationary and sends nothing; nil: never.
  public var stationaryAfter = Constant<Milliseconds?>(
    nil, "Apple documents `stationary`, but not after how long", .low)
  /// Whether an app of the newer API needs a service session, or is treated as permitted only when in use.
  public var needsServiceSession = Constant(false, "CLServiceSession: iOS 18", .high)
  /// How long a background fetch lets the app run.
  public var fetchTime = Constant<Milliseconds>(.seconds(30), "S4: about 30 s", .medium)
  /// Drain at full duty, as a multiple of the drain without ranging.
  public var fullDutyFactor = Constant(2.0, "S1: about twice as quickly", .medium)
  /// Drain while location of 100 m accuracy or better runs, as a multiple of the drain without. Coarser location costs nothing.
  public var location100mFactor = Constant(1.2, "an estimate", .low)
  /// The same for 10 m or better, which needs GPS.
  public var location10mFactor = Constant(
    2.0, "S1: GPS would drain the battery; the factor is an estimate", .low)

  /// How long a background service lives after the app left the foreground; nil: unlimited.
  public var serviceLimit = Constant<Milliseconds?>(nil, "before Android 8", .high)
  /// Whether a filtered low-power scan runs between cycles while nothing is in sight.
  public var scansBetweenCycles = Constant(false, "Android 5 to 7 only", .high)
  /// Scan starts within `scanStartPeriod`; further ones silently yield nothing.
  public var scanStartLimit = Constant<Int64>(5, "Android 7 and later", .high)
  public var scanStartPeriod = Constant<Milliseconds>(.seconds(30), "Android 7 and later", .high)
  /// A scan older than this becomes opportunistic; nil: never.
  public var downgradesScanAfter = Constant<Milliseconds?>(.minutes(30), "Android 7 and later", .high)
  /// Whether a scan without filter stops at screen-off.
  public var screenOffNeedsFilter = Constant(true, "Android 8.1 and later", .high)
  /// How long the phone lies still with its screen off before Doze stops detection; nil: never.
  public var dozeAfter = Constant<Milliseconds?>(
    .minutes(60), "Doze when motionless (H); one hour is AOSP's default", .medium)
  public var startsServiceInBackground = Constant(true, "before Android 12", .high)
  public var serviceNeedsType = Constant(false, "before Android 14", .high)
  public var hasDevicePresence = Constant(false, "from Android 12 on", .high)
  /// How long a foreground service of the type `dataSync` may run in the background; nil: unlimited.
  public var dataSyncLimit = Constant<Milliseconds?>(nil, "before Android 15", .high)
  /// Whether a scan with `neverForLocation` gets no beacons.
  public var filtersNeverForLocation = Constant(false, "BLUETOOTH_SCAN came with Android 12", .high)
  /// Scan time in each period of a limited standby bucket.
  public var bucketAllowance = Constant<Milliseconds>(.minutes(10), "standby buckets", .high)

  /// Drain while location of an accuracy runs, as a multiple of the drain without.
  func locationFactor(accuracy: Micrometres) -> Double {
    if accuracy <= .metres(10) { return location10mFactor.value }
    return accuracy <= .metres(100) ? location100mFactor.value : 1
  }

  init(_ name: String, _ family: Family, _ summary: String, _ change: (inout OSProfile) -> Void = { _ in }) {
    self.name = name
    self.family = family
    self.summary = summary
    change(&self)
  }
}

/// Which side a profile takes where the documents and later observations differ.
public enum Variant: String, Hashable, Sendable, CaseIterable {
  /// As in the five seed documents: no latencies, and their recipes work.
  case seed
  /// With the latencies and refusals observed since.
  case observed
}
