extension PhoneEngine {
  /// Whether the app's process can run code.
  var isRunning: Bool { lifecycle == .foreground || lifecycle == .background }

  /// When the countdown began: the latest of the end of grace, entering the background, and the end of whatever kept
  /// the app alive.
  var countdownStart: Milliseconds { max(graceUntil, backgroundSince, keptAliveUntil) }
  var countdownEnd: Milliseconds { countdownStart + rules[.taskCap] }

  /// Whether background time is unlimited now.
  var isUnlimited: Bool { lifecycle == .foreground || now < graceUntil || wasKeptAlive }

  /// `backgroundTimeRemaining` now; nil: unlimited.
  public var remaining: Milliseconds? { isUnlimited ? nil : max(0, expiry - now) }

  /// When background time runs out. An app that lingers runs until `lingersUntil`, even after the tasks' countdown. An app
  /// without a task has no other time.
  var expiry: Milliseconds { tasks.isEmpty ? lingersUntil : max(countdownEnd, lingersUntil) }

  /// Whether the app may run in the background now.
  var mayRun: Bool {
    if rules.isAndroid { return isScheduled }
    return now < graceUntil || now < lingersUntil || wasKeptAlive || (!tasks.isEmpty && now < countdownEnd)
  }

  mutating func enterForeground(_ fact: Fact.What) {
    if case .terminated = lifecycle { startProcess() }
    record(fact)
    // An app in the foreground means that the screen is on. On iOS the screen matters only for what it wakes, so it is left as it
    // is. This comes first, because it ends Doze.
    if rules.isAndroid { setScreen(true) }
    lifecycle = .foreground
    session.isAutoPaused = false
    session.isFromForeground = session.isFromForeground || session.isOn
    scan.isServiceDenied = false
  }

  mutating func enterBackground() {
    if case .terminated = lifecycle { startProcess() }
    record(.enteredBackground)
    let leavesForeground = lifecycle == .foreground
    let ranged = leavesForeground && isRanging
    lifecycle = .background
    session.isFromForeground = session.isFromForeground || session.isOn
    if rules.canStartService { scan.isServiceDenied = false } else { denyService() }
    runInBackground(leavesForeground: leavesForeground)
    // S3. Unlike the grace of an event, this does not hold up the countdown of a task (S0, device log).
    if ranged && !rules.isAndroid { lingersUntil = now + rules[.grace] }
  }

  /// What an app does when it enters the background or runs there again.
  private mutating func runInBackground(leavesForeground: Bool) {
    backgroundSince = now
    noteWakeUp()
    if rules.isAndroid { scan.start = now }
    if rules.mechanism == .sampledLocation {
      addTask()
      startSample(inForeground: leavesForeground)
    } else if rules.beginsTaskAtEvents {
      beginOwnTask()
    }
  }

  /// An event wakes the app: it gets grace, and the strategy may add to that.
  mutating func wake(_ fact: Fact.What) {
    if (isWhenInUseOnly && lifecycle != .foreground) || (!rules[.wakesForRegions] && !isRunning) {
      region.isWithheld = true
      record(.eventWithheld)
      return
    }
    if case .terminated(_, let isLatched) = lifecycle {
      guard !isLatched else {
        wasEventIgnored = true
        record(.eventIgnored)
        return
      }
      guard rules[.awaitsEvents] else { return record(.eventUnawaited) }
      record(fact)
      relaunch()
    } else {
      record(fact)
    }
    if lifecycle == .suspended { lifecycle = .background }
    graceUntil = now + rules[.grace]
    noteWakeUp()
    if lifecycle == .background && rules.beginsTaskAtEvents { beginOwnTask() }
  }

  /// Clears the reasons that kept the app from running before.
  private mutating func noteWakeUp() {
    region.wokeApp = true
    region.isSilent = false
    region.isWithheld = false
    wasTaskRefused = false
    wasTaskExpired = false
  }

  /// The system lets the app fetch (S4). It does so neither after a force-quit nor for an app that it killed.
  mutating func fetch() {
    guard !rules.isAndroid, lifecycle != .foreground else { return record(.notRunning) }
    switch lifecycle {
    case .terminated(.forceQuit, _), .terminated(_, latched: true): return record(.eventIgnored)
    case .terminated:
      record(.backgroundFetch)
      relaunch()
    case .suspended:
      record(.backgroundFetch)
      lifecycle = .background
      if tasks.isEmpty { backgroundSince = now }
    case .foreground, .background: record(.backgroundFetch)
    }
    lingersUntil = max(lingersUntil, now + rules[.fetchTime])
    noteWakeUp()
  }

  /// The system restarts the app in the background.
  mutating func relaunch() {
    record(.relaunched)
    startProcess()
    session.isOn = false
    session.isFromForeground = false
    lifecycle = .background
    if rules.isAndroid { return }
    backgroundSince = now
    if rules.mechanism == .sampledLocation { runInBackground(leavesForeground: false) }
  }

  /// Starts a new process, without any state of the old one.
  private mutating func startProcess() {
    session = LocationSession()
    session.isOn = rules[.startsLocation] && rules.mechanism != .sampledLocation
    session.isFromForeground = true
    tasksAreReported = false
    wasBesideLocation = false
    appPlaysAudio = false
    wasEventIgnored = false
    keptAliveUntil = now
    wasKeptAlive = false
  }

  mutating func terminate(_ reason: Reason, latched: Bool) {
    if case .terminated(_, latched: true) = lifecycle { return }
    tasks.processEnded(forLeak: reason == .taskLeakKilled)
    session = LocationSession()
    lifecycle = .terminated(reason, latched: latched)
    graceUntil = min(graceUntil, now)
    lingersUntil = min(lingersUntil, now)
    wasKeptAlive = false
    wasBesideLocation = false
    appPlaysAudio = false
    wasEventIgnored = false
    scan.hitUntil = .min
    if rules.mechanism == .foregroundService && !latched {
      if rules.canRestartService(after: reason) { relaunch() } else { denyService() }
    }
  }

  /// Android 12 and later (no start from the background), 14 and later (no type declared).
  private mutating func denyService() {
    scan.isServiceDenied = true
    if rules.mechanism == .foregroundService { record(.serviceDenied) }
  }
}
