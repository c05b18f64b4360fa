import Beacons

/// Where the rooms say that a beacon is, and why: what zones of rooms go by.
public struct RoomDecision: Hashable, Sendable {
  /// nil: in none; it is heard no more.
  public var room: RoomIndex?
  /// Of `room`, 0 to 1; nil: unknown.
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
      let due = engine.presences[slot].presence.deadline(
        dwells: engine.zones[zone].dwells, isBlind: engine.blindZones[zone])
      engine.settle(index, at: min(max(due, time), max(time, engine.now)), into: &transitions)
    }
  }

  /// As `place`, but emits nothing: what is due happens at the next `advance`. A beacon of which the rooms know nothing has time
  /// to be heard.
  public mutating func restore(_ decision: RoomDecision, of beacon: BeaconIndex) {
    stand(beacon, decision, at: now)
    forEachRoomPresence(of: beacon) { engine, index in
      let slot = Int(index)
      if decision.room == nil, engine.presences[slot].presence.isInside {
        engine.presences[slot].presence.interrupt()
        engine.presences[slot].presence.lostDeadline = engine.now + IntervalEstimator.unlearnt
      }
      engine.watch(index)
    }
  }

  /// Whether the rooms of a zone are watched at all, and whether all of them are blind.
  public mutating func setRoomSight(
    isWatched: Bool, isBlind: (Set<RoomIndex>) -> Bool, at time: MonotonicTime,
    into transitions: inout [Transition]
  ) {
    areRoomsWatched = isWatched
    for zone in zones.indices {
      guard let rooms = zones[zone].rooms else { continue }
      let isBlind = isBlind(rooms)
      guard isBlind != blindZones[zone] else { continue }
      blindZones[zone] = isBlind
      for index in presences.indices
      where Int(presences[index].presence.zone.rawValue) == zone && isInUse(Int32(index)) {
        presences[index].presence.interrupt()
        guard !isBlind else { continue }
        let beacon = BeaconIndex(rawValue: presences[index].beacon)
        if let decision = decisions[beacon] { stand(Int32(index), decision, at: max(time, now)) }
        settle(Int32(index), at: max(time, now), into: &transitions)
      }
    }
  }

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

  func stand(_ presence: inout Presence, _ decision: RoomDecision, at time: MonotonicTime) {
    let isThere =
      decision.room.map { zones[Int(presence.zone.rawValue)].rooms?.contains($0) ?? false } ?? false
    presence.stand(isThere ? .entered : .away, at: time)
    if isThere { presence.silentSince = time }
    presence.lostDeadline = decision.room == nil && presence.isInside ? time : Presence.never
  }

  private mutating func stand(_ index: Int32, _ decision: RoomDecision, at time: MonotonicTime) {
    var presence = presences[Int(index)].presence
    stand(&presence, decision, at: time)
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

  /// The evidence of a decision of rooms.
  func roomEvidence(_ index: Int32, since: MonotonicTime, at time: MonotonicTime) -> Evidence {
    let slot = presences[Int(index)]
    let decision = decisions[BeaconIndex(rawValue: slot.beacon)]
    return Evidence(
      threshold: Double(RoomTracker.toldFrom), value: decision?.probability ?? 0, unit: .probability,
      samples: decision?.witnesses.reduce(0) { $0 + $1.samples } ?? 0,
      dwell: since == Presence.never ? .zero : time - since, receiver: slot.lastReceiver,
      room: decision?.room, witnesses: decision?.witnesses ?? [])
  }
}
