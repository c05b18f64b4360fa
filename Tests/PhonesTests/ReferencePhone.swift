import Phones

/// The rules a second time, 100 ms at a time: slow, without deadlines, nothing remembered that could be worked out.
final class ReferencePhone {
  enum Life: Equatable { case foreground, background, suspended, ended(Reason, latched: Bool) }

  let os: OSProfile
  let app: StrategyProfile
  let rule: NearDistances
  let waypoints: [Timeline.Waypoint]
  /// Those of each beacon, in the order of time, and how many of them are passed: so that a step costs the same at the end of a
  /// long walk as at its beginning.
  let routes: [[Timeline.Waypoint]]
  var passed: [Int]
  let beacons: [Timeline.Beacon]
  let isGiven: Bool
  var isAndroid: Bool { os.family == .android }
  var t: Milliseconds = 0

  var life = Life.foreground
  var radio = true, locationSwitch = true, screen = false, audio = false, plays = false, debugger = false
  var screenOffSince: Milliseconds = 0
  var still: Milliseconds?
  var permission: Permission

  var graceUntil: Milliseconds = 0, lingersUntil: Milliseconds = 0, backgroundSince: Milliseconds = 0,
    aliveUntil: Milliseconds = 0
  var wasAlive = false
  var held: [(id: Int32, handler: Bool)] = []
  var lost = 0, begins = 0, ends = 0, leaks = 0
  var refused = false, wasBeside = false, expired = false, ignored = false, everWoken = false, silent = false
  var withheld = false
  var spared: Milliseconds?
  var counter: Int32 = 1000

  var session = false, fromForeground = false, autoPaused = false
  var sampleStart: Milliseconds?, fixAt: Milliseconds?, stopAt: Milliseconds?, timerAt: Milliseconds?

  /// One beacon of the walk.
  struct Seen {
    var heard = false, isNear = false, isBeyond = true, isDone = false
    var pending: (crossed: Milliseconds, block: Reason?)?
  }
  var seenBeacons: [Seen] = []
  var heard: Bool { seenBeacons.contains { $0.heard } }
  /// One region of the app.
  struct Region {
    var isHeard = false, isInside = false
    var heardSince: Milliseconds?, unheardSince: Milliseconds?
    /// The next event that is none, or that takes one back.
    var falseAt: Milliseconds?
  }
  var regions = [Region(), Region()]
  var knowsDistance = false
  var screenWakeAt: Milliseconds?

  var scanStart: Milliseconds = 0, hitUntil = Milliseconds.min, heardByScans: Milliseconds = 0
  var hitAt: Milliseconds?, forgetAt: Milliseconds?, seen = false, denied = false
  /// Whether a scan of the schedule fell into the present Doze.
  var putsOff = false
  var scanOn = false, scanSince: Milliseconds = 0, starved = false, starts: [Milliseconds] = []
  var bucket: Milliseconds?, bucketSince: Milliseconds = 0, bucketUsed: Milliseconds = 0

  var verdicts: [String] = []
  var states: [Window.State] = []
  var ranged: Milliseconds = 0
  var detected: Milliseconds?

  init(_ walk: RandomWalk) {
    os = walk.profile.os
    permission = walk.profile.strategy.permissionAsked == "When In Use" ? .whenInUse : .always
    app = walk.profile.strategy
    rule = walk.rule
    waypoints = walk.waypoints
    beacons = walk.timeline.beacons
    routes = beacons.indices.map { beacon in walk.waypoints.filter { $0.beacon == beacon } }
    passed = beacons.map { _ in 0 }
    seenBeacons = beacons.map { _ in Seen() }
    isGiven = walk.timeline.givesRegionEvents
    bucket = app[.bucketPeriod]
    session = app[.startsLocation] && app.mechanism != .sampledLocation
    fromForeground = true
    screen = isAndroid && walk.timeline.start == .foreground
    if case .before(let lead) = walk.timeline.since {
      t = -lead
      (graceUntil, lingersUntil, backgroundSince, aliveUntil) = (t, t, t, t)
      (scanStart, bucketSince, screenOffSince) = (t, t, t)
    } else if walk.timeline.start == .background {
      if app.mechanism == .events { life = .suspended } else { goToBackground() }
      lingersUntil = 0
    }
  }

