import RangingPolicy

// What follows from what was told, looked at anew at every step.
extension ReferencePhone {
  var permitted: Bool {
    switch permission {
    case .always, .whenInUse: true
    case .reducedAccuracy: !os.hasReducedAccuracy.value
    case .denied, .notDetermined, .restricted: false
    }
  }

  var onlyWhenInUse: Bool { !isAndroid && os.tellsWhenInUseApart.value && permission == .whenInUse }
  var canMonitor: Bool { os.supportsBeacons.value && app.regionRank.value <= os.regionLimit.value }
  var monitors: Bool { canMonitor && radio && permitted && !isAndroid }
  var systemScans: Bool { os.supportsBeacons.value && radio && permitted && locationSwitch }
  var isSlow: Bool { app.slotsTaken.value >= os.slotLimit.value }
  var entryLatency: Milliseconds {
    isSlow ? max(os.entryLatency.value, os.slowSlotLatency.value) : os.entryLatency.value
  }

  /// The distance on the walk; nil: unknown or out of range.
  var distance: Micrometres? {
    guard let index = waypoints.lastIndex(where: { $0.time <= t }), let from = waypoints[index].distance
    else {
      return nil
    }
    guard index + 1 < waypoints.count, let to = waypoints[index + 1].distance else { return from }
    let length = waypoints[index + 1].time - waypoints[index].time
    return from + (to - from) * (t - waypoints[index].time) / length
  }

  func hear() {
    if waypoints.contains(where: { $0.time <= t }) { knowsDistance = true }
    let was = heard
    heard = distance.map { $0 <= app.heardDistance.value } ?? false
    guard heard != was else { return }
    if isAndroid {
      if heard {
        forgetAt = nil
      } else {
        hitAt = nil
        if seen { forgetAt = t + app.forgetsAfter.value }
      }
      restartHit()
    }
    guard monitors, !isGiven else { return }
    if heard {
      unheardSince = nil
      if !inside { heardSince = t }
    } else {
      heardSince = nil
      if inside { unheardSince = t }
    }
  }

  func watchRegion() {
    if let since = heardSince, t >= since + entryLatency {
      (heardSince, inside) = (nil, true)
      detect()
      wake()
    }
    if let since = unheardSince, t >= since + os.exitLatency.value {
      (unheardSince, inside) = (nil, false)
      wake()
    }
    if let due = screenWakeAt, t >= due {
      screenWakeAt = nil
      if inside && monitors { wake() }
    }
  }

  func detect() { if detected == nil && !isLatched { detected = t } }

  var isRejected: Bool {
    if app.mechanism == .activitySession { return false }
    let coarse = os.locationAccuracyLimit.value.map { app.locationAccuracy.value > $0 } ?? false
    return coarse || (app.distanceFilter.value != nil && !os.allowsDistanceFilter.value)
  }

  var keepsAlive: Bool {
    guard !isEnded, session, permitted else { return false }
    switch app.mechanism {
    case .activitySession: return fromForeground
    case .location, .sampledLocation:
      if app.mechanism == .location && onlyWhenInUse && !fromForeground { return false }
      let flag = !os.needsAllowsFlag.value || app.allowsBackgroundUpdates.value
      return app.hasBackgroundMode.value && flag && !isRejected && !autoPaused
    default: return false
    }
  }

  var zero: Milliseconds { max(graceUntil, backgroundSince, aliveUntil) + os.taskCap.value }
  var hasTask: Bool { !held.isEmpty || lost > 0 }

  func settle() {
    if app.pausesAutomatically.value, let limit = os.autoPauseAfter.value, let still, session,
      life != .foreground, t >= still + limit
    {
      autoPaused = true
    }
    for _ in 0..<4 {
      let isAlive = keepsAlive
      if wasAlive && !isAlive { aliveUntil = t }
      wasAlive = isAlive
      let isUnlimited = life == .foreground || t < graceUntil || isAlive
      let margin = min(os.expirationMargin.value, os.taskCap.value)
      let owns = app.mechanism == .sampledLocation ? !held.isEmpty : held.contains(-1)
      if life == .background && !isUnlimited && app.endsTask.value && owns && t >= zero - margin {
        ends += app.mechanism == .sampledLocation ? held.count : 1
        held = app.mechanism == .sampledLocation ? [] : held.filter { $0 != -1 }
        expired = true
      }
      let awake =
        isAndroid ? scheduled : t < max(graceUntil, lingersUntil) || isAlive || (hasTask && t < zero)
      if life == .background && !awake {
        if hasTask && !isAndroid { expired = true }
        life = .suspended
      } else if life == .suspended && (isAndroid ? awake : isAlive) {
        life = .background
      } else if isRecoverable && awake {
        relaunch()
      }
      if life == .suspended && hasTask && t >= zero + os.killDelay.value && spared != zero {
        if debugger { spared = zero } else { end(.taskLeakKilled, latched: true) }
      }
      sample()
    }
  }

