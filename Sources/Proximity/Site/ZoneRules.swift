import Beacons

/// A zone's thresholds in the form the engine compares. `lines` and `dwells` are what every sighting needs.
struct ZoneRules: Sendable {
  var near: Boundary?
  var enter: Boundary
  var exit: Boundary
  var lines: Lines
  var dwells: Dwells
  /// nil: learnt.
  var lost: TimeSpan?
  /// nil: thresholds decide.
  let rooms: Set<RoomIndex>?

  init(_ zone: Zone) {
    rooms = zone.rooms
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

  /// Where a beacon stands; nil if unknown.
  @inline(__always) func standing(of nearest: Nearest) -> Standing? {
    if nearest.isKnown { return lines.standing(of: nearest) }
    return lines.entersByAnySignal ? .entered : nil
  }
}

/// How long each of a zone's thresholds must be met.
struct Dwells: Sendable {
  /// Larger than the difference of any two times.
  static let endless = TimeSpan(nanoseconds: .max)

  var near: TimeSpan
  var enter: TimeSpan
  var exit: TimeSpan
}