  func run(_ timeline: Timeline) {
    let told = timeline.entries.filter { if case .motion = $0.event { false } else { true } }
    let start = t
    while t < 0 {
      step(t == start ? [.background] : [])
      if isAndroid && life == .background && bucket != nil { bucketUsed += 100 }
      t += 100
    }
    while t <= timeline.end {
      let first: [PhoneEvent] = t == start && timeline.since != .timeline ? [.background] : []
      step(first + told.filter { $0.time == t }.map(\.event))
      states.append(state)
      if t < timeline.end && isRanging { ranged += 100 }
      if t < timeline.end && isAndroid && life == .background && bucket != nil { bucketUsed += 100 }
      t += 100
    }
    t = timeline.end
    conclude()
  }

  /// Permission and radio, lifecycle, region, the app's calls, timers, near, the callback.
  private func step(_ events: [PhoneEvent]) {
    for event in events { takePermissionOrRadio(event) }
    for event in events { takeLifecycle(event) }
    for event in events { takeRegion(event) }
    hear()
    watchRegion()
    for event in events { takeCall(event) }
    if isAndroid { settleScans() }
    settle()
    if isAndroid {
      updateScan()
      putsOff = liesInTheDark && (putsOff || scansBegin)
    }
    watchNear()
    if t % os[.tickPeriod] == 0 { callback() }
  }

  // MARK: what is told

  private func takePermissionOrRadio(_ event: PhoneEvent) {
    let was = (monitors, systemScans)
    let wasPermitted = permitted
    switch event {
    case .bluetooth(let isOn): radio = isOn
    case .permission(let value): permission = value
    case .locationServices(let isOn): locationSwitch = isOn
    default: return
    }
    _ = wasPermitted
    if was.1 != systemScans { restartHit() }
    guard was.0 != monitors else { return }
    screenWakeAt = nil
    for index in regions.indices {
      (regions[index].heardSince, regions[index].unheardSince, regions[index].falseAt) = (nil, nil, nil)
      guard monitors(index), !isGiven else { continue }
      if regions[index].isHeard && !regions[index].isInside && !runs { silent = true }
      regions[index].isInside = regions[index].isHeard
    }
  }

  private func takeLifecycle(_ event: PhoneEvent) {
    switch event {
    case .foreground, .userLaunch:
      if isEnded { newProcess() }
      if isAndroid { light(true) }
      life = .foreground
      autoPaused = false
      if session { fromForeground = true }
      denied = false
    case .background: goToBackground()
    case .forceQuit: end(.forceQuit, latched: !os[.relaunchesAfterForceQuit])
    case .lowMemory: end(.lowMemory, latched: false)
    case .reboot: end(.reboot, latched: false)
    case .debugger(let isOn): debugger = isOn
    default: break
    }
  }

  private func takeRegion(_ event: PhoneEvent) {
    switch event {
    case .regionEnter where monitors:
      (regions[0].heardSince, regions[0].isInside) = (nil, true)
      detect()
      wake()
    case .regionExit where monitors:
      (regions[0].unheardSince, regions[0].isInside) = (nil, false)
      wake()
    case .backgroundFetch where !isAndroid && life != .foreground: fetch()
    case .screen(let isOn):
      light(isOn)
      hearRegions()
      if isOn && app[.notifiesOnDisplay] && regions.contains(where: \.isInside) && monitors {
        screenWakeAt = t + os[.screenWakeLatency]
      }
    default: break
    }
  }

  private func light(_ isOn: Bool) {
    if screen && !isOn { screenOffSince = t }
    if isOn { leaveDoze() }
    screen = isOn
  }

  private func takeCall(_ event: PhoneEvent) {
    switch event {
    case .audio(let isOn):
      audio = isOn
      plays = isOn && (plays || runs)
    case .still(let isStill):
      if !isStill { leaveDoze() }
      still = isStill ? still ?? t : nil
      if !isStill && app[.resumesWhenMoving] { autoPaused = false }
    case .bucket(let period): (bucket, bucketSince, bucketUsed) = (period, t, 0)
    case .location(true) where runs && !isAndroid:
      if app.mechanism == .sampledLocation { return startSample(life == .foreground) }
      fromForeground = life == .foreground || (session && fromForeground)
      (session, autoPaused) = (true, false)
    case .location(false) where runs && !isAndroid: clearSession()
    case .beginTask(let id, let granted, let handler) where runs && !isAndroid:
      if app.mechanism == .sampledLocation { return addTask(granted) }
      begin(id.rawValue, granted, handler)
    case .endTask(let id) where runs && !isAndroid:
      if let index = held.firstIndex(where: { $0.id == id.rawValue }) {
        held.remove(at: index)
        ends += 1
      }
    default: break
    }
  }

  // MARK: the app

