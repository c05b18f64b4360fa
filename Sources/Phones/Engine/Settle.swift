extension PhoneEngine {
  /// Processes all consequences of what happened at `now`: what keeps the app alive, expiry, suspension, timers.
  /// Expiry comes before the app's own timers: a window is half-open, so a timer due at its end never fires.
  mutating func settle() {
    isUnsettled = false
    if rules.isAndroid { settleScans() }
    pauseLocationIfDue()
    // Starting or stopping a sample changes what keeps the app alive, at most once each.
    for _ in 0..<4 {
      updateKeepAlive()
      runHandlers()
      updateLifecycle()
      beginTaskBesideLocation()
      killIfDue()
      let before = session
      runSampler()
      if session == before { break }
    }
    if rules.isAndroid { updateScan() }
  }

  private mutating func updateKeepAlive() {
    let isAlive = isKeptAlive
    if wasKeptAlive && !isAlive { keptAliveUntil = now }
    wasKeptAlive = isAlive
  }

  private mutating func updateLifecycle() {
    switch lifecycle {
    case .background where !mayRun: suspend()
    case .suspended where rules.isAndroid && mayRun: lifecycle = .background
    case .suspended where wasKeptAlive:
      record(.resumed)
      lifecycle = .background
    case .terminated where isRecoverable && mayRun: relaunch()
    default: break
    }
  }

  private mutating func suspend() {
    if !tasks.isEmpty && !rules.isAndroid {
      wasTaskExpired = true
      record(.countdownEnded)
    } else if !rules.isAndroid {
      record(.suspended)
    } else if isServiceOver {
      record(.serviceStopped)
    }
    lifecycle = .suspended
  }

  /// When `settle` has something to do next; after `now`.
  func nextTimer() -> Milliseconds {
    var next = Milliseconds.never
    func consider(_ time: Milliseconds) { if time > now { next = min(next, time) } }
    if rules.isAndroid { return nextScheduleChange() }
    if isRunning {
      consider(session.fixDue)
      consider(session.stopDue)
      consider(session.timerDue)
      if lifecycle == .background {
        if let limit = rules.autoPauseAfter, let stillSince, session.isOn, !session.isAutoPaused {
          consider(stillSince + limit)
        }
        consider(graceUntil)
        consider(lingersUntil)
        if !wasKeptAlive && !tasks.isEmpty {
          if tasks.hasHandler { consider(handlerTime) }
          consider(countdownEnd)
        }
      }
    } else if lifecycle == .suspended && !tasks.isEmpty && sparedAt != countdownEnd {
      consider(killTime)
    }
    return next
  }
}
