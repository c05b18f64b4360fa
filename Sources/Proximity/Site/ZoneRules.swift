import Beacons

/// A zone's thresholds as the engine compares them; `lines` and `dwells` hold what every sighting asks for.
struct ZoneRules: Sendable {
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
      near: near?.line ?? .none, enter: enter.line, rearm: zone.near.map { Boundary($0.rearm).line } ?? .none,
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

  /// Where a beacon stands; nil where nobody can tell.
  @inline(__always) func standing(of nearest: Nearest) -> Standing? {
    if nearest.isKnown { return lines.standing(of: nearest) }
    return lines.entersByAnySignal ? .entered : nil
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