  private func sample() {
    guard app.mechanism == .sampledLocation, runs else { return }
    if let fix = fixAt, t >= fix, permitted, let start = sampleStart {
      fixAt = nil
      timerAt = max(t, start + app.sampleInterval.value)
      stopAt = max(t, start + (app.sampleWindow.value ?? 0))
    }
    if let stop = stopAt, t >= stop { (stopAt, session) = (nil, false) }
    if let timer = timerAt, t >= timer { startSample() }
  }

  var isRanging: Bool {
    guard runs, os.supportsBeacons.value, app.rangingStarted.value, permitted, radio else { return false }
    if app.pausesWhileAudio.value && audio { return false }
    return !isAndroid || (scanOn && !starved && !downgraded)
  }

  var state: Window.State {
    switch life {
    case .foreground: .foreground
    case .background: isRanging ? .ranging : .background
    case .suspended: .suspended
    case .ended: .terminated
    }
  }

  var blocking: Reason? {
    if !os.supportsBeacons.value { return .rangingUnsupported }
    if permission == .reducedAccuracy && !permitted { return .reducedAccuracy }
    if !permitted { return .authDenied }
    if !radio { return .bluetoothOff }
    if isAndroid && !locationSwitch { return .locationOff }
    if case .ended(let reason, let latched) = life {
      if denied && !latched { return .foregroundServiceDenied }
      return reason == .taskLeakKilled && ignored ? .latchedUntilLaunch : reason
    }
    if life == .suspended { return whyAsleep }
    if app.pausesWhileAudio.value && audio { return .audioPause }
    if isAndroid && !isRanging {
      if dozes { return .dozeDeferred }
      if starved { return .scanQuota }
      return downgraded ? .scanDowngraded : .screenOffUnfiltered
    }
    return heard ? nil : .notDetected
  }

  private var whyAsleep: Reason {
    switch app.mechanism {
    case .cycle, .job, .intent, .foregroundService:
      if dozes { return .dozeDeferred }
      if bucketEmpty { return .bucketExhausted }
      if denied { return .foregroundServiceDenied }
      if serviceOver { return .taskExpired }
      return app.mechanism == .intent ? .notDetected : .betweenScans
    case .location, .activitySession:
      if isRejected && session { return .locationConfigRejected }
      return autoPaused ? .locationAutoPaused : .noLocationSession
    case .sampledLocation:
      if timerAt != nil { return .timerFrozen }
      if isRejected { return .locationConfigRejected }
      if autoPaused { return .locationAutoPaused }
    case .events: break
    }
    if heardSince != nil { return isSlow ? .slowSlot : .notDetected }
    if !heard && !isGiven && knowsDistance { return .notDetected }
    if !canMonitor { return .regionLimit }
    if withheld { return .authDenied }
    if silent { return .stateUnknownNoEvent }
    if !everWoken { return .notDetected }
    return refused ? .taskRefused : expired ? .taskExpired : .graceExpired
  }

  func watchNear() {
    let near = distance.map { $0 <= rule.near! } ?? false
    let beyond = distance.map { $0 > rule.rearm } ?? true
    if near && !isNear && pending == nil && !isDone { pending = (t, blocking) }
    isNear = near
    if beyond && !isBeyond { conclude() }
    isBeyond = beyond
    if let waiting = pending, waiting.block == nil { pending?.block = blocking }
  }

  func conclude() {
    if let pending { verdicts.append("\(pending.block ?? .notDetected) \(pending.crossed) -") }
    (pending, isDone) = (nil, false)
  }

  func callback() {
    guard isRanging, heard else { return }
    let turn = Int64(t / os.tickPeriod.value % 10) * os.emptyTicksPerTen.value % 10
    if os.emptyTicksPerTen.value > 0 && life != .foreground && turn >= 10 - os.emptyTicksPerTen.value {
      if isNear && pending != nil && pending?.block == nil { pending?.block = .emptyTick }
      return
    }
    detect()
    guard isNear, let waiting = pending else { return }
    let outcome: Reason = t - waiting.crossed >= 1000 ? .deliveredLate : .delivered
    verdicts.append("\(outcome) \(waiting.crossed) \(t)")
    (pending, isDone) = (nil, true)
  }
}
