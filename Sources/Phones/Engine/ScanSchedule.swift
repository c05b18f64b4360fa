import Beacons
import Core

/// Android's scans: what a schedule allows, and what the system takes away.
struct ScanSchedule: Sendable {
  /// When the schedule began: its cycles or jobs are counted from here.
  var start: Milliseconds
  /// Until when a hit of the system's own scan lets the app scan.
  var hitUntil = Milliseconds.min
  var hitDue = Milliseconds.never
  /// When the beacon came into earshot.
  var heardSince = Milliseconds.never
  /// Whether the library counts the beacon as present. Then a hit is not a first hit.
  var isSeen = false
  var forgetDue = Milliseconds.never
  var isServiceDenied = false

  /// Whether the app's scan runs, and since when.
  var isOn = false
  var since = Milliseconds.min
  var isStarved = false
  /// Times of permitted scan starts, the latest last; at most the limit.
  var starts: [Milliseconds] = []

  var bucketPeriod: Milliseconds?
  var bucketStart: Milliseconds
  var bucketUsed: Milliseconds = 0

  init(start: Milliseconds, bucketPeriod: Milliseconds?) {
    self.start = start
    self.bucketPeriod = bucketPeriod
    bucketStart = start
  }

  mutating func setBucket(_ period: Milliseconds?, at now: Milliseconds) {
    bucketPeriod = period
    bucketStart = now
    bucketUsed = 0
  }
}

extension PhoneEngine {
  /// When Doze begins if nothing changes; `.never` if it does not.
  var dozeTime: Milliseconds {
    guard let limit = rules[.dozeAfter], let stillSince, !isScreenOn, lifecycle != .foreground else {
      return .never
    }
    return max(stillSince, screenOffSince) + limit
  }

  var isDozing: Bool { rules.isAndroid && now >= dozeTime }

  var isBucketExhausted: Bool {
    rules.mechanism == .job && scan.bucketPeriod != nil && scan.bucketUsed >= rules[.bucketAllowance]
  }

  /// Whether the background service was stopped by the system, or the app by the phone's maker.
  var isServiceOver: Bool {
    guard let limit = rules.serviceLimit else { return false }
    return now >= backgroundSince + limit
  }

  private var phase: Milliseconds { (now - scan.start) % rules.scanInterval }

  /// Whether the schedule lets the app scan in the background now.
  var isScheduled: Bool {
    if isDozing || isServiceOver { return false }
    switch rules.mechanism {
    case .cycle: return phase < rules[.scanPeriod] || now < scan.hitUntil
    case .job: return !isBucketExhausted && (phase < rules[.scanPeriod] || now < scan.hitUntil)
    case .intent:
      guard isHeard, let latency = rules.hitLatency, canSystemScan else { return false }
      return now >= scan.heardSince + latency
    case .foregroundService: return !scan.isServiceDenied
    case .events, .location, .sampledLocation, .activitySession: return false
    }
  }

  /// Whether the system itself could scan for the app.
  var canSystemScan: Bool {
    rules[.supportsBeacons] && isRadioOn && isPermitted && hasLocationServices && !rules.dropsBeacons
  }

  /// When the schedule changes next by itself; always after `now`.
  func nextScheduleChange() -> Milliseconds {
    var next = Milliseconds.never
    func consider(_ time: Milliseconds) { if time > now { next = min(next, time) } }
    consider(dozeTime)
    consider(scan.hitDue)
    consider(scan.forgetDue)
    if scan.isOn, !scan.isStarved, let limit = rules.downgradesScanAfter { consider(scan.since + limit) }
    guard lifecycle != .foreground else { return next }
    if isRecoverable || isRunning || lifecycle == .suspended {
      if let limit = rules.serviceLimit { consider(backgroundSince + limit) }
      switch rules.mechanism {
      case .cycle, .job:
        let phase = phase
        consider(now + (phase < rules[.scanPeriod] ? rules[.scanPeriod] : rules.scanInterval) - phase)
        consider(scan.hitUntil)
      case .intent:
        if isHeard, canSystemScan, let latency = rules.hitLatency { consider(scan.heardSince + latency) }
      default: break
      }
    }
    // The bucket does not affect other mechanisms.
    if rules.mechanism == .job, let period = scan.bucketPeriod {
      consider(scan.bucketStart + period)
      if lifecycle == .background, !isBucketExhausted {
        consider(now + rules[.bucketAllowance] - scan.bucketUsed)
      }
    }
    return next
  }

