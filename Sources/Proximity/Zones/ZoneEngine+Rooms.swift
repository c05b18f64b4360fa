import Beacons

/// Where the rooms say that a beacon is, and why: what zones of rooms go by.
public struct RoomDecision: Hashable, Sendable {
  /// nil: in none; it is heard no more.
  public var room: RoomIndex?
  /// Of `room`, 0 to 1, when it was told or, if that is not at hand, later; nil: unknown.
  public var probability: Double?
  public var witnesses: [RoomEvidence]
  /// That heard it last.
  public var receiver: ReceiverIndex
  /// The configuration took the beacon out of its room.
  public var reason: Evidence.Reason?

  public init(
    room: RoomIndex?, probability: Double? = nil, witnesses: [RoomEvidence] = [], receiver: ReceiverIndex,
    reason: Evidence.Reason? = nil
  ) {
    self.room = room
    self.probability = probability
    self.witnesses = witnesses
    self.receiver = receiver
    self.reason = reason
  }
}

/// Zones that are made of rooms. Their presences have no links: what counts is where the rooms say that a beacon is.
extension ZoneEngine {
  /// The rooms decided where a beacon is. It enters the zones made of that room, and leaves those that are not, each after the
  /// zone's dwell time; one that is in no room any more leaves at once, as with every loss.
  ///
  /// - Parameter time: when. It may be earlier than the latest time, because rooms wait for what comes late.
  public mutating func place(
    _ beacon: BeaconIndex, _ decision: RoomDecision, at time: MonotonicTime,
    into transitions: inout [Transition]
  ) {
    stand(beacon, decision, at: time)
    forEachRoomPresence(of: beacon) { engine, index in
      let slot = Int(index)
      let zone = Int(engine.presences[slot].presence.zone.rawValue)
      // Who sees nothing does not say this of a beacon, so it holds in a blind zone too.
      if decision.room == nil, engine.presences[slot].presence.isInside {
        engine.presences[slot].presence.lostDeadline = time
      }
      let due = engine.presences[slot].presence.deadline(
        dwells: engine.zones[zone].dwells, isBlind: engine.isFrozen(zone))
      engine.settle(index, at: min(max(due, time), max(time, engine.now)), into: &transitions)
    }
  }

  /// As `place`, but emits nothing: what is due happens at the next `advance`. A beacon of which the rooms know nothing has time
  /// to be heard.
  public mutating func restore(_ decision: RoomDecision, of beacon: BeaconIndex) {
    stand(beacon, decision, at: now)
    forEachRoomPresence(of: beacon) { engine, index in
      engine.grantTime(to: index, decision)
      engine.watch(index)
    }
  }

  /// Some rooms went blind, or see again.
  public mutating func setRoomSight(
    _ sight: RoomSight, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    guard hasRoomZones, sight != roomSight else { return }
    let seen = presences.indices.map { isSeen(Int32($0)) }
    roomSight = sight
    for zone in zones.indices {
      if let rooms = zones[zone].rooms { blindZones[zone] = rooms.isSubset(of: sight.blind) }
    }
    for (slot, wasSeen) in seen.enumerated() {
      let index = Int32(slot)
      guard isOfRooms(index), isInUse(index), isSeen(index) != wasSeen else { continue }
      presences[slot].presence.interrupt()
      presences[slot].presence.lostDeadline = Presence.never
      guard !wasSeen else { continue }
      if let decision = decisions[BeaconIndex(rawValue: presences[slot].beacon)] {
        stand(index, decision, at: max(time, now))
        grantTime(to: index, decision)
      }
      settle(index, at: max(time, now), into: &transitions)
    }
  }

  /// Whether anybody sees that a beacon is not in a zone of rooms: one of these rooms does, or the one that it is in.
  private func isSeen(_ index: Int32) -> Bool {
    let zone = Int(presences[Int(index)].presence.zone.rawValue)
    guard let rooms = zones[zone].rooms else { return false }
    if roomSight.isWatched, !blindZones[zone] { return true }
    guard let room = decisions[BeaconIndex(rawValue: presences[Int(index)].beacon)]?.room else {
      return false
    }
    return !rooms.contains(room) && roomSight.sees(room)
  }

  /// Gives a beacon of which the rooms know nothing yet time to be heard, once anybody sees.
  private mutating func grantTime(to index: Int32, _ decision: RoomDecision) {
    guard decision.room == nil, presences[Int(index)].presence.isInside, isSeen(index) else { return }
    presences[Int(index)].presence.lostDeadline = now + IntervalEstimator.unlearnt
  }

  /// What the rooms said last of a beacon; nil: nothing, or no zone is made of rooms.
  public func decision(of beacon: BeaconIndex) -> RoomDecision? { decisions[beacon] }

