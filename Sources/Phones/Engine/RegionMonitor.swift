import Beacons

/// One region, as the system monitors it: whether the phone is inside, and which event is due.
struct MonitoredRegion: Hashable, Sendable {
  var isInside = false
  var enterDue = Milliseconds.never
  var exitDue = Milliseconds.never

  /// The region's first beacon came into earshot, or its last beacon left it.
  mutating func hearingChanged(to isHeard: Bool, at now: Milliseconds, _ rules: PhoneRules) {
    if isHeard {
      exitDue = .never
      if !isInside { enterDue = now + rules.entryLatency }
    } else {
      enterDue = .never
      if isInside { exitDue = now + rules[.exitLatency] }
    }
  }

  /// Monitoring began or ended: the state is known again, or unknown, without an event.
  mutating func sightChanged(isInside: Bool) { self = MonitoredRegion(isInside: isInside) }
}

/// A set of the app's own regions, one bit for each.
struct RegionMask: RawRepresentable, StateCoded, Hashable, Sendable {
  var rawValue: UInt32

  /// The app's only region, unless a timeline says more.
  static let first = RegionMask(rawValue: 1)
  static let all = RegionMask(rawValue: .max)
  static let limit = 32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Regions from `limit` on are left out.
  init(_ regions: [Int]) {
    rawValue = regions.filter((0..<Self.limit).contains).reduce(0) { $0 | 1 << UInt32($1) }
  }

  var isEmpty: Bool { rawValue == 0 }
  func contains(_ region: Int) -> Bool { rawValue >> UInt32(region) & 1 == 1 }
  func shares(_ other: RegionMask) -> Bool { rawValue & other.rawValue != 0 }
}

/// What the system knows of the app's regions, and what it will report to the app.
struct RegionMonitor: Hashable, Sendable {
  /// At least one, in the order in which the app registered them.
  var regions = [MonitoredRegion()]
  var screenWakeDue = Milliseconds.never
  /// Whether any event, or entering the background, ever gave the app time.
  var wokeApp = false
  /// The app is inside the region but got no enter event.
  var isSilent = false
  /// An event woke nothing, because the app has only the permission "when in use".
  var isWithheld = false
  /// Region events are given from outside; distances cause none.
  var isGiven = false
}

extension PhoneEngine {
  var isPermitted: Bool {
    permission.isGranted && !(permission == .reducedAccuracy && rules[.hasReducedAccuracy])
  }

  /// Whether the app has only the permission "when in use", on a system where that is less than "always".
  var isWhenInUseOnly: Bool {
    (permission == .whenInUse || rules.lacksServiceSession) && rules.tellsWhenInUseApart
  }

  /// Whether the system monitors any of the app's regions now.
  var isMonitoring: Bool { isMonitoring(0) }

  /// Whether the system monitors a region: it refuses those that the app registers beyond the limit.
  func isMonitoring(_ region: Int) -> Bool {
    rules.isMonitored(region) && isRadioOn && isPermitted && !rules.isAndroid
  }

  /// The regions of which a beacon is heard.
  var heardRegions: RegionMask {
    var mask = RegionMask([])
    for beacon in beacons where beacon.isHeard { mask.rawValue |= beacon.regions.rawValue }
    return mask
  }

  /// Those of `heardRegions` that the system notices: none, if it needs the screen on.
  var noticedRegions: RegionMask { rules.needsScreen && !isScreenOn ? RegionMask([]) : heardRegions }

  private var isInsideAny: Bool { region.regions.contains(where: \.isInside) }

  /// From now on region events come from outside, as callbacks: without latency.
  public mutating func takeGivenRegionEvents() { region.isGiven = true }

