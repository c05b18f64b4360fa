import Beacons
import Core

/// Something that led to a verdict.
public struct Fact: Hashable, Sendable {
  public enum What: String, StateCoded, Hashable, Sendable {
    case regionEnter = "region enter"
    case regionExit = "region exit"
    case screenWake = "screen-on inside the region"
    case eventIgnored = "an event woke nothing"
    case eventWithheld = "an event woke nothing: permission only when in use"
    case enteredForeground = "entered the foreground"
    case enteredBackground = "entered the background"
    case launched = "launched by the user"
    case relaunched = "relaunched in the background"
    case suspended
    case resumed
    case taskBegun = "task begun"
    case taskEnded = "task ended"
    case taskRefused = "task refused"
    case taskLeaked = "task leaked"
    case unknownEnd = "end of an unknown task: no effect"
    case handlerRan = "expiration handler ended the task"
    case countdownEnded = "background time at zero with a task left"
    case killed = "killed for a task not ended"
    case spared = "not killed: debugger attached"
    case forceQuit = "force-quit"
    case rebooted
    case lowMemory = "ended for low memory"
    case backgroundFetch = "background fetch"
    case eventUnawaited = "an event was lost: the app awaits none"
    case sessionStarted = "location started"
    case sessionStopped = "location stopped"
    case autoPaused = "location paused itself"
    case audioOn = "audio on"
    case audioOff = "audio off"
    case bluetoothOff = "Bluetooth off"
    case bluetoothOn = "Bluetooth on: state known, no event"
    case permissionLost = "permission lost"
    case permissionGranted = "permission granted"
    case scanStarted = "scan started"
    case scanRefused = "scan refused: too many starts"
    case scanDowngraded = "scan downgraded to opportunistic"
    case serviceStopped = "background service stopped"
    case locationSwitchedOff = "location switched off"
    case locationSwitchedOn = "location switched on"
    case screenOn = "screen on"
    case screenOff = "screen off"
    case layStill = "phone lies still"
    case moved = "phone moves"
    case bucketChanged = "standby bucket changed"
    case serviceDenied = "foreground service refused"
    case notRunning = "the app called nothing: it did not run"
  }

  public var time: Milliseconds
  public var what: What
  /// The task it is about. Negative: one of the strategy's own.
  public var task: TaskID?
}

/// Everything that happened to a simulated app, in order. It grows with time, so a live phone keeps none.
public struct History: Hashable, Sendable {
  public internal(set) var facts: [Fact] = []
  /// When location updates arrived; half-open, in order, apart from each other.
  public internal(set) var locating: [Range<Milliseconds>] = []

  mutating func noteLocating(from: Milliseconds, to: Milliseconds) {
    if let last = locating.last, last.upperBound == from {
      locating[locating.count - 1] = last.lowerBound..<to
    } else {
      locating.append(from..<to)
    }
  }
}

/// The last few facts, oldest first. Its size is limited, so memory does not grow with time.
struct FactLog: Sendable {
  static let limit = 10
  private var facts: [Fact] = []
  private var start = 0

  init(_ facts: [Fact] = []) {
    for fact in facts { record(fact) }
  }

  mutating func record(_ fact: Fact) {
    if facts.count < Self.limit {
      facts.append(fact)
    } else {
      facts[start] = fact
      start = (start + 1) % Self.limit
    }
  }

  var all: [Fact] { Array(facts[start...] + facts[..<start]) }
}

extension Fact: StateElement {
  public init() { self.init(time: 0, what: .enteredForeground) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(time: "time", &time)
    try coder("what", &what)
    try coder("task", &task)
  }
}

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
