extension PhoneEngine {
  /// What the app can do now.
  public var window: Window {
    let state: Window.State
    switch lifecycle {
    case .foreground: state = .foreground
    case .background: state = isRanging ? .ranging : .background
    case .suspended: state = .suspended
    case .terminated: state = .terminated
    }
    let why = isRanging ? nil : blocking
    let expires = isRunning && !isUnlimited && !rules.isAndroid ? expiry : nil
    let since = published.flatMap { $0.state == state ? $0.since : nil } ?? now
    return Window(state: state, since: since, time: now, expires: expires, why: why)
  }

  /// Outputs the window if it changed. Call it after everything at `now` has been processed.
  mutating func publish(into output: inout PolicyOutput) {
    let window = window
    if let published, published.state == window.state, published.expires == window.expires,
      published.why == window.why
    {
      return
    }
    published = window
    output.windows.append(window)
  }

  /// Adds the span from `now` to `time`, in which nothing changes, to the totals.
  mutating func integrate(to time: Milliseconds) {
    let span = time - now
    let isRanging = isRanging
    if isRanging {
      totals.ranging += span
      if !wasRanging { totals.windows += 1 }
      if isHeard { noteClosest(until: time) }
    }
    wasRanging = isRanging
    let systemScans = rules.mechanism == .intent && canSystemScan && !isDozing
    if isRanging || systemScans { totals.receiver += span * rules[.scanDuty] }
    if isLocating {
      totals.location += span
      if span > 0 { history?.noteLocating(from: now, to: time) }
      if !wasLocating { totals.samples += 1 }
    }
    wasLocating = isLocating
    if rules.isAndroid && lifecycle == .background && scan.bucketPeriod != nil { scan.bucketUsed += span }
  }

  /// On one leg, the callback with the least distance is the first or the last one.
  private mutating func noteClosest(until time: Milliseconds) {
    for beacon in beacons where beacon.isHeard {
      if let motion = beacon.motion { noteClosest(motion, until: time) }
    }
  }

  private mutating func noteClosest(_ motion: Motion, until time: Milliseconds) {
    var tick = multiple(of: rules[.tickPeriod], from: now)
    if motion.rate < 0 { tick = multiple(of: rules[.tickPeriod], from: time) - rules[.tickPeriod] }
    let direction = motion.rate < 0 ? -rules[.tickPeriod] : rules[.tickPeriod]
    while tick >= now && tick < time && isEmpty(tick: tick) { tick += direction }
    guard tick >= now && tick < time else { return }
    let distance = motion.metres(at: tick)
    if distance < totals.closestRanged ?? .infinity { totals.closestRanged = distance }
  }
}
