import Beacons

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A zone's thresholds as the engine compares them.
struct Rules: Sendable {
  var near: Boundary?
  var rearm: Boundary?
  var enter: Boundary
  var exit: Boundary
  var nearDwell: TimeSpan?
  var enterDwell: TimeSpan
  var exitDwell: TimeSpan
  /// nil: learnt.
  var lost: TimeSpan?

  init(_ zone: Zone) {
    near = zone.near.map { Boundary($0.rule.threshold) }
    rearm = zone.near.map { Boundary($0.rearm) }
    enter = Boundary(zone.enter.threshold)
    exit = Boundary(zone.exit.threshold)
    nearDwell = zone.near.map { max(.zero, $0.rule.dwell) }
    enterDwell = max(.zero, zone.enter.dwell)
    exitDwell = max(.zero, zone.exit.dwell)
    switch zone.lost {
    case .auto: lost = nil
    case .after(let span): lost = max(.zero, span)
    }
  }

  func standing(of nearest: Nearest) -> Standing {
    var standing: Standing = []
    if let near, near.isMet(by: nearest) { standing.insert(.near) }
    if let rearm, rearm.isPassed(by: nearest) { standing.insert(.rearmed) }
    if enter.isMet(by: nearest) { standing.insert(.entered) }
    if exit.isPassed(by: nearest) { standing.insert(.away) }
    return standing
  }
}

/// Which thresholds a beacon has on its near side, and which on its far side.
struct Standing: OptionSet, Sendable {
  let rawValue: UInt8
  static let near = Standing(rawValue: 1)
  static let entered = Standing(rawValue: 2)
  static let away = Standing(rawValue: 4)
  static let rearmed = Standing(rawValue: 8)
}

/// A threshold in the unit the engine works in: log10 of metres, or dBm.
struct Boundary: Sendable {
  let threshold: Threshold
  let isDistance: Bool
  private let value: Float

  init(_ threshold: Threshold) {
    self.threshold = threshold
    switch threshold {
    case .distance(let metres):
      isDistance = true
      value = Float(log10(max(metres, 1e-3)))
    case .signal(let level):
      isDistance = false
      value = Float(level)
    }
  }

  /// Whether being heard at all, even without a signal, is enough: −127 dBm is the weakest a radio reports.
  var isAnySignal: Bool { !isDistance && value <= -127 }

  /// Whether the beacon is on the near side; on the line counts.
  func isMet(by nearest: Nearest) -> Bool {
    isDistance ? nearest.logDistance <= value : nearest.level >= value
  }

  /// Whether the beacon is on the far side; on the line counts.
  func isPassed(by nearest: Nearest) -> Bool {
    isDistance ? nearest.logDistance >= value : nearest.level <= value
  }
}

/// The best that the receivers of a zone make of a beacon now: the smallest distance and the strongest
/// signal, which need not come from the same one.
struct Nearest {
  var logDistance = Float.infinity
  var level = -Float.infinity
  var nearestLink: Int32 = -1
  var strongestLink: Int32 = -1

  mutating func consider(_ link: borrowing Link, at index: Int32) {
    guard link.filter.hasLevel else { return }
    if link.logDistance < logDistance {
      logDistance = link.logDistance
      nearestLink = index
    }
    if link.filter.level > level {
      level = link.filter.level
      strongestLink = index
    }
  }

  var isKnown: Bool { nearestLink >= 0 }
}
