import Beacons

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A zone's thresholds as the engine compares them; `lines` and `dwells` hold what every sighting asks for.
struct Rules: Sendable {
  var near: Boundary?
  var enter: Boundary
  var exit: Boundary
  var lines: Lines
  var dwells: Dwells
  /// nil: learnt.
  var lost: TimeSpan?

  init(_ zone: Zone) {
    near = zone.near.map { Boundary($0.rule.threshold) }
    enter = Boundary(zone.enter.threshold)
    exit = Boundary(zone.exit.threshold)
    lines = Lines(
      near: near?.line ?? .none, rearm: zone.near.map { Boundary($0.rearm).line } ?? .none, enter: enter.line,
      exit: exit.line)
    dwells = Dwells(
      near: zone.near.map { max(.zero, $0.rule.dwell) } ?? Dwells.endless,
      enter: max(.zero, zone.enter.dwell),
      exit: max(.zero, zone.exit.dwell))
    switch zone.lost {
    case .auto: lost = nil
    case .after(let span): lost = max(.zero, span)
    }
  }
}

/// How long each of a zone's thresholds must be met.
struct Dwells: Sendable {
  /// No time is that much later than another.
  static let endless = TimeSpan(nanoseconds: .max)

  var near: TimeSpan
  var enter: TimeSpan
  var exit: TimeSpan
}

/// A zone's thresholds as lines to be on one side of.
struct Lines: Sendable {
  var near: Line
  var rearm: Line
  var enter: Line
  var exit: Line

  @inline(__always) func standing(of nearest: Nearest) -> Standing {
    var standing: UInt8 = 0
    if near.isMet(by: nearest) { standing |= Standing.near.rawValue }
    if rearm.isPassed(by: nearest) { standing |= Standing.rearmed.rawValue }
    if enter.isMet(by: nearest) { standing |= Standing.entered.rawValue }
    if exit.isPassed(by: nearest) { standing |= Standing.away.rawValue }
    return Standing(rawValue: standing)
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

/// A threshold as it was configured, and as a line.
struct Boundary: Sendable {
  let threshold: Threshold
  let line: Line

  init(_ threshold: Threshold) {
    self.threshold = threshold
    switch threshold {
    case .distance(let metres): line = Line(isDistance: true, value: Float(log10(max(metres, 1e-3))))
    case .signal(let level): line = Line(isDistance: false, value: Float(level))
    }
  }

  var isDistance: Bool { line.isDistance }
}

/// A threshold in the unit the engine works in: log10 of metres, or dBm.
struct Line: Sendable {
  let isDistance: Bool
  let value: Float

  /// A line that nothing meets and nothing passes: no number compares with it.
  static let none = Line(isDistance: false, value: .nan)

  /// Whether being heard at all, even without a signal, is enough: −127 dBm is the weakest a radio reports.
  var isAnySignal: Bool { !isDistance && value <= -127 }

  /// Whether the beacon is on the near side; on the line counts.
  @inline(__always) func isMet(by nearest: Nearest) -> Bool {
    isDistance ? nearest.logDistance <= value : nearest.level >= value
  }

  /// Whether the beacon is on the far side; on the line counts.
  @inline(__always) func isPassed(by nearest: Nearest) -> Bool {
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

  /// Takes in what one receiver makes of the beacon, if that has a level.
  mutating func consider(logDistance: Float, level: Float, at index: Int32) {
    if logDistance < self.logDistance {
      self.logDistance = logDistance
      nearestLink = index
    }
    if level > self.level {
      self.level = level
      strongestLink = index
    }
  }

  var isKnown: Bool { nearestLink >= 0 }
}
