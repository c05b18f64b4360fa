import Beacons

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
