import Beacons

/// A zone's thresholds in the form the engine compares. `lines` and `dwells` are what every sighting needs.
struct ZoneRules: Sendable {
  /// The receivers that decide; nil: all.
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
  /// No receiver of the zone works, or none of its rooms is seen.
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

  /// Whether nobody leaves because it is blind. In a zone of rooms that depends on where the beacon is; see `ZoneEngine.isSeen`.
  var isFrozen: Bool { isBlind && rooms == nil }

  /// Whether what a receiver hears counts here.
  func counts(_ receiver: ReceiverIndex) -> Bool { receivers?.contains(receiver) ?? (rooms == nil) }

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

/// What sightings are judged by. It lies beside the beacons, so that one of them can change while this is read.
struct SiteRules: Sendable {
  /// By `ZoneIndex`.
  var zones: [ZoneRules]
  /// By `ReceiverIndex`, as far as they have reported.
  var receivers: [Receiver] = []
  /// Whether enough receivers have a known position for a joint estimate.
  let isLocating: Bool

  /// Whether the receiver ever reported: an advertisement, or that it is blind or works.
  func isKnown(_ receiver: ReceiverIndex) -> Bool {
    let index = Int(receiver.rawValue)
    return index < receivers.count && receivers[index].isKnown
  }
}
