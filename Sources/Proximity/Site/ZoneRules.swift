import Beacons

/// A zone's rules in precomputed form. Every sighting needs `lines` and `dwells`.
struct ZoneRules: Sendable {
  /// The receivers of the zone; nil: all.
  let receivers: Set<ReceiverIndex>?
  var near: Boundary?
  var enter: Boundary
  var exit: Boundary
  var lines: Lines
  var dwells: Dwells
  /// nil: learnt.
  var lost: TimeSpan?
  /// nil: thresholds decide.
  let rooms: Set<RoomIndex>?
  /// Whether all receivers, or all rooms, of the zone are blind.
  var isBlind = false

  init(_ zone: Zone) {
    receivers = zone.receivers
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

  /// Whether the zone keeps its members because it is blind. In a zone of rooms that depends on the beacon's room; see
  /// `ZoneEngine.setRoomSight`.
  var isFrozen: Bool { isBlind && rooms == nil }

  /// Whether the receiver counts in this zone.
  func counts(_ receiver: ReceiverIndex) -> Bool { receivers?.contains(receiver) ?? (rooms == nil) }

  /// The standing of a beacon; nil if unknown.
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

/// The rules for judging sightings. They are stored apart from the beacons, so that a beacon can be changed while they are read.
struct SiteRules: Sendable {
  /// By `ZoneIndex`.
  var zones: [ZoneRules]
  /// By `ReceiverIndex`, up to the largest index in use.
  var receivers: [Receiver] = []
  /// Whether enough receivers have a known position for a joint estimate.
  let isLocating: Bool
}
