import Beacons

/// What the system knows of the region, and what it will report to the app.
struct RegionMonitor: Hashable, Sendable {
  var isInside = false
  var enterDue = Milliseconds.never
  var exitDue = Milliseconds.never
  var screenWakeDue = Milliseconds.never
  /// Whether any event, or entering the background, ever gave the app time.
  var wokeApp = false
  /// The app is inside the region but got no enter event.
  var isSilent = false
  /// An event woke nothing, because the app has the permission for when in use only.
  var isWithheld = false
  /// Region events come from outside; none follow from distance.
  var isGiven = false
}

extension PhoneEngine {
  var isPermitted: Bool {
    permission.isGranted && !(permission == .reducedAccuracy && rules[.hasReducedAccuracy])
  }

  /// Whether the app has the permission for when in use, where that is less than the one for always.
  var isWhenInUseOnly: Bool {
    (permission == .whenInUse || rules.lacksServiceSession) && rules.tellsWhenInUseApart
  }

  /// Whether the system monitors the region now.
  var isMonitoring: Bool { rules.isMonitored && isRadioOn && isPermitted && !rules.isAndroid }

  /// From now on region events come from outside, as callbacks: without latency.
  public mutating func takeGivenRegionEvents() { region.isGiven = true }

  /// Beacons come into earshot or leave it, all of the same instant at once. The region is entered with the first and left
  /// with the last.
  mutating func hearingChanged() {
    isUnsettled = true
    let wasHeard = isHeard
    for index in beacons.indices where beacons[index].heardChange <= now {
      beacons[index].hearingChanged(within: rules[.heardDistance], at: now)
    }
    guard isHeard != wasHeard else { return }
    hearingChangedForScans()
    wakeRegionsHeard()
    guard isMonitoring, !region.isGiven else { return }
    if isHeard {
      region.exitDue = .never
      if !region.isInside { region.enterDue = now + rules.entryLatency }
    } else {
      region.enterDue = .never
      if region.isInside { region.exitDue = now + rules[.exitLatency] }
    }
  }

  mutating func regionEntered() {
    isUnsettled = true
    region.enterDue = .never
    region.isInside = true
    noteDetection()
    wake(.regionEnter)
  }

  /// The beacon was lost now, but has been silent since an earlier time, from which on the system has waited for the region exit.
  public mutating func countSilence(since time: Milliseconds, into output: inout PolicyOutput) {
    advance(through: now, into: &output)
    guard region.exitDue != .never else { return }
    region.exitDue = max(now, min(region.exitDue, time + rules[.exitLatency]))
  }

  mutating func regionExited() {
    isUnsettled = true
    region.exitDue = .never
    region.isInside = false
    wake(.regionExit)
  }

  mutating func givenRegionEvent(isEnter: Bool) {
    guard isMonitoring else { return }
    if isEnter { regionEntered() } else { regionExited() }
  }

  private var isLatched: Bool {
    if case .terminated(_, latched: true) = lifecycle { return true }
    return false
  }

  mutating func noteDetection() {
    if totals.detected == nil && !isLatched { totals.detected = now }
  }

  mutating func setScreen(_ isOn: Bool) {
    if rules.isAndroid && isOn != isScreenOn { record(isOn ? .screenOn : .screenOff) }
    if isScreenOn && !isOn { screenOffSince = now }
    if isOn && !isScreenOn { leaveDoze() }
    isScreenOn = isOn
    if isOn && rules[.notifiesOnDisplay] && region.isInside && isMonitoring {
      region.screenWakeDue = now + rules[.screenWakeLatency]
    }
  }

  mutating func wokenByScreen() {
    isUnsettled = true
    region.screenWakeDue = .never
    if region.isInside && isMonitoring { wake(.screenWake) }
  }

  mutating func setRadio(_ isOn: Bool) {
    guard isOn != isRadioOn else { return }
    let was = (isMonitoring, canSystemScan)
    isRadioOn = isOn
    record(isOn ? .bluetoothOn : .bluetoothOff)
    sightMayChange(from: was)
  }

  mutating func setLocationServices(_ isOn: Bool) {
    let was = (isMonitoring, canSystemScan)
    if rules.isAndroid && isOn != hasLocationServices {
      record(isOn ? .locationSwitchedOn : .locationSwitchedOff)
    }
    hasLocationServices = isOn
    sightMayChange(from: was)
  }

  mutating func setPermission(_ value: Permission) {
    let was = (isMonitoring, canSystemScan)
    let wasPermitted = isPermitted
    permission = value
    if isPermitted != wasPermitted { record(isPermitted ? .permissionGranted : .permissionLost) }
    sightMayChange(from: was)
  }

  /// When monitoring ends, the region's state becomes unknown. When it resumes, the state is known again, without an event.
  private mutating func sightMayChange(from was: (monitoring: Bool, scans: Bool)) {
    if was.scans != canSystemScan { refreshHit() }
    guard was.monitoring != isMonitoring else { return }
    wakeRegionsSightChanged()
    region.enterDue = .never
    region.exitDue = .never
    region.screenWakeDue = .never
    guard isMonitoring, !region.isGiven else { return }
    if isHeard && !region.isInside && !isRunning { region.isSilent = true }
    region.isInside = isHeard
  }
}

extension RegionMonitor: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(time: "enter_due", &enterDue, or: .never)
    try coder(time: "exit_due", &exitDue, or: .never)
    try coder(time: "screen_wake_due", &screenWakeDue, or: .never)
    try coder("is_inside", &isInside)
    try coder("woke_app", &wokeApp)
    try coder("is_silent", &isSilent)
    try coder("is_withheld", &isWithheld)
    try coder("is_given", &isGiven)
  }
}

extension WakeRegion: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_on_air", &isOnAir)
    try coder("is_inside", &isInside)
    try coder(time: "enter_due", &enterDue, or: .never)
    try coder(time: "exit_due", &exitDue, or: .never)
  }
}
