/// What an app does to hear beacons in the background: its choices, each with source and confidence.
public struct StrategyProfile: Hashable, Sendable {
  /// What keeps the app awake beyond the grace after an event.
  public enum Mechanism: String, Hashable, Sendable {
    /// Nothing, or a background task.
    case events
    case location
    /// Location in samples, with a background task in between.
    case sampledLocation = "sampled-location"
    case activitySession = "activity-session"
    /// Android: a background service that scans in cycles.
    case cycle
    case job
    case intent
    case foregroundService = "foreground-service"

    public var family: OSProfile.Family {
      switch self {
      case .events, .location, .sampledLocation, .activitySession: .iOS
      case .cycle, .job, .intent, .foregroundService: .android
      }
    }
  }

  /// How likely a strategy is to cost its author something besides battery.
  public enum Risk: String, Hashable, Sendable, CaseIterable { case low, medium, high }

  /// What a system must have so that the strategy exists there.
  public enum Need: Hashable, Sendable {
    case nothing
    /// `CLMonitor` and `CLLocationUpdate.liveUpdates`: iOS 17.
    case newerLocation
    /// iOS 16.1, here from the profile of 16.4 on.
    case liveActivities
    /// `CompanionDeviceManager.startObservingDevicePresence`: Android 12.
    case devicePresence
  }

  public var name: String
  public var mechanism: Mechanism
  public var needs = Need.nothing
  public var summary: String
  /// The permission that the app asks for, in the platform's words.
  public var permissionAsked: String
  /// What can go wrong in the field.
  public var risk = Constant(Risk.low, "", .medium)
  /// What app review may object to.
  public var reviewRisk = Constant(Risk.low, "no special approval needed", .medium)

  /// The distance within which the beacon is heard.
  public var heardDistance = Constant<Micrometres>(.metres(50), "S0: up to 50 meters", .high)
  /// The distance within which the phone that hears worst, or best, hears the beacon; of a comparison's spread.
  public var heardDistanceLeast = Constant<Micrometres>(.metres(30), "an estimate", .low)
  public var heardDistanceMost = Constant<Micrometres>(.metres(70), "an estimate", .low)
  /// Whether some phones do not hear the beacon at all.
  public var mayNotHear = Constant(false, "heard by all phones", .medium)
  /// How much nearer or farther a phone believes the beacon, because its RSSI is off: a factor.
  public var nearSpread = Constant(1.5, "about 4 dB between phone models; an estimate", .low)
  public var rangingStarted = Constant(true, "the app starts ranging", .high)
  public var notifiesOnDisplay = Constant(false, "notifyEntryStateOnDisplay is off by default", .high)
  /// The rank of the app's region among those it registered. Beyond the system's limit it is not monitored.
  public var regionRank = Constant<Int64>(1, "one region", .high)
  /// Hardware slots that other apps registered first.
  public var slotsTaken = Constant<Int64>(0, "no other beacon app", .medium)

  public var beginsTask = Constant(false, "no background task", .high)
  /// Whether the app waits for events as soon as it is launched. If not, a relaunched app gets none.
  public var awaitsEvents = Constant(true, "as Apple asks", .high)
  /// Whether an app of the newer API holds a service session; counts from iOS 18 on.
  public var holdsServiceSession = Constant(true, "as Apple asks", .high)
  /// Whether the app begins no second task while it holds one. Otherwise the second overwrites the first.
  public var guardsTask = Constant(true, "S0: the demo's own guard", .high)
  public var endsTask = Constant(true, "S0: the handler ends the task", .high)
  /// Whether `beginBackgroundTask` returns a valid identifier.
  public var taskGranted = Constant(true, "S2: it may be refused", .high)

  public var startsLocation = Constant(false, "no location updates", .high)
  public var hasBackgroundMode = Constant(false, "no UIBackgroundModes=location", .high)
  public var allowsBackgroundUpdates = Constant(false, "not set", .high)
  public var locationAccuracy = Constant<Micrometres>(.metres(3000), "S1, S3: cell radio only", .high)
  public var distanceFilter = Constant<Micrometres?>(nil, "none set", .high)
  public var pausesAutomatically = Constant(false, "not used", .high)
  public var pausesWhileAudio = Constant(false, "not used", .high)
  /// Whether location that paused itself resumes when the phone moves.
  public var resumesWhenMoving = Constant(false, "paused until the app is opened", .medium)
  /// Whether the app has `UIBackgroundModes=audio`: it runs while it plays.
  public var hasAudioMode = Constant(true, "S4; an app that plays on in the background has it", .medium)
  /// Whether the timer starts when location has stopped after the fix, or else with the sample.
  public var timerFromFix = Constant(true, "S4: armed at the fix", .medium)
  /// From the end of one sample to the start of the next, or from start to start.
  public var sampleInterval = Constant<Milliseconds>(.seconds(60), "public analogue of S4", .low)
  /// How long a sample lasts after the fix, or lasts from its start; nil: until the first fix.
  public var sampleWindow = Constant<Milliseconds?>(.seconds(10), "public analogue of S4", .low)

  public var scanPeriod = Constant<Milliseconds>(.seconds(10), "AltBeacon default (30 s in newer)", .high)
  public var scanInterval = Constant<Milliseconds>(.seconds(310), "AltBeacon: 10 s scan, 300 s pause", .high)
  /// From coming into earshot to the first hit of the system's own scan; nil: there is none.
  public var hitLatency = Constant<Milliseconds?>(nil, "not used", .high)
  /// How long the beacon must be silent before the library counts it as gone, so that the next hit is a first hit.
  public var forgetsAfter = Constant<Milliseconds>(.seconds(10), "AltBeacon default (30 s in newer)", .high)
  public var filtersScans = Constant(true, "AltBeacon sets filters", .medium)
  public var restartsLongScans = Constant(true, "AltBeacon restarts scans in time", .medium)
  public var declaresServiceType = Constant(true, "type and permission in the manifest", .high)
  /// Whether its foreground service is of the type `dataSync`, instead of `connectedDevice` or `location`.
  public var isDataSync = Constant(false, "connectedDevice or location", .high)
  /// Whether the manifest says `neverForLocation` for `BLUETOOTH_SCAN`.
  public var neverForLocation = Constant(false, "not set, since it filters beacons out", .high)
  /// The share of scan time in which the receiver is really on, in thousandths.
  public var scanDuty = Constant<Int64>(1000, "S1: ranging keeps the receiver on 100 %", .high)
  /// The period of the app's standby bucket; nil: no limit.
  public var bucketPeriod = Constant<Milliseconds?>(nil, "an app in use", .medium)

  init(
    _ name: String, _ mechanism: Mechanism, _ summary: String,
    _ change: (inout StrategyProfile) -> Void = { _ in }
  ) {
    self.name = name
    self.mechanism = mechanism
    self.summary = summary
    permissionAsked = mechanism.family == .iOS ? "Always" : "Allow all the time"
    change(&self)
  }
}

extension StrategyProfile {
  /// The range of a beacon of usual power (S0). A strategy with a shorter range is held to it, because that range describes
  /// the site. Any other phone hears whatever the gateway hears.
  public static let usualHearing: Micrometres = 50_000_000
}
