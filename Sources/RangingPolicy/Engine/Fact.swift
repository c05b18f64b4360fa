/// Something that led to a verdict.
public struct Fact: Hashable, Sendable {
  public enum What: String, Hashable, Sendable {
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
    case notRunning = "the app called nothing: it did not run"
  }

  public var time: Milliseconds
  public var what: What
}

/// The last few facts, oldest first. Its size is limited, so memory does not grow with time.
struct FactLog: Sendable {
  static let limit = 10
  private var facts: [Fact] = []
  private var start = 0

  mutating func record(_ what: Fact.What, at time: Milliseconds) {
    if facts.count < Self.limit {
      facts.append(Fact(time: time, what: what))
    } else {
      facts[start] = Fact(time: time, what: what)
      start = (start + 1) % Self.limit
    }
  }

  var all: [Fact] { Array(facts[start...] + facts[..<start]) }
}
