import Beacons
import Configuration
import Core
import Phones
import Proximity

/// One configured phone: its app, simulated while the phone's beacon comes and goes.
///
/// Time is the pipeline's, rounded up to whole milliseconds, so that nothing happens too early.
struct Phone: Sendable {
  /// A near trigger of one zone for this phone. Each lane has its own engine, since triggers of two zones may wait at
  /// once. All engines get the same input, so their windows are alike.
  struct Lane: Sendable, StateFields {
    /// nil: the phone has no zone with a near trigger.
    var zone: ZoneIndex?
    var rearmSignal: Double?
    var rearm: Micrometres
    /// The zone's own loss timeout; nil: learnt from the beacon's interval.
    var lost: TimeSpan?
    var engine: PhoneEngine
    var waiting: Waiting?

    /// The other fields follow from the configuration.
    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("engine", &engine)
      try coder("waiting", &waiting)
    }
  }

  /// A near trigger without a verdict yet.
  struct Waiting: Sendable, StateElement {
    var transition = ""
    var zone = ""
    var beacon = ""
    var time = WallTime(nanoseconds: 0)

    /// The zone is the lane's.
    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("transition", &transition)
      try coder("beacon", &beacon)
      try coder("time", &time)
    }
  }

  let settings: PhoneSettings
  var lanes: [Lane]
  /// Wall time minus monotonic time, as last known.
  var wallOffset: TimeSpan
  var isHeard = false
  /// When silence becomes loss; nil: the beacon is not heard, or its receivers are blind.
  var lossDue: MonotonicTime?
  /// Since when the beacon has been silent for every zone; nil as `lossDue`.
  var quietSince: MonotonicTime?
  /// When the countdown is published next; nil: it does not run, or is off.
  var countDue: Milliseconds?
  var window: Window?
  var reports = AppReports()
  /// The latest report, to recognize a retained copy of it.
  var lastReport: [UInt8] = []
  var record = PhoneRecord()

  init(
    _ settings: PhoneSettings, _ rules: PhoneRules, _ zones: [ZoneSettings], at time: MonotonicTime,
    wallTime: WallTime
  ) {
    self.settings = settings
    wallOffset = wallTime - WallTime(nanoseconds: time.nanoseconds)
    lanes = settings.triggers.isEmpty ? [Lane(nil, settings.near.rearm, rules, at: time.phoneTime)] : []
    for trigger in settings.triggers {
      var lane = Lane(trigger.rearmSignal, trigger.near.rearm, rules, at: time.phoneTime)
      lane.bind(to: trigger.zone, in: zones)
      if settings.hasRegionOfEachZone {
        for place in settings.triggers.indices { lane.engine.place(place, in: [place]) }
      }
      lanes.append(lane)
    }
  }

  /// The next time at which `advance` has something to do.
  var deadline: MonotonicTime {
    var next = lossDue ?? .distantFuture
    for lane in lanes { next = min(next, lane.engine.nextDeadline?.monotonicTime ?? .distantFuture) }
    next = min(next, record.nextDeadline ?? .distantFuture)
    return min(next, countDue?.monotonicTime ?? .distantFuture)
  }

  func wallTime(of time: Milliseconds) -> WallTime {
    wallTime(of: time.monotonicTime)
  }

  mutating func correct(_ step: ClockStep) {
    wallOffset = step.moved(wallOffset)
    record.correct(step)
    for lane in lanes.indices {
      if let time = lanes[lane].waiting?.time { lanes[lane].waiting?.time = step.corrected(time) }
    }
  }

  func wallTime(of time: MonotonicTime) -> WallTime { WallTime(nanoseconds: time.nanoseconds) + wallOffset }
}

extension Phone.Lane {
  fileprivate init(
    _ rearmSignal: Double?, _ rearm: Micrometres, _ rules: PhoneRules, at time: Milliseconds
  ) {
    self.rearmSignal = rearmSignal
    self.rearm = rearm
    engine = PhoneEngine(rules, near: NearDistances(near: nil, rearm: rearm), at: time)
    engine.takeReportedTasks()
  }

