extension Reason {
  /// The outcome as the end of a sentence: `the 10 s after the last event were over`.
  public var words: String {
    switch self {
    case .delivered: "delivered"
    case .deliveredLate: "delivered late"
    case .notDetected: "no event had notified the app of the beacon"
    case .graceExpired: "the time after the last region event had run out"
    case .taskExpired: "background time had run out"
    case .taskRefused: "the background task was refused"
    case .taskLeakKilled: "the app was killed for a task that it did not end"
    case .latchedUntilLaunch: "the app was killed, and nobody has launched it since"
    case .noLocationSession: "no location session kept the app running"
    case .locationAutoPaused: "location had paused itself"
    case .locationConfigRejected: "the system refused the app's location settings in the background"
    case .audioPause: "ranging pauses while audio plays"
    case .timerFrozen: "the app's timer stood still with its process"
    case .authDenied: "location permission was denied, or only for when in use"
    case .reducedAccuracy: "precise location was withheld"
    case .bluetoothOff: "Bluetooth was off"
    case .stateUnknownNoEvent: "the phone was inside again without an event"
    case .regionLimit: "the app watches more regions than it may"
    case .slowSlot: "no hardware slot was free, so that detection takes minutes"
    case .forceQuit: "the user had force-quit the app"
    case .reboot: "the phone had restarted"
    case .lowMemory: "the system had ended the app for memory"
    case .rangingUnsupported: "the system knows no beacons"
    case .emptyTick: "the ranging callback came without the beacon"
    case .betweenScans: "it fell between two scans"
    case .scanQuota: "too many scans were started"
    case .scanDowngraded: "the scan had run too long and was downgraded"
    case .screenOffUnfiltered: "a scan without filter stops at screen-off"
    case .locationOff: "location was switched off"
    case .dozeDeferred: "Doze had put the scan off"
    case .bucketExhausted: "the app's standby bucket was exhausted"
    case .foregroundServiceDenied: "the foreground service was not allowed to start"
    }
  }
}
