import Beacons

/// An app's location updates, or its background activity session.
struct LocationSession: Hashable, Sendable {
  var isOn = false
  /// Whether it began in the foreground.
  var isFromForeground = false
  var isAutoPaused = false

  // `task-list-sampled`.
  var sampleStart = Milliseconds.min
  var fixDue = Milliseconds.never
  var stopDue = Milliseconds.never
  var timerDue = Milliseconds.never
}

extension PhoneEngine {
  /// Whether something keeps the app running now, in foreground or background.
  var isKeptAlive: Bool {
    if case .terminated = lifecycle { return false }
    return isKeptAliveByLocation || (rules.hasAudioMode && appPlaysAudio)
  }

  var isKeptAliveByLocation: Bool {
    guard session.isOn, isPermitted else { return false }
    switch rules.mechanism {
    case .activitySession: return session.isFromForeground && !session.isAutoPaused
    case .location, .sampledLocation:
      // S1; Core Location: updates begun in the background are not delivered.
      if isWhenInUseOnly, !session.isFromForeground { return false }
      return rules.locationRunsInBackground && !rules.isLocationRejected && !session.isAutoPaused
    case .events, .cycle, .job, .intent, .foregroundService: return false
    }
  }

  /// Whether location updates arrive now.
  var isLocating: Bool { session.isOn && isRunning && isPermitted && !session.isAutoPaused }

  mutating func setLocation(_ isOn: Bool) {
    guard isRunning, !rules.isAndroid else { return record(.notRunning) }
    if isOn {
      record(.sessionStarted)
      if rules.mechanism == .sampledLocation { return startSample(inForeground: lifecycle == .foreground) }
      session.isFromForeground = lifecycle == .foreground || (session.isOn && session.isFromForeground)
      session.isOn = true
      session.isAutoPaused = false
    } else {
      record(.sessionStopped)
      session = LocationSession()
    }
  }

  /// Starts location for one sample. The timers start at its first fix.
  mutating func startSample(inForeground: Bool) {
    session.isOn = true
    session.isFromForeground = inForeground
    session.isAutoPaused = false
    session.sampleStart = now
    session.fixDue = now + rules[.fixLatency]
    session.stopDue = .never
    session.timerDue = .never
  }

  /// Runs the sampling app's due timers. They wait while the app does not run.
  mutating func runSampler() {
    guard rules.mechanism == .sampledLocation, isRunning else { return }
    if now >= session.fixDue && isPermitted {
      session.fixDue = .never
      if rules[.timerFromFix] {
        session.stopDue = now + (rules[.sampleWindow] ?? 0)
        session.timerDue = session.stopDue + rules[.sampleInterval]
      } else {
        session.timerDue = max(now, session.sampleStart + rules[.sampleInterval])
        session.stopDue = max(now, session.sampleStart + (rules[.sampleWindow] ?? 0))
      }
    }
    if now >= session.stopDue {
      session.stopDue = .never
      session.isOn = false
    }
    if now >= session.timerDue { startSample(inForeground: lifecycle == .foreground) }
  }

  mutating func pauseLocationIfDue() {
    guard let limit = rules.autoPauseAfter, let stillSince, session.isOn, !session.isAutoPaused else {
      return
    }
    guard lifecycle != .foreground, now >= stillSince + limit else { return }
    session.isAutoPaused = true
    record(.autoPaused)
  }
}

extension LocationSession: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_on", &isOn)
    try coder("is_from_foreground", &isFromForeground)
    try coder("is_auto_paused", &isAutoPaused)
    try coder(time: "sample_start", &sampleStart, or: .min)
    try coder(time: "fix_due", &fixDue, or: .never)
    try coder(time: "stop_due", &stopDue, or: .never)
    try coder(time: "timer_due", &timerDue, or: .never)
  }
}
