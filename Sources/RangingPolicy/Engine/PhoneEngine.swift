import Beacons

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
  var permission = Permission.always
  var hasLocationServices = true
  var isScreenOn = false
  var screenOffSince: Milliseconds
  var isAudioOn = false
  /// Whether it is the app that plays: the audio began while it ran.
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
  /// By index; at most `wakeRegionLimit`.
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
    lifecycle = .foreground
    screenOffSince = time
    graceUntil = time
    lingersUntil = time
    backgroundSince = time
    keptAliveUntil = time
    scan = ScanSchedule(start: time, bucketPeriod: rules.bucketPeriod)
    session.isOn = rules.startsLocation && rules.mechanism != .sampledLocation
    session.isFromForeground = true
    if start == .background {
      let isEventDriven = rules.mechanism == .events
      if isEventDriven { lifecycle = .suspended } else { enterBackground() }
      // It has been there for long.
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
extension PhoneEngine {
  /// Yes or no, in the order of the snapshot.
  private static let flags: [any WritableKeyPath<PhoneEngine, Bool> & Sendable] = [
    \.isUnsettled, \.isRadioOn, \.hasLocationServices, \.isScreenOn, \.isAudioOn, \.appPlaysAudio,
    \.hasDebugger, \.wasKeptAlive, \.reportsTasks, \.tasksAreReported, \.wasBesideLocation,
    \.wasTaskRefused, \.wasTaskExpired, \.wasEventIgnored, \.isDistanceKnown, \.wasRanging, \.wasLocating,
  ]
  /// Times with which it calculates.
  private static let times: [any WritableKeyPath<PhoneEngine, Milliseconds> & Sendable] = [
    \.screenOffSince, \.graceUntil, \.lingersUntil, \.backgroundSince, \.keptAliveUntil,
  ]

  /// Writes the state as it is between two calls. A history is no part of it, and `now` must be within 500 years.
  public func snapshot(into writer: inout StateWriter) {
    writer.write(now)
    writer.write(lifecycle)
    for flag in Self.flags { writer.write(self[keyPath: flag]) }
    for time in Self.times { writer.write(self[keyPath: time]) }
    writer.write(permission)
    writer.write(stillSince)
    writer.write(sparedAt)
    writer.write(sampleTasks)
    writer.write(lastEmptyTick)
    writer.write(tasks)
    writer.write(session)
    writer.write(region)
    writer.write(wakeRegions)
    writer.write(beacons)
    writer.write(scan)
    writer.write(log.all)
    writer.write(totals)
    writer.write(published)
  }

  /// Of a new engine with the same profile and distances.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "phones"
    now = try reader.read()
    guard now.magnitude <= 1 << 44 else { throw reader.damaged }
    lifecycle = try reader.read()
    for flag in Self.flags { self[keyPath: flag] = try reader.read() }
    for time in Self.times { self[keyPath: time] = try reader.time() }
    permission = try reader.read()
    stillSince = try reader.optionalTime()
    sparedAt = try reader.read()
    sampleTasks = try reader.read()
    lastEmptyTick = try reader.read()
    tasks = try reader.read()
    session = try reader.read()
    region = try reader.read()
    wakeRegions = try reader.read()
    beacons = try reader.read()
    scan = try reader.read()
    let facts: [Fact] = try reader.read()
    log = FactLog(facts)
    totals = try reader.read()
    published = try reader.read()
    guard sampleTasks <= -2, wakeRegions.count <= rules.wakeRegionLimit,
      (1...BeaconView.limit).contains(beacons.count), facts.count <= FactLog.limit,
      scan.starts.count <= rules.scanStartLimit,
      // The system's own scan hears the beacon since some time.
      !rules.isAndroid || !isHeard || !canSystemScan || scan.heardSince != .never
    else { throw reader.damaged }
    for index in beacons.indices { beacons[index].foresee(heard: rules.heardDistance, near: near, at: now) }
  }
}

extension PhoneEngine.Lifecycle: StateCoded {
  func write(to writer: inout StateWriter) {
    switch self {
    case .foreground: writer.write(0 as UInt8)
    case .background: writer.write(1 as UInt8)
    case .suspended: writer.write(2 as UInt8)
    case .terminated(let reason, let isLatched):
      writer.write(3 as UInt8)
      writer.write(reason)
      writer.write(isLatched)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .foreground
    case 1: self = .background
    case 2: self = .suspended
    case 3: self = .terminated(try reader.read(), latched: try reader.read())
    default: throw reader.damaged
    }
  }
}

extension Totals: StateCoded {
  public func write(to writer: inout StateWriter) {
    for sum in [ranging, Int64(windows), location, Int64(samples), receiver] { writer.write(sum) }
    writer.write(detected)
    writer.write(closestRanged)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    ranging = Int64(try reader.tally())
    windows = Int(try reader.tally())
    location = Int64(try reader.tally())
    samples = Int(try reader.tally())
    receiver = Int64(try reader.tally())
    detected = try reader.read()
    closestRanged = try reader.read()
  }
}