  /// Whether a row of a presence is no free one: its beacon was retired, and another may have the index by now.
  private func isInUse(_ index: Int32) -> Bool {
    var row = beacons[Int(presences[Int(index)].beacon)].firstPresence
    while row >= 0, row != index { row = presences[Int(row)].nextOfBeacon }
    return row >= 0
  }

  /// Notes where a beacon stands in each zone of rooms.
  private mutating func stand(_ beacon: BeaconIndex, _ decision: RoomDecision, at time: MonotonicTime) {
    let row = Int(beacon.rawValue)
    guard hasRoomZones, beacons.indices.contains(row), beacons[row].isAdmitted else { return }
    decisions[beacon] = decision
    for zone in admitted[row] {
      guard let rooms = zones[Int(zone.rawValue)].rooms else { continue }
      let isThere = decision.room.map(rooms.contains) ?? false
      guard isThere || hasPresence(of: row, in: zone) else { continue }
      stand(presence(of: row, in: zone, at: decision.receiver, time: time), decision, at: time)
    }
  }

  private mutating func stand(_ index: Int32, _ decision: RoomDecision, at time: MonotonicTime) {
    var presence = presences[Int(index)].presence
    let rooms = zones[Int(presence.zone.rawValue)].rooms
    presence.lostDeadline = Presence.never
    if let room = decision.room, rooms?.contains(room) == true {
      presence.stand(.entered, at: time)
      presence.silentSince = time
    } else if decision.room != nil, isSeen(index) {
      presence.stand(.away, at: time)
    } else {
      presence.interrupt()
    }
    presences[Int(index)].presence = presence
    presences[Int(index)].lastReceiver = decision.receiver
  }

  private func hasPresence(of beacon: Int, in zone: ZoneIndex) -> Bool {
    var index = beacons[beacon].firstPresence
    while index >= 0 {
      if presences[Int(index)].presence.zone == zone { return true }
      index = presences[Int(index)].nextOfBeacon
    }
    return false
  }

  private mutating func forEachRoomPresence(
    of beacon: BeaconIndex, _ body: (inout ZoneEngine, Int32) -> Void
  ) {
    guard hasRoomZones, beacons.indices.contains(Int(beacon.rawValue)) else { return }
    var index = beacons[Int(beacon.rawValue)].firstPresence
    while index >= 0 {
      let next = presences[Int(index)].nextOfBeacon
      if isOfRooms(index) { body(&self, index) }
      index = next
    }
  }

  /// Whether a presence is in a zone of rooms.
  func isOfRooms(_ index: Int32) -> Bool {
    hasRoomZones && zones[Int(presences[Int(index)].presence.zone.rawValue)].rooms != nil
  }

  /// The evidence of the exit of a beacon that is in no room any more. The rooms know how long a silence they allowed.
  func roomLoss(_ index: Int32, at time: MonotonicTime) -> Evidence {
    let slot = presences[Int(index)]
    let silence = (time - beacons[Int(slot.beacon)].lastHeard).seconds
    let reason = decisions[BeaconIndex(rawValue: slot.beacon)]?.reason
    return Evidence(
      threshold: reason == nil ? silence : 0, value: silence, unit: .seconds, samples: 0, dwell: .zero,
      receiver: slot.lastReceiver, reason: reason)
  }

  /// The evidence of a decision of rooms. What was told had reached the threshold then, whatever is known of it now.
  func roomEvidence(_ index: Int32, since: MonotonicTime, at time: MonotonicTime) -> Evidence {
    let slot = presences[Int(index)]
    let decision = decisions[BeaconIndex(rawValue: slot.beacon)]
    let threshold = Double(RoomTracker.toldFrom)
    return Evidence(
      threshold: threshold, value: max(decision?.probability ?? threshold, threshold), unit: .probability,
      samples: decision?.witnesses.reduce(0) { $0 + $1.samples } ?? 0,
      dwell: since == Presence.never ? .zero : time - since, receiver: slot.lastReceiver,
      room: decision?.room, witnesses: decision?.witnesses ?? [])
  }
}

extension RoomDecision: StateElement {
  public init() { self.init(room: nil, receiver: ReceiverIndex(rawValue: 0)) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("room", &room)
    try coder("probability", &probability)
    try coder("witnesses", &witnesses)
    try coder("receiver", &receiver)
    try coder("reason", &reason)
  }
}

/// Which rooms can tell who is in them.
public struct RoomSight: Hashable, Sendable {
  /// Whether any receiver of theirs has reported.
  public var isWatched: Bool
  public var blind: Set<RoomIndex>

  public init(isWatched: Bool = false, blind: Set<RoomIndex> = []) {
    self.isWatched = isWatched
    self.blind = blind
  }

  func sees(_ room: RoomIndex) -> Bool { isWatched && !blind.contains(room) }
}

extension RoomSight: StateElement {
  public init() { self.init(isWatched: false) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("is_watched", &isWatched)
    try coder("blind", &blind)
  }
}
