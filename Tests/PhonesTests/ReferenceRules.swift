import Phones

// What follows from what was told, looked at anew at every step.
extension ReferencePhone {
  var permitted: Bool {
    switch permission {
    case .always, .whenInUse: true
    case .reducedAccuracy: !os[.hasReducedAccuracy]
    case .denied, .notDetermined, .restricted: false
    }
  }

  var onlyWhenInUse: Bool {
    if isAndroid || !os[.tellsWhenInUseApart] { return false }
    return permission == .whenInUse || (os[.needsServiceSession] && !app[.holdsServiceSession])
  }
  var filtersBeacons: Bool { os[.filtersNeverForLocation] && app[.neverForLocation] }
  func canMonitor(_ region: Int) -> Bool {
    os[.supportsBeacons] && app[.regionRank] + Int64(region) <= os[.regionLimit]
  }
  func monitors(_ region: Int) -> Bool { canMonitor(region) && radio && permitted && !isAndroid }
  var monitors: Bool { monitors(0) }
  var systemScans: Bool {
    os[.supportsBeacons] && radio && permitted && locationSwitch && !filtersBeacons
  }
  var isSlow: Bool { app[.slotsTaken] >= os[.slotLimit] }
  var entryLatency: Milliseconds {
    isSlow ? max(os[.entryLatency], os[.slowSlotLatency]) : os[.entryLatency]
  }

  /// The distance on the walk; nil: unknown or out of range.
  func distance(_ beacon: Int) -> Micrometres? {
    let route = routes[beacon]
    var next = passed[beacon]
    while next < route.count, route[next].time <= t { next += 1 }
    passed[beacon] = next
    guard next > 0, let from = route[next - 1].distance else { return nil }
    guard next < route.count, let to = route[next].distance else { return from }
    let length = route[next].time - route[next - 1].time
    return from + (to - from) * (t - route[next - 1].time) / length
  }

  func hear() {
    if !knowsDistance, waypoints.contains(where: { $0.time <= t && !beacons[$0.beacon].regions.isEmpty }) {
      knowsDistance = true
    }
    let was = heard
    for index in seenBeacons.indices {
      let within = distance(index).map { $0 <= app[.heardDistance] } ?? false
      seenBeacons[index].heard = within && !beacons[index].regions.isEmpty
    }
    if isAndroid && heard != was {
      if heard {
        forgetAt = nil
      } else {
        hitAt = nil
        if seen { forgetAt = t + app[.forgetsAfter] }
      }
      restartHit()
    }
    hearRegions()
  }

  var isSlowBeacon: Bool { os[.unheardInterval].map { app[.advertisingInterval] >= $0 } ?? false }

  func hearRegions() {
    for index in regions.indices {
      let isHeard =
        (screen || !isSlowBeacon)
        && beacons.indices.contains { seenBeacons[$0].heard && beacons[$0].regions.contains(index) }
      guard isHeard != regions[index].isHeard else { continue }
      regions[index].isHeard = isHeard
      guard monitors(index), !isGiven else { continue }
      let isInside = regions[index].isInside
      regions[index].heardSince = isHeard && !isInside ? t : nil
      regions[index].unheardSince = !isHeard && isInside ? t : nil
      regions[index].falseAt = isHeard && isInside ? os[.falseExitAfter].map { t + $0 } : nil
    }
  }

  func watchRegion() {
    for index in regions.indices {
      if let since = regions[index].heardSince, t >= since + entryLatency {
        (regions[index].heardSince, regions[index].isInside) = (nil, true)
        regions[index].falseAt = os[.falseExitAfter].map { t + $0 }
        detect()
        wake()
      } else if let due = regions[index].falseAt, t >= due {
        let isBack = !regions[index].isInside
        regions[index].isInside = isBack
        regions[index].falseAt = t + (isBack ? os[.falseExitAfter] ?? 0 : os[.falseExitLength])
        if isBack { detect() }
        wake()
      }
      if let since = regions[index].unheardSince, t >= since + os[.exitLatency] {
        (regions[index].unheardSince, regions[index].isInside) = (nil, false)
        wake()
      }
    }
    if let due = screenWakeAt, t >= due {
      screenWakeAt = nil
      if monitors && regions.contains(where: \.isInside) { wake() }
    }
  }

  func detect() { if detected == nil && !isLatched { detected = t } }

  var isRejected: Bool {
    if app.mechanism == .activitySession { return false }
    let coarse = os[.locationAccuracyLimit].map { app[.locationAccuracy] > $0 } ?? false
    return coarse || (app[.distanceFilter] != nil && !os[.allowsDistanceFilter])
  }

  var keepsAlive: Bool { !isEnded && (locationKeepsAlive || (app[.hasAudioMode] && !isAndroid && plays)) }

  var locationKeepsAlive: Bool {
    guard session, permitted else { return false }
    switch app.mechanism {
    case .activitySession: return fromForeground && !autoPaused
    case .location, .sampledLocation:
      if onlyWhenInUse && !fromForeground { return false }
      let flag = !os[.needsAllowsFlag] || app[.allowsBackgroundUpdates]
      return app[.hasBackgroundMode] && flag && !isRejected && !autoPaused
    default: return false
    }
  }

  var zero: Milliseconds { max(graceUntil, backgroundSince, aliveUntil) + os[.taskCap] }
  var hasTask: Bool { !held.isEmpty || lost > 0 }

