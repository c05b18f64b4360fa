import Beacons
import Core

/// The room of a beacon, as input for zones of rooms.
public struct RoomDecision: Hashable, Sendable {
  /// nil: in no room; the beacon fell silent.
  public var room: RoomIndex?
  /// Probability of `room`, 0 to 1, when it was reported or, if that is unknown, later; nil: unknown.
  public var probability: Double?
  public var witnesses: [RoomEvidence]
  /// The receiver that heard the beacon last.
  public var receiver: ReceiverIndex
  /// The change of the configuration that removed the beacon from its room.
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

/// Zones of rooms. They use the beacon's room and no links.
extension ZoneEngine {
  /// Processes a new room of a beacon. It enters the zones with that room and leaves the others, each after the zone's dwell time.
  /// A beacon in no room leaves at once, as with every loss.
  ///
  /// - Parameter time: when the room was decided. It may be earlier than the latest time, because rooms wait for late sightings.
  public mutating func observe(
    _ decision: RoomDecision, of beacon: BeaconIndex, at time: MonotonicTime,
    into transitions: inout [Transition]
  ) {
    guard hasRoomZones, let index = admitted(beacon) else { return }
    stand(index, decision, at: time)
    for stay in beacons[index].stays.indices where isOfRooms(beacons[index].stays[stay]) {
      // A beacon loses its room only if a working receiver could hear it, so this holds in a blind zone too.
      if decision.room == nil, beacons[index].stays[stay].isInside {
        beacons[index].stays[stay].lostDeadline = time
      }
      let zone = Int(beacons[index].stays[stay].zone.rawValue)
      let due = beacons[index].stays[stay].deadline(
        dwells: rules.zones[zone].dwells, isBlind: rules.zones[zone].isFrozen)
      settle(index, stay, at: min(max(due, time), max(time, now)), into: &transitions)
    }
    watch(index)
  }

  /// As `observe`, but emits nothing; due events happen at the next `advance`. A beacon without a room gets time to be heard.
  public mutating func restore(_ decision: RoomDecision, of beacon: BeaconIndex) {
    guard hasRoomZones, let index = admitted(beacon) else { return }
    let running = Set(beacons[index].stays.filter { $0.enterSince != Stay.never }.map(\.zone))
    stand(index, decision, at: now)
    for stay in beacons[index].stays.indices where isOfRooms(beacons[index].stays[stay]) {
      let zone = beacons[index].stays[stay].zone
      // A dwell time that a blindness ended begins again when a working receiver covers the room.
      if !rules.zones[Int(zone.rawValue)].isSeen(decision.room, roomSight), !running.contains(zone) {
        beacons[index].stays[stay].interrupt()
      }
      grantTime(to: index, stay, decision)
    }
    watch(index)
  }

  /// Some rooms became blind or work again.
  public mutating func see(
    _ sight: RoomSight, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    guard hasRoomZones, sight != roomSight else { return }
    let (before, rulesBefore) = (roomSight, rules)
    roomSight = sight
    for zone in rules.zones.indices {
      if let rooms = rules.zones[zone].rooms { rules.zones[zone].isBlind = rooms.isSubset(of: sight.blind) }
    }
    for index in beacons.indices {
      let decision = decisions[BeaconIndex(rawValue: Int32(index))]
      for stay in beacons[index].stays.indices where isOfRooms(beacons[index].stays[stay]) {
        let zone = Int(beacons[index].stays[stay].zone.rawValue)
        let wasSeen = rulesBefore.zones[zone].isSeen(decision?.room, before)
        guard rules.zones[zone].isSeen(decision?.room, sight) != wasSeen else { continue }
        beacons[index].stays[stay].interrupt()
        beacons[index].stays[stay].lostDeadline = Stay.never
        if wasSeen { continue }
        if let decision {
          stand(index, stay, decision, at: max(time, now))
          grantTime(to: index, stay, decision)
        }
        settle(index, stay, at: max(time, now), into: &transitions)
      }
      watch(index)
    }
  }

