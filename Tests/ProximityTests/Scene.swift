import Beacons
import Core
import Proximity

/// An engine with one story told to it; seconds and metres throughout. Wall time runs one hour ahead.
struct Scene {
  var engine: ZoneEngine
  var transitions: [Transition] = []
  /// For random stories: the latest time in seconds.
  var lastTime = 0.0
  static let hour = 3_600_000_000_000 as Int64

  /// Every beacon takes part in every zone.
  init(_ zones: [Zone], receivers: [ReceiverIndex: Calibration] = [:], beacons: Int32 = 1) {
    engine = ZoneEngine(
      site: Site(zones: zones, receivers: receivers, calibration: Calibration(measuredPower: -60)))
    for beacon in 0..<beacons {
      engine.admit(
        BeaconIndex(rawValue: beacon), zones: zones.indices.map { ZoneIndex(rawValue: Int32($0)) })
    }
  }

  static func sighting(
    _ rssi: Int8?, at seconds: Double, receiver: UInt16 = 0, beacon: Int32 = 0
  ) -> Sighting {
    let time = MonotonicTime.zero + .seconds(seconds)
    return Sighting(
      beacon: BeaconIndex(rawValue: beacon), receiver: ReceiverIndex(rawValue: receiver), rssi: rssi,
      measuredPower: nil, time: time, wallTime: WallTime(nanoseconds: time.nanoseconds + hour))
  }

  mutating func hear(_ rssi: Int8?, at seconds: Double, receiver: UInt16 = 0, beacon: Int32 = 0) {
    engine.observe(
      Self.sighting(rssi, at: seconds, receiver: receiver, beacon: beacon), into: &transitions)
  }

  /// Heard again and again, `every` so many seconds, from the first time up to but not including the second.
  mutating func hear(
    _ rssi: Int8?, from start: Double, to end: Double, every step: Double = 1, receiver: UInt16 = 0
  ) {
    var count = 0.0
    while start + count * step < end - 1e-9 {
      hear(rssi, at: start + count * step, receiver: receiver)
      count += 1
    }
  }

  mutating func wait(until seconds: Double) {
    engine.advance(to: .zero + .seconds(seconds), into: &transitions)
  }

  mutating func blind(_ isBlind: Bool, at seconds: Double, receiver: UInt16 = 0) {
    blind(ReceiverIndex(rawValue: receiver), isBlind, at: .zero + .seconds(seconds))
  }

  mutating func blind(_ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime) {
    show(receiver, isBlind ? .blind : .sees, at: time)
  }

  mutating func doubt(_ isDoubted: Bool, at seconds: Double) {
    show(ReceiverIndex(rawValue: 0), isDoubted ? .doubted : .sees, at: .zero + .seconds(seconds))
  }

  private mutating func show(_ receiver: ReceiverIndex, _ state: ReceiverSight.State, at time: MonotonicTime)
  {
    var sight = engine.sight
    sight[receiver] = state
    engine.see(sight, at: time, into: &transitions)
  }

  /// As `enter 3.0`, for all zones and beacons.
  var story: [String] { transitions.map { "\($0.event.rawValue) \($0.seconds)" } }
}

extension Transition {
  /// Rounded to milliseconds.
  var seconds: Double { (Double(time.nanoseconds) / 1e6).rounded() / 1e3 }
}

extension Zone {
  /// `near 2 m`, `enter 5 m`, `exit 9 m` unless said otherwise, without dwell.
  static func simple(
    receivers: Set<ReceiverIndex>? = nil, near: Double? = nil, nearDwell: Double = 0, rearm: Double = 4,
    enter: Threshold = .distance(5), enterDwell: Double = 0, exit: Threshold = .distance(9),
    exitDwell: Double = 0, lost: LostRule = .auto
  ) -> Zone {
    Zone(
      receivers: receivers,
      near: near.map {
        NearRule(rule: Rule(threshold: .distance($0), dwell: .seconds(nearDwell)), rearm: .distance(rearm))
      },
      enter: Rule(threshold: enter, dwell: .seconds(enterDwell)),
      exit: Rule(threshold: exit, dwell: .seconds(exitDwell)), lost: lost)
  }
}

/// Signals at some distances under −60 dBm at 1 m and an exponent of 2.
enum Signal {
  static let at1m: Int8 = -60
  static let at3m: Int8 = -70  // 3.2 m
  static let at6m: Int8 = -76  // 6.3 m
  static let at10m: Int8 = -80
  static let at20m: Int8 = -86
}