  /// Sets the zone's index in a configuration.
  mutating func bind(to name: String, in zones: [ZoneSettings]) {
    let position = zones.firstIndex { $0.name == name }
    zone = position.map { ZoneIndex(rawValue: Int32($0)) }
    lost = nil
    if let position, case .after(let time) = zones[position].lost { lost = time }
  }

  /// The phone's distance for this zone. `estimate` is that of the zone's own receivers. `nearest`, in metres, is the
  /// smallest of all the phone's zones: a phone that left this zone may still hear the beacon.
  fileprivate func distance(_ estimate: Estimate?, nearest: Double?) -> Micrometres? {
    guard let nearest else { return nil }
    if let estimate {
      if let rearmSignal {
        if estimate.rssi >= rearmSignal { return min(micrometres(estimate.distance), rearm) }
      } else if micrometres(estimate.distance) <= rearm {
        return micrometres(estimate.distance)
      }
    }
    return max(micrometres(nearest), rearm + 1)
  }
}

/// Updates from the zone engine.
extension Phone {
  /// Processes a sighting of the phone's beacon.
  mutating func hear(
    _ beacon: BeaconIndex, in engine: ZoneEngine, at time: MonotonicTime, into news: inout PhoneNews
  ) {
    var nearest: Double?
    for lane in lanes {
      guard let estimate = estimate(of: beacon, for: lane, in: engine) else { continue }
      nearest = min(nearest ?? estimate.distance, estimate.distance)
    }
    passSilence(until: time, into: &news)
    for index in lanes.indices {
      let estimate = estimate(of: beacon, for: lanes[index], in: engine)
      guard let distance = lanes[index].distance(estimate, nearest: nearest) else { continue }
      isHeard = true
      let now = time.phoneTime
      if settings.hasRegionOfEachZone {
        hearRegions(of: beacon, around: index, in: engine, at: now, into: &news)
      } else {
        apply(.motion(Motion(start: now, distance: distance)), to: index, at: now, into: &news)
      }
    }
    watchSilence(of: beacon, in: engine)
  }

  /// The index of a zone's beacon and region in a lane's engine, where those of the lane's own zone are the first.
  private func place(of zone: Int, in lane: Int) -> Int { zone == lane ? 0 : zone < lane ? zone + 1 : zone }

  /// Passes the distance at each zone's receivers to the engine of one lane. The engine has a beacon and a
  /// region for each zone.
  private mutating func hearRegions(
    of beacon: BeaconIndex, around lane: Int, in engine: ZoneEngine, at now: Milliseconds,
    into news: inout PhoneNews
  ) {
    for zone in lanes.indices {
      let estimate = estimate(of: beacon, for: lanes[zone], in: engine)
      let distance = lanes[zone].distance(estimate, nearest: estimate?.distance)
      let motion = distance.map { Motion(start: now, distance: $0) }
      apply(.motion(motion, of: place(of: zone, in: lane)), to: lane, at: now, into: &news)
    }
  }

  private func estimate(of beacon: BeaconIndex, for lane: Lane, in engine: ZoneEngine) -> Estimate? {
    if let zone = lane.zone { return engine.estimate(of: beacon, in: zone) }
    return engine.estimate(of: beacon)?.estimate
  }

  /// Computes when silence becomes loss. While a zone of the phone is blind there is no loss.
  mutating func watchSilence(of beacon: BeaconIndex, in engine: ZoneEngine) {
    lossDue = nil
    quietSince = nil
    guard isHeard else { return }
    for lane in lanes where lane.zone.map(engine.isBlind) ?? engine.sight.isBlind { return }
    for lane in lanes {
      guard let silence = engine.silence(of: beacon, in: lane.zone) else { continue }
      let loss = lane.lost.map { silence.since + $0 } ?? silence.loss
      lossDue = max(lossDue ?? loss, loss)
      quietSince = max(quietSince ?? silence.since, silence.since)
    }
  }
}