  /// Gives a beacon without a room time to be heard, if the zone can be observed.
  private mutating func grantTime(to beacon: Int, _ index: Int, _ decision: RoomDecision) {
    let stay = beacons[beacon].stays[index]
    guard decision.room == nil, stay.isInside,
      rules.zones[Int(stay.zone.rawValue)].isSeen(nil, roomSight)
    else { return }
    beacons[beacon].stays[index].lostDeadline = now + IntervalEstimator.unlearnt
  }

  /// The last decision for a beacon; nil: none, or no zones of rooms.
  public func decision(of beacon: BeaconIndex) -> RoomDecision? { decisions[beacon] }

  /// Records a decision in each zone of rooms of the beacon.
  private mutating func stand(_ beacon: Int, _ decision: RoomDecision, at time: MonotonicTime) {
    decisions[BeaconIndex(rawValue: Int32(beacon))] = decision
    for zone in beacons[beacon].zones {
      guard let rooms = rules.zones[Int(zone.rawValue)].rooms else { continue }
      let isThere = decision.room.map(rooms.contains) ?? false
      guard isThere || beacons[beacon].stay(in: zone) != nil else { continue }
      let index = beacons[beacon].makeStay(in: zone, at: decision.receiver, time: time)
      stand(beacon, index, decision, at: time)
    }
  }

  private mutating func stand(_ beacon: Int, _ index: Int, _ decision: RoomDecision, at time: MonotonicTime) {
    var stay = beacons[beacon].stays[index]
    let zone = Int(stay.zone.rawValue)
    stay.lostDeadline = Stay.never
    if let room = decision.room, rules.zones[zone].rooms?.contains(room) == true {
      stay.stand(.entered, at: time)
      stay.silentSince = time
    } else if decision.room != nil, rules.zones[zone].isSeen(decision.room, roomSight) {
      stay.stand(.away, at: time)
    } else {
      stay.interrupt()
    }
    stay.lastReceiver = decision.receiver
    beacons[beacon].stays[index] = stay
  }

  func isOfRooms(_ stay: Stay) -> Bool { hasRoomZones && rules.zones[Int(stay.zone.rawValue)].rooms != nil }

  /// The evidence for the exit of a beacon in no room. The allowed silence is not known here.
  func roomLoss(of beacon: Int, _ stay: Stay, at time: MonotonicTime) -> Evidence {
    let silence = (time - beacons[beacon].lastHeard).seconds
    let reason = decisions[BeaconIndex(rawValue: Int32(beacon))]?.reason
    return Evidence(
      threshold: reason == nil ? silence : 0, value: silence, unit: .seconds, samples: 0, dwell: .zero,
      receiver: stay.lastReceiver, reason: reason)
  }

  /// The evidence for a decision of rooms. The room had reached the threshold when it was reported, so the value is at least that.
  func roomEvidence(of beacon: Int, _ stay: Stay, since: MonotonicTime, at time: MonotonicTime) -> Evidence {
    let decision = decisions[BeaconIndex(rawValue: Int32(beacon))]
    let threshold = Double(RoomTracker.toldFrom)
    return Evidence(
      threshold: threshold, value: max(decision?.probability ?? threshold, threshold), unit: .probability,
      samples: decision?.witnesses.reduce(0) { $0 + $1.samples } ?? 0,
      dwell: since == Stay.never ? .zero : time - since, receiver: stay.lastReceiver,
      room: decision?.room, witnesses: decision?.witnesses ?? [])
  }
}

extension ZoneRules {
  /// Whether a beacon's absence from this zone can be observed: by a room of the zone, or by the beacon's own room.
  fileprivate func isSeen(_ room: RoomIndex?, _ sight: RoomSight) -> Bool {
    guard let rooms else { return false }
    if sight.isWatched, !isBlind { return true }
    guard let room else { return false }
    return !rooms.contains(room) && sight.sees(room)
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

/// Which rooms are blind.
public struct RoomSight: Hashable, Sendable {
  /// Whether any receiver of the rooms has reported.
  public var isWatched: Bool
  public var blind: Set<RoomIndex>

  public init(isWatched: Bool = false, blind: Set<RoomIndex> = []) {
    self.isWatched = isWatched
    self.blind = blind
  }

  func sees(_ room: RoomIndex) -> Bool { isWatched && !blind.contains(room) }
}
