import Beacons
import Core

/// One phone with one app: when it can range, and whether it would have delivered a near trigger.
///
/// A pure state machine in whole milliseconds that reads no clock. Pass events in order of time to `apply`, and let
/// time pass with `advance`; both output what changed. Its size does not grow with time. Windows are half-open:
/// at the instant a window ends, the app no longer ranges. Ranging callbacks happen at whole multiples of the
/// profile's tick period from time zero.
public struct PhoneEngine: Sendable {
  enum Lifecycle: Hashable, Sendable {
    case foreground, background, suspended
    case terminated(Reason, latched: Bool)
  }

  let rules: PhoneRules
  let near: NearDistances
  public internal(set) var now: Milliseconds

  var lifecycle: Lifecycle
  /// Whether something happened at `now` that is not settled yet.
  var isUnsettled = true

  // The phone.
  var isRadioOn = true
  var permission: Permission
  var hasLocationServices = true
  var isScreenOn = false
  var screenOffSince: Milliseconds
  var isAudioOn = false
  /// Whether the app itself plays the audio.
  var appPlaysAudio = false
  var hasDebugger = false
  var stillSince: Milliseconds?

  // Background time.
  var graceUntil: Milliseconds
  /// Until then an app that ranged in the foreground, or that fetches, continues in the background, with or without a task.
  var lingersUntil: Milliseconds
  var backgroundSince: Milliseconds
  var keptAliveUntil: Milliseconds
  var wasKeptAlive = false
  public internal(set) var tasks = TaskLedger()
  var reportsTasks = false
  var tasksAreReported = false
  var wasBesideLocation = false
  var sparedAt = Milliseconds.min
  var sampleTasks: Int32 = -2
  var wasTaskRefused = false
  var wasTaskExpired = false
  var wasEventIgnored = false

  // Location.
  var session = LocationSession()

  // The region.
  var region = RegionMonitor()
  /// Wake regions by index; at most `wakeRegionLimit`.
  var wakeRegions: [WakeRegion] = []

  // Where the beacons are.
  /// The beacons of the timeline, by index; at least one.
  var beacons = [BeaconView()]
  var isDistanceKnown = false
  var lastEmptyTick = Milliseconds.min

  var scan: ScanSchedule
  var log = FactLog()
  /// nil: none is kept.
  public internal(set) var history: History?
  public internal(set) var totals = Totals()
  var wasRanging = false
  var wasLocating = false
  /// The window as it was last output.
  public internal(set) var published: Window?

  /// The app's state at the start.
  public enum Start: Hashable, Sendable {
    case foreground
    /// In the background for a long time: whatever the strategy keeps alive there is alive, tasks have expired.
    /// A schedule or a chain of samples begins now.
    case background
  }

  public init(
    _ rules: PhoneRules, near: NearDistances, start: Start = .background, at time: Milliseconds = 0
  ) {
    self.rules = rules
    self.near = near
    let time = min(max(time, -Self.latest), Self.latest)
    now = time
    permission = rules.permission
    lifecycle = .foreground
    screenOffSince = time
    graceUntil = time
    lingersUntil = time
    backgroundSince = time
    keptAliveUntil = time
    scan = ScanSchedule(start: time, bucketPeriod: rules.bucketPeriod)
    session.isOn = rules[.startsLocation] && rules.mechanism != .sampledLocation
    session.isFromForeground = true
    isScreenOn = rules.isAndroid && start == .foreground
    if start == .background {
      let isEventDriven = rules.mechanism == .events
      if isEventDriven { lifecycle = .suspended } else { enterBackground() }
      // The app has been in the background for long.
      lingersUntil = time
    }
  }

  /// Later times are cut to this, so that none overflows.
  static let latest: Milliseconds = 1 << 60

  /// Records all events from now on, preceded by those of the start.
  public mutating func keepHistory() {
    guard history == nil else { return }
    history = History()
    history?.facts = log.all
  }

  /// When something will change by itself; nil: not before another event.
  public var nextDeadline: Milliseconds? {
    let time = nextStep().time
    return time == .never ? nil : time
  }

  /// Processes an event. Deadlines before it are processed first. An event earlier than `now` happens now.
  public mutating func apply(_ event: PhoneEvent, at time: Milliseconds, into output: inout PolicyOutput) {
    let time = min(max(time, now), Self.latest)
    run(until: time, event.order, into: &output)
    move(to: time, into: &output)
    take(event, into: &output)
  }

  /// Processes every deadline up to `time` (inclusive), and outputs the state at that time.
  public mutating func advance(through time: Milliseconds, into output: inout PolicyOutput) {
    let time = min(time, Self.latest)
    guard time >= now else { return }
    run(until: time, .end, into: &output)
    move(to: time, into: &output)
    publish(into: &output)
  }