  /// Beacons come into earshot or leave it; all changes of one instant are processed together. A region is entered with the first
  /// of its beacons and left with the last.
  mutating func hearingChanged() {
    isUnsettled = true
    let was = heardRegions
    for index in beacons.indices where beacons[index].heardChange <= now {
      beacons[index].hearingChanged(within: rules[.heardDistance], at: now)
    }
    let heard = heardRegions
    guard heard != was else { return }
    if heard.isEmpty != was.isEmpty {
      hearingChangedForScans()
      wakeRegionsHeard()
    }
    if !rules.needsScreen || isScreenOn { noticed(heard, was) }
  }

  private mutating func noticed(_ heard: RegionMask, _ was: RegionMask) {
    guard !region.isGiven else { return }
    for index in region.regions.indices where heard.contains(index) != was.contains(index) {
      guard isMonitoring(index) else { break }
      region.regions[index].hearingChanged(to: heard.contains(index), at: now, rules)
      if region.regions[index].isInside && heard.contains(index) {
        region.regions[index].exitDue = falseExit(index)
      }
    }
  }

  /// When a false exit is due: the phone is in the region and hears its beacon, but the system reports an exit.
  private func falseExit(_ index: Int) -> Milliseconds {
    guard let after = rules[.falseExitAfter], !region.isGiven, noticedRegions.contains(index) else {
      return .never
    }
    return now + after
  }

  mutating func regionEntered(_ index: Int) {
    isUnsettled = true
    region.regions[index] = MonitoredRegion(isInside: true, exitDue: falseExit(index))
    noteDetection()
    wake(.regionEnter)
  }

  /// The beacon counts as lost now, but it has been silent since `time`, and the system has waited for the region exit since
  /// then.
  public mutating func countSilence(since time: Milliseconds, into output: inout PolicyOutput) {
    advance(through: now, into: &output)
    let noticed = noticedRegions
    for index in region.regions.indices
    where region.regions[index].exitDue != .never && !noticed.contains(index) {
      let due = region.regions[index].exitDue
      region.regions[index].exitDue = max(now, min(due, time + rules[.exitLatency]))
    }
  }

  mutating func regionExited(_ index: Int) {
    isUnsettled = true
    let isFalse = falseExit(index) != .never
    region.regions[index] = MonitoredRegion(
      isInside: false, enterDue: isFalse ? now + rules[.falseExitLength] : .never)
    wake(.regionExit)
  }

  /// A given event belongs to the app's first region.
  mutating func givenRegionEvent(isEnter: Bool) {
    guard isMonitoring else { return }
    if isEnter { regionEntered(0) } else { regionExited(0) }
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
    let noticed = noticedRegions
    isScreenOn = isOn
    if rules.needsScreen { self.noticed(noticedRegions, noticed) }
    if isOn && rules[.notifiesOnDisplay] && isInsideAny && isMonitoring {
      region.screenWakeDue = now + rules[.screenWakeLatency]
    }
  }

  mutating func wokenByScreen() {
    isUnsettled = true
    region.screenWakeDue = .never
    if isInsideAny && isMonitoring { wake(.screenWake) }
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
    region.screenWakeDue = .never
    let heard = noticedRegions
    for index in region.regions.indices {
      let wasInside = region.regions[index].isInside
      let isInside = isMonitoring(index) && !region.isGiven ? heard.contains(index) : wasInside
      if isInside && !wasInside && !isRunning { region.isSilent = true }
      region.regions[index].sightChanged(isInside: isInside)
    }
  }
}

extension RegionMonitor: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("regions", &regions, atMost: RegionMask.limit)
    try coder.check(!regions.isEmpty)
    try coder(time: "screen_wake_due", &screenWakeDue, or: .never)
    try coder("woke_app", &wokeApp)
    try coder("is_silent", &isSilent)
    try coder("is_withheld", &isWithheld)
    try coder("is_given", &isGiven)
  }
}

extension MonitoredRegion: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_inside", &isInside)
    try coder(time: "enter_due", &enterDue, or: .never)
    try coder(time: "exit_due", &exitDue, or: .never)
  }
}

extension WakeRegion: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_on_air", &isOnAir)
    try coder("monitored", &monitored)
  }
}