  func settle() {
    let limit = app[.resumesWhenMoving] ? os[.stationaryAfter] : os[.autoPauseAfter]
    if app[.pausesAutomatically], let limit, let still, session, life != .foreground, t >= still + limit {
      autoPaused = true
    }
    for _ in 0..<4 {
      let isAlive = keepsAlive
      if wasAlive && !isAlive { aliveUntil = t }
      wasAlive = isAlive
      let isUnlimited = life == .foreground || t < graceUntil || isAlive
      let margin = min(os[.expirationMargin], os[.taskCap])
      let ending = held.count { $0.handler }
      if life == .background && !isUnlimited && ending > 0 && t >= zero - margin {
        ends += ending
        held = held.filter { !$0.handler }
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
      if app.mechanism == .location && app[.beginsTask] {
        let isBeside = life == .background && locationKeepsAlive
        if isBeside && !wasBeside { beginOwn() }
        wasBeside = isBeside
      }
      if life == .suspended && hasTask && t >= zero + os[.killDelay] && spared != zero {
        if debugger { spared = zero } else { end(.taskLeakKilled, latched: true) }
      }
      sample()
    }
  }

  private func sample() {
    guard app.mechanism == .sampledLocation, runs else { return }
    if let fix = fixAt, t >= fix, permitted, let start = sampleStart {
      fixAt = nil
      let window = app[.sampleWindow] ?? 0
      if app[.timerFromFix] {
        (stopAt, timerAt) = (t + window, t + window + app[.sampleInterval])
      } else {
        timerAt = max(t, start + app[.sampleInterval])
        stopAt = max(t, start + window)
      }
    }
    if let stop = stopAt, t >= stop { (stopAt, session) = (nil, false) }
    if let timer = timerAt, t >= timer { startSample(life == .foreground) }
  }

  var isRanging: Bool {
    guard runs, os[.supportsBeacons], app[.rangingStarted], permitted, radio else { return false }
    if app[.pausesWhileAudio] && audio { return false }
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

  func blocking(_ index: Int) -> Reason? {
    standstill(beacons[index].regions) ?? (seenBeacons[index].heard ? nil : .notDetected)
  }

  private func standstill(_ own: [Int]) -> Reason? {
    if !os[.supportsBeacons] { return .rangingUnsupported }
    if permission == .reducedAccuracy && !permitted { return .reducedAccuracy }
    if !permitted { return .authDenied }
    if !radio { return .bluetoothOff }
    if isAndroid && !locationSwitch { return .locationOff }
    if filtersBeacons { return .neverForLocation }
    if case .ended(let reason, let latched) = life {
      if denied && !latched { return .foregroundServiceDenied }
      return reason == .taskLeakKilled && ignored ? .latchedUntilLaunch : reason
    }
    if life == .suspended { return whyAsleep(own) }
    if app[.pausesWhileAudio] && audio { return .audioPause }
    if isAndroid && !isRanging {
      if dozes { return .dozeDeferred }
      if starved { return .scanQuota }
      return downgraded ? .scanDowngraded : .screenOffUnfiltered
    }
    return nil
  }

  private func whyAsleep(_ own: [Int]) -> Reason {
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
    if own.contains(where: {
      regions[$0].heardSince != nil || (regions[$0].falseAt != nil && !regions[$0].isInside)
    }) {
      return isSlow ? .slowSlot : .notDetected
    }
    if !own.contains(where: { regions[$0].isHeard }) && !isGiven && knowsDistance { return .notDetected }
    if !own.contains(where: canMonitor) { return .regionLimit }
    if withheld { return onlyWhenInUse || os[.wakesForRegions] ? .authDenied : .backgroundRefreshOff }
    if silent { return .stateUnknownNoEvent }
    if !everWoken { return .notDetected }
    return expired ? .taskExpired : refused ? .taskRefused : .graceExpired
  }

  func watchNear() {
    for index in seenBeacons.indices {
      let near = distance(index).map { $0 <= rule.near! } ?? false
      let beyond = distance(index).map { $0 > rule.rearm } ?? true
      var seen = seenBeacons[index]
      if near && !seen.isNear && seen.pending == nil && !seen.isDone && !beacons[index].regions.isEmpty {
        seen.pending = (t, blocking(index))
      }
      seen.isNear = near
      seenBeacons[index] = seen
      if beyond && !seen.isBeyond { conclude(index) }
      seenBeacons[index].isBeyond = beyond
      if let waiting = seenBeacons[index].pending, waiting.block == nil {
        let block = blocking(index)
        seenBeacons[index].pending?.block = block
      }
    }
  }

  func conclude() { for index in seenBeacons.indices { conclude(index) } }

  private func conclude(_ index: Int) {
    if let pending = seenBeacons[index].pending {
      verdicts.append("\(index) \(pending.block ?? .notDetected) \(pending.crossed) -")
    }
    (seenBeacons[index].pending, seenBeacons[index].isDone) = (nil, false)
  }

  private var hearsNothing: Bool {
    let (period, interval) = (os[.tickPeriod], app[.advertisingInterval])
    var turn = t / period
    if interval > period {
      // Since the last callback, no multiple of the interval has passed.
      if (t % interval + interval) % interval >= period { return true }
      turn = t / interval
    }
    let lost = os[.emptyTicksPerTen]
    return lost > 0 && life != .foreground && turn % 10 * lost % 10 >= 10 - lost
  }

  func callback() {
    guard isRanging, heard else { return }
    let isEmpty = hearsNothing
    if !isEmpty { detect() }
    for (index, seen) in seenBeacons.enumerated() {
      guard let waiting = seen.pending else { continue }
      if isEmpty {
        if waiting.block == nil { seenBeacons[index].pending?.block = .emptyTick }
      } else if seen.heard && seen.isNear {
        let outcome: Reason = t - waiting.crossed >= 1000 ? .deliveredLate : .delivered
        verdicts.append("\(index) \(outcome) \(waiting.crossed) \(t)")
        (seenBeacons[index].pending, seenBeacons[index].isDone) = (nil, true)
      }
    }
  }
}
