import Beacons
import Settings
import Proximity
import RangingPolicy

/// One configured phone: its app, simulated while the beacon that it carries comes and goes.
///
/// Time is that of the pipeline, rounded up to whole milliseconds, so that nothing happens before it did.
struct Phone: Sendable {
  /// A near trigger of one zone for this phone. Each has an engine of its own, since triggers of two zones may wait at once;
  /// all hear the same, so that their windows are alike.
  struct Lane: Sendable {
    /// nil: the phone has no zone with a near trigger.
    var zone: ZoneIndex?
    var rearmSignal: Double?
    var rearm: Micrometres
    /// The zone's own rule for loss; nil: learnt from the beacon's interval.
    var lost: TimeSpan?
    var engine: PhoneEngine
    var waiting: Waiting?
  }

  /// A near trigger that still has no verdict.
  struct Waiting: Sendable {
    var transition: String
    var zone: String
    var beacon: String
    var time: WallTime
  }

  let settings: PhoneSettings
  var lanes: [Lane]
  /// Wall time minus monotonic time, as last known.
  var wallOffset: TimeSpan
  var isHeard = false
  /// When silence becomes loss; nil: it is not heard, or its receivers are blind.
  var lossDue: MonotonicTime?
  /// When the countdown is published next; nil: none runs, or it is off.
  var countDue: Milliseconds?
  var window: Window?
  var reports = AppReports()
  /// The report that came last, to know again what a broker had kept.
  var lastReport: [UInt8] = []

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
      lanes.append(lane)
    }
  }

  /// When `advance` next has something to do.
  var deadline: MonotonicTime {
    var next = lossDue ?? .distantFuture
    for lane in lanes { next = min(next, lane.engine.nextDeadline?.monotonicTime ?? .distantFuture) }
    return min(next, countDue?.monotonicTime ?? .distantFuture)
  }

  func wallTime(of time: Milliseconds) -> WallTime {
    WallTime(nanoseconds: time.monotonicTime.nanoseconds) + wallOffset
  }
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

  /// Finds the zone in a configuration.
  mutating func bind(to name: String, in zones: [ZoneSettings]) {
    let position = zones.firstIndex { $0.name == name }
    zone = position.map { ZoneIndex(rawValue: Int32($0)) }
    lost = nil
    if let position, case .after(let time) = zones[position].lost { lost = time }
  }

  /// Where the phone is for this zone. `estimate`: of the zone's own receivers. `nearest`: of all that count for the
  /// phone, in metres: it hears the beacon there even if it has left this zone.
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

/// The zone engine's state of a phone's beacon.
extension Phone {
  /// Takes in that the beacon was heard.
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
      apply(.motion(Motion(start: now, distance: distance)), to: index, at: now, into: &news)
    }
    watchSilence(of: beacon, in: engine)
  }

  private func estimate(of beacon: BeaconIndex, for lane: Lane, in engine: ZoneEngine) -> Estimate? {
    if let zone = lane.zone { return engine.estimate(of: beacon, in: zone) }
    return engine.estimate(of: beacon)?.estimate
  }

  /// Finds out when silence would mean loss. While a zone of the phone is blind it never does: blind is not away.
  mutating func watchSilence(of beacon: BeaconIndex, in engine: ZoneEngine) {
    lossDue = nil
    guard isHeard else { return }
    for lane in lanes where lane.zone.map(engine.isBlind) ?? engine.isBlind { return }
    for lane in lanes {
      guard let silence = engine.silence(of: beacon, in: lane.zone) else { continue }
      let loss = lane.lost.map { silence.since + $0 } ?? silence.loss
      lossDue = max(lossDue ?? loss, loss)
    }
  }
}

extension MonotonicTime {
  /// Rounded up.
  var phoneTime: Milliseconds {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest > 0 ? whole + 1 : whole
  }

  /// Rounded down: every whole millisecond up to it has come.
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
