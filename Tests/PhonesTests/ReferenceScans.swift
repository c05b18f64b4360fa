import Phones

// Android's part of the second account.
extension ReferencePhone {
  var dozes: Bool { life != .foreground && liesInTheDark }

  /// Whether the phone has lain still and dark for long enough, whatever is in the foreground.
  var liesInTheDark: Bool {
    guard isAndroid, let limit = os[.dozeAfter], let still, !screen else { return false }
    return t >= max(still, screenOffSince) + limit
  }

  var scansBegin: Bool { (t - scanStart) % max(app[.scanInterval], app[.scanPeriod]) == 0 }

  func leaveDoze() {
    guard dozes, putsOff || scansBegin else { return }
    if app.mechanism == .job || app.mechanism == .cycle { scanStart = t }
  }

  var bucketEmpty: Bool { app.mechanism == .job && bucket != nil && bucketUsed >= os[.bucketAllowance] }

  var serviceOver: Bool {
    func isPast(_ limit: Milliseconds?) -> Bool { limit.map { t >= backgroundSince + $0 } ?? false }
    if isPast(os[.endsAppAfter]) { return true }
    switch app.mechanism {
    case .cycle: return isPast(os[.serviceLimit])
    case .foregroundService where app[.dataSync]: return isPast(os[.dataSyncLimit])
    default: return false
    }
  }

  var isRecoverable: Bool { isEnded && !isLatched && (app.mechanism == .job || app.mechanism == .intent) }

  var hitLatency: Milliseconds? {
    app.mechanism == .cycle && !os[.scansBetweenCycles] ? nil : app[.hitLatency]
  }

  var scheduled: Bool {
    if dozes || serviceOver { return false }
    let interval = max(app[.scanInterval], app[.scanPeriod])
    let inCycle = (t - scanStart) % interval < app[.scanPeriod] || t < hitUntil
    switch app.mechanism {
    case .cycle: return inCycle
    case .job: return !bucketEmpty && inCycle
    case .intent: return heard && systemScans && t >= heardByScans + (hitLatency ?? 0)
    case .foregroundService: return !denied
    default: return false
    }
  }

  func restartHit() {
    guard isAndroid, heard, systemScans else {
      hitAt = nil
      return
    }
    heardByScans = t
    if let latency = hitLatency, !seen { hitAt = t + latency }
  }

  func settleScans() {
    if let bucket, t >= bucketSince + bucket { (bucketSince, bucketUsed) = (bucketSince + bucket, 0) }
    if let due = forgetAt, t >= due { (forgetAt, seen) = (nil, false) }
    if let due = hitAt, t >= due {
      hitAt = nil
      if !seen && !dozes && (life == .suspended || isRecoverable) { hitUntil = t + app[.scanPeriod] }
    }
  }

  var downgraded: Bool {
    guard scanOn, !app[.restartsLongScans], let limit = os[.downgradesScanAfter] else { return false }
    return t >= scanSince + limit
  }

  func updateScan() {
    let filters = app[.filtersScans] || !os[.screenOffNeedsFilter]
    let wanted = runs && systemScans && !dozes && (life == .foreground || screen || filters)
    if wanted && !scanOn {
      scanSince = t
      starts = starts.filter { $0 + os[.scanStartPeriod] > t }
      starved = starts.count >= Int(os[.scanStartLimit])
      if !starved { starts.append(t) }
    }
    scanOn = wanted
    if isRanging && heard { (seen, hitAt) = (true, nil) }
  }
}