  /// Whether the schedule can restart the app after the system ended it.
  var isRecoverable: Bool {
    guard case .terminated(_, latched: false) = lifecycle else { return false }
    return rules.mechanism == .job || rules.mechanism == .intent
  }

  mutating func hearingChangedForScans() {
    guard rules.isAndroid else { return }
    if isHeard {
      scan.forgetDue = .never
    } else {
      scan.hitDue = .never
      if scan.isSeen { scan.forgetDue = now + rules[.forgetsAfter] }
    }
    refreshHit()
  }

  /// Restarts the latency of the system's own scan, which counts from when it can hear the beacon.
  mutating func refreshHit() {
    guard rules.isAndroid, isHeard, canSystemScan else {
      scan.hitDue = .never
      return
    }
    scan.heardSince = now
    if let latency = rules.hitLatency, !scan.isSeen { scan.hitDue = now + latency }
  }

  /// The phone moves again, or its screen turns on: a job or a cycle that Doze put off runs now.
  mutating func leaveDoze() {
    guard rules.mechanism == .job || rules.mechanism == .cycle else { return }
    if isDozing && now - phase >= dozeTime { scan.start = now }
  }

  /// Processes all consequences for Android's scans at `now`.
  mutating func settleScans() {
    if let period = scan.bucketPeriod, now >= scan.bucketStart + period {
      scan.bucketStart += (now - scan.bucketStart) / period * period
      scan.bucketUsed = 0
    }
    if now >= scan.forgetDue {
      scan.forgetDue = .never
      scan.isSeen = false
    }
    if now >= scan.hitDue {
      scan.hitDue = .never
      if !scan.isSeen && !isDozing && (lifecycle == .suspended || isRecoverable) {
        scan.hitUntil = now + rules[.scanPeriod]
      }
    }
  }

  /// Starts or stops the app's scan, as the present state allows.
  mutating func updateScan() {
    let wanted = wantsScan
    if wanted && !scan.isOn { startScan() }
    scan.isOn = wanted
    if isRanging && isHeard {
      scan.isSeen = true
      scan.hitDue = .never
    }
  }

  private var wantsScan: Bool {
    guard isRunning, rules[.rangingStarted], canSystemScan, !isDozing else { return false }
    return lifecycle == .foreground || isScreenOn || rules.scansWithScreenOff
  }

  private mutating func startScan() {
    scan.since = now
    scan.starts.removeAll { $0 + rules[.scanStartPeriod] <= now }
    scan.isStarved = scan.starts.count >= rules[.scanStartLimit]
    record(scan.isStarved ? .scanRefused : .scanStarted)
    if !scan.isStarved { scan.starts.append(now) }
  }

  var isDowngraded: Bool {
    guard scan.isOn, let limit = rules.downgradesScanAfter else { return false }
    return now >= scan.since + limit
  }
}

extension ScanSchedule: StateElement {
  init() { self.init(start: 0, bucketPeriod: nil) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(time: "start", &start)
    try coder(time: "hit_until", &hitUntil, or: .min)
    try coder(time: "hit_due", &hitDue, or: .never)
    try coder(time: "heard_since", &heardSince, or: .never)
    try coder(time: "forget_due", &forgetDue, or: .never)
    try coder(time: "since", &since, or: .min)
    try coder(time: "bucket_start", &bucketStart)
    try coder("bucket_used", &bucketUsed, in: 0...(1 << 53))
    try coder("is_seen", &isSeen)
    try coder("is_service_denied", &isServiceDenied)
    try coder("is_on", &isOn)
    try coder("is_starved", &isStarved)
    try coder("starts", &starts)
    try coder("bucket_period", &bucketPeriod)
    try coder.check(
      // Must not be 0, because it is a divisor.
      bucketPeriod.map { (1000...(1 << 50)).contains($0) } ?? true
        && starts.allSatisfy { $0.magnitude <= 1 << 53 })
  }
}