extension MonotonicTime {
  /// Rounded up.
  var phoneTime: Milliseconds {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest > 0 ? whole + 1 : whole
  }

  /// Rounded down: the latest whole millisecond that has passed.
  var lastPhoneTime: Milliseconds {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest < 0 ? whole - 1 : whole
  }
}

extension Milliseconds {
  var monotonicTime: MonotonicTime {
    let (time, overflow) = multipliedReportingOverflow(by: 1_000_000)
    return MonotonicTime(nanoseconds: overflow ? (self > 0 ? .max : .min) : time)
  }
}

private func micrometres(_ metres: Double) -> Micrometres {
  metres.isNaN ? 0 : Micrometres(min(max(metres, 0), 1_000_000) * 1e6)
}

/// Not written: what follows from the configuration (rules, zones, distances), and what the first lane's engine stores as well.
extension Phone: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "lanes", &lanes)
    try coder("wall_offset", &wallOffset)
    try coder("is_heard", &isHeard)
    try coder("loss_due", &lossDue)
    try coder("quiet_since", &quietSince)
    try coder("count_due", &countDue)
    try coder("reports", &reports)
    try coder("last_report", &lastReport, atMost: AppReports.largest)
    try coder("record", &record)
    guard coder.isReading else { return }
    for (index, lane) in lanes.enumerated() where lane.waiting != nil {
      try coder.check(settings.triggers.indices.contains(index))
      lanes[index].waiting?.zone = settings.triggers[index].zone
    }
    window = lanes.first?.engine.published
    try coder.check(isCountPossible)
  }

  func isNear(_ time: MonotonicTime, within distance: TimeSpan) -> Bool {
    // Time has not begun yet.
    if time.nanoseconds == .min { return true }
    return deadline >= time - distance
      && lanes.allSatisfy { $0.engine.now.monotonicTime <= time + distance }
  }

  /// A countdown without an end would always be due.
  private var isCountPossible: Bool {
    guard let countDue else { return true }
    guard settings.countdown, let window, let expires = window.expires else { return false }
    return (window.state == .ranging || window.state == .background) && countDue.magnitude <= 1 << 53
      && countDue < expires
  }
}

/// Processes the events of a phone.
extension Phone {
  /// The gateway decided near in a lane's zone. This ends an earlier trigger that waits in the lane.
  mutating func trigger(
    _ waiting: Waiting, lane: Int, at time: MonotonicTime, into news: inout PhoneNews
  ) {
    passSilence(until: time, into: &news)
    apply(.near, to: lane, at: time.phoneTime, into: &news)
    lanes[lane].waiting = waiting
    record.near(waiting.transition, in: waiting.zone, at: time)
    // If the beacon fell silent during the dwell of near, no later loss can end this trigger.
    if !isHeard { conclude(lane, at: time.phoneTime, into: &news) }
  }

  /// Processes a report from the phone's real app. A retained report counts once, and only if it may still be true.
  mutating func report(
    _ payload: [UInt8], isRetained: Bool, at time: MonotonicTime, wallTime: WallTime,
    into news: inout PhoneNews
  ) throws(AppReports.Refusal) {
    // An empty payload only clears a retained report.
    guard !payload.isEmpty, !isRetained || payload != lastReport else { return }
    let event = try reports.read(payload)
    lastReport = payload
    if isRetained {
      guard event.isLasting else { return }
      // Only an app that was in the foreground opens a window when it enters the background.
      if event == .background, window?.state != .foreground { return }
    }
    wallOffset = wallTime - WallTime(nanoseconds: time.nanoseconds)
    passSilence(until: time, into: &news)
    for lane in lanes.indices { apply(event, to: lane, at: time.phoneTime, into: &news) }
  }