  /// Processes every deadline before `time`: the end of a half-open span.
  public mutating func advance(before time: Milliseconds, into output: inout PolicyOutput) {
    let time = min(time, Self.latest)
    guard time > now else { return }
    run(until: time, .permission, into: &output)
    move(to: time, into: &output)
  }

  private mutating func run(until time: Milliseconds, _ order: Order, into output: inout PolicyOutput) {
    while true {
      let step = nextStep()
      guard step.time < time || (step.time == time && step.order < order) else { return }
      move(to: step.time, into: &output)
      perform(step.kind, into: &output)
    }
  }

  private mutating func move(to time: Milliseconds, into output: inout PolicyOutput) {
    guard time > now else { return }
    publish(into: &output)
    integrate(to: time)
    now = time
  }

  mutating func record(_ what: Fact.What, _ task: TaskID? = nil) {
    let fact = Fact(time: now, what: what, task: task)
    log.record(fact)
    history?.facts.append(fact)
  }
}

/// The state of a live phone, exactly. What follows from its profile and from the rest is left out: the rules, when distances
/// cross their thresholds.
extension PhoneEngine: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    let latest: Milliseconds = 1 << 44
    try coder("now", &now, in: -latest...latest)
    try coder("lifecycle", &lifecycle)
    try coder("is_unsettled", &isUnsettled)
    try coder("is_radio_on", &isRadioOn)
    try coder("has_location_services", &hasLocationServices)
    try coder("is_screen_on", &isScreenOn)
    try coder("is_audio_on", &isAudioOn)
    try coder("app_plays_audio", &appPlaysAudio)
    try coder("has_debugger", &hasDebugger)
    try coder("was_kept_alive", &wasKeptAlive)
    try coder("reports_tasks", &reportsTasks)
    try coder("tasks_are_reported", &tasksAreReported)
    try coder("was_beside_location", &wasBesideLocation)
    try coder("was_task_refused", &wasTaskRefused)
    try coder("was_task_expired", &wasTaskExpired)
    try coder("was_event_ignored", &wasEventIgnored)
    try coder("is_distance_known", &isDistanceKnown)
    try coder("was_ranging", &wasRanging)
    try coder("was_locating", &wasLocating)
    try coder(time: "screen_off_since", &screenOffSince)
    try coder(time: "grace_until", &graceUntil)
    try coder(time: "lingers_until", &lingersUntil)
    try coder(time: "background_since", &backgroundSince)
    try coder(time: "kept_alive_until", &keptAliveUntil)
    try coder("permission", &permission)
    try coder(time: "still_since", &stillSince)
    try coder("spared_at", &sparedAt)
    try coder("sample_tasks", &sampleTasks, in: .min ... -2)
    try coder("last_empty_tick", &lastEmptyTick)
    try coder("tasks", &tasks)
    try coder("session", &session)
    try coder("region", &region)
    try coder("wake_regions", &wakeRegions, atMost: rules.wakeRegionLimit)
    try coder("beacons", &beacons, atMost: BeaconView.limit)
    try coder("scan", &scan)
    var facts = log.all
    try coder("facts", &facts, atMost: FactLog.limit)
    try coder("totals", &totals)
    try coder("published", &published)
    try coder.check(
      !beacons.isEmpty && scan.starts.count <= rules[.scanStartLimit]
        // The system's own scan hears the beacon since some time.
        && (!rules.isAndroid || !isHeard || !canSystemScan || scan.heardSince != .never))
    guard coder.isReading else { return }
    log = FactLog(facts)
    for index in beacons.indices { beacons[index].foresee(heard: rules[.heardDistance], near: near, at: now) }
  }
}

extension PhoneEngine.Lifecycle: StateCoded {
  func write(to coder: inout StateCoder) {
    switch self {
    case .foreground: coder.write(0 as UInt8)
    case .background: coder.write(1 as UInt8)
    case .suspended: coder.write(2 as UInt8)
    case .terminated(let reason, let isLatched):
      coder.write(3 as UInt8)
      coder.write(reason)
      coder.write(isLatched)
    }
  }

  init(reading coder: inout StateCoder) throws(StateError) {
    switch try coder.read(UInt8.self) {
    case 0: self = .foreground
    case 1: self = .background
    case 2: self = .suspended
    case 3: self = .terminated(try coder.read(), latched: try coder.read())
    default: throw coder.damaged
    }
  }
}

extension Totals: StateElement {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("ranging", &ranging, in: 0...(1 << 62))
    try coder(tally: "windows", &windows)
    try coder("location", &location, in: 0...(1 << 62))
    try coder(tally: "samples", &samples)
    try coder("receiver", &receiver, in: 0...(1 << 62))
    try coder("detected", &detected)
    try coder("closest_ranged", &closestRanged)
  }
}