  var runs: Bool { life == .foreground || life == .background }
  var isEnded: Bool { if case .ended = life { true } else { false } }
  var isLatched: Bool { if case .ended(_, latched: true) = life { true } else { false } }

  func clearSession() {
    (session, fromForeground, autoPaused) = (false, false, false)
    (sampleStart, fixAt, stopAt, timerAt) = (nil, nil, nil, nil)
  }

  func newProcess() {
    clearSession()
    session = app[.startsLocation] && app.mechanism != .sampledLocation
    fromForeground = true
    (ignored, wasAlive, wasBeside, plays) = (false, false, false, false)
    aliveUntil = t
  }

  func goToBackground() {
    if isEnded { newProcess() }
    let leaving = life == .foreground
    let didRange = leaving && isRanging
    life = .background
    if session { fromForeground = true }
    denied = os[.serviceNeedsType] && !app[.declaresServiceType]
    findItselfInBackground(leaving: leaving)
    if !isAndroid && didRange { lingersUntil = t + os[.grace] }
  }

  func findItselfInBackground(leaving: Bool) {
    backgroundSince = t
    (silent, withheld, everWoken, refused, expired) = (false, false, true, false, false)
    if isAndroid { scanStart = t }
    if app.mechanism == .sampledLocation {
      addTask(true)
      startSample(leaving)
    } else if app[.beginsTask] && app.mechanism == .events {
      beginOwn()
    }
  }

  func relaunch() {
    newProcess()
    (session, fromForeground) = (false, false)
    life = .background
    if isAndroid { return }
    backgroundSince = t
    if app.mechanism == .sampledLocation { findItselfInBackground(leaving: false) }
  }

  func wake() {
    if onlyWhenInUse && life != .foreground {
      withheld = true
      return
    }
    if !os[.wakesForRegions] && !runs {
      withheld = true
      return
    }
    if isLatched {
      ignored = true
      return
    }
    if isEnded && !app[.awaitsEvents] { return }
    if isEnded { relaunch() }
    if life == .suspended { life = .background }
    graceUntil = t + os[.grace]
    (silent, withheld, everWoken, refused, expired) = (false, false, true, false, false)
    if life == .background && app[.beginsTask] && app.mechanism == .events { beginOwn() }
  }

  func fetch() {
    if isLatched || life == .ended(.forceQuit, latched: false) { return }
    if isEnded { relaunch() }
    if life == .suspended {
      life = .background
      if !hasTask { backgroundSince = t }
    }
    lingersUntil = max(lingersUntil, t + os[.fetchTime])
    (silent, withheld, everWoken, refused, expired) = (false, false, true, false, false)
  }

  func end(_ reason: Reason, latched: Bool) {
    if isLatched { return }
    if reason == .taskLeakKilled { leaks += held.count } else { ends += held.count }
    (held, lost) = ([], 0)
    clearSession()
    life = .ended(reason, latched: latched)
    (graceUntil, lingersUntil) = (min(graceUntil, t), min(lingersUntil, t))
    (wasAlive, wasBeside, plays, ignored, hitUntil) = (false, false, false, false, .min)
    guard app.mechanism == .foregroundService, !latched else { return }
    let mayStart = !os[.serviceNeedsType] || app[.declaresServiceType]
    let atBoot = os[.startsServiceAtBoot] && (os[.startsDataSyncAtBoot] || !app[.dataSync])
    if mayStart && (reason == .reboot ? atBoot : os[.startsServiceInBackground]) {
      relaunch()
    } else {
      denied = true
    }
  }

  func begin(_ id: Int32, _ granted: Bool, _ handler: Bool) {
    guard granted else {
      refused = true
      return
    }
    begins += 1
    if let place = held.firstIndex(where: { $0.id == id }) {
      leaks += 1
      lost += 1
      held[place].handler = handler
    } else {
      held.append((id, handler))
    }
  }

  func beginOwn() {
    if app[.guardsTask] && held.contains(where: { $0.id == -1 }) { return }
    begin(-1, app[.taskGranted], app[.endsTask])
  }

  func addTask(_ granted: Bool) {
    counter += 1
    guard granted && app[.taskGranted] else {
      refused = true
      return
    }
    begins += 1
    ends += held.count
    held = [(counter, app[.endsTask])]
  }

  func startSample(_ inForeground: Bool) {
    (session, autoPaused, fromForeground) = (true, false, inForeground)
    (sampleStart, fixAt, stopAt, timerAt) = (t, t + os[.fixLatency], nil, nil)
  }
}