  /// Processes everything due before a time, or up to it if `inclusive`.
  mutating func advance(to time: MonotonicTime, inclusive: Bool, into news: inout PhoneNews) {
    passSilence(until: time, into: &news)
    for lane in lanes.indices {
      if inclusive {
        lanes[lane].engine.advance(through: time.lastPhoneTime, into: &news.policy)
      } else {
        lanes[lane].engine.advance(before: time.phoneTime, into: &news.policy)
      }
      take(lane, into: &news)
    }
    count(into: &news)
    advanceRecord(to: inclusive ? time : time - TimeSpan(nanoseconds: 1), into: &news)
  }

  /// Marks the beacon as lost if its silence has lasted too long by `time`.
  mutating func passSilence(until time: MonotonicTime, into news: inout PhoneNews) {
    guard let loss = lossDue, loss <= time else { return }
    let quiet = quietSince ?? loss
    lossDue = nil
    quietSince = nil
    isHeard = false
    for lane in lanes.indices {
      for zone in settings.hasRegionOfEachZone ? lanes.indices : lanes.indices.prefix(1) {
        apply(.motion(nil, of: zone), to: lane, at: loss.phoneTime, into: &news)
      }
      // The phone has counted the same silence as the gateway.
      lanes[lane].engine.countSilence(since: quiet.phoneTime, into: &news.policy)
      take(lane, into: &news)
      conclude(lane, at: loss.phoneTime, into: &news)
    }
  }

  mutating func apply(
    _ event: PhoneEvent, to lane: Int, at time: Milliseconds, into news: inout PhoneNews
  ) {
    lanes[lane].engine.apply(event, at: time, into: &news.policy)
    take(lane, into: &news)
  }

  /// Concludes triggers that can no longer be delivered.
  private mutating func conclude(_ lane: Int, at time: Milliseconds, into news: inout PhoneNews) {
    guard lanes[lane].waiting != nil else { return }
    lanes[lane].engine.advance(through: time, into: &news.policy)
    take(lane, into: &news)
    lanes[lane].engine.concludeTrigger(into: &news.policy)
    take(lane, into: &news)
  }

  /// Passes on an engine's output.
  private mutating func take(_ lane: Int, into news: inout PhoneNews) {
    if lane == 0 {
      for window in news.policy.windows {
        self.window = window
        countDue = settings.countdown ? Self.nextCount(of: window, after: window.time) : nil
        news.tell(.window(window, at: window.time))
      }
    }
    for verdict in news.policy.verdicts {
      guard let waiting = lanes[lane].waiting else { continue }
      lanes[lane].waiting = nil
      record.predict(
        verdict.outcome, of: waiting.transition, delivered: verdict.delivered?.monotonicTime,
        at: verdict.time.monotonicTime)
      news.tell(.verdict(verdict, waiting))
    }
    news.policy.removeAll()
  }

  /// Publishes the countdown at the latest whole second, if it is due.
  private mutating func count(into news: inout PhoneNews) {
    let now = lanes[0].engine.now
    guard let due = countDue, due <= now, let window, let expires = window.expires, now < expires else {
      return
    }
    let time = expires - (expires - now + 999) / 1000 * 1000
    countDue = Self.nextCount(of: window, after: time)
    news.tell(.window(window, at: time))
  }

  /// The next time with whole seconds left; nil if no countdown runs.
  private static func nextCount(of window: Window, after time: Milliseconds) -> Milliseconds? {
    guard let expires = window.expires, window.state == .ranging || window.state == .background,
      expires > time
    else { return nil }
    let next = expires - (expires - time - 1) / 1000 * 1000
    return next < expires ? next : nil
  }
}

/// The phones' output, in order.
struct PhoneNews: Sendable {
  enum Item: Sendable {
    /// A window as it was at a time.
    case window(Window, at: Milliseconds)
    case verdict(Verdict, Phone.Waiting)
    /// The record as it was at a time.
    case record(PhoneRecord, at: MonotonicTime)
  }

  /// Each item has the phone's index in the configuration.
  var items: [(phone: Int, item: Item)] = []
  /// The phone that new items belong to.
  var phone = 0
  /// The engines' output; empty between calls.
  var policy = PolicyOutput()

  mutating func tell(_ item: Item) { items.append((phone, item)) }
}
