import Beacons
import Messages
import Proximity

/// Zones that are made of rooms follow what the rooms decide.
extension Pipeline {
  /// Passes on the rooms' decisions. Of an exit and the enter into the next room, only the latter says where the beacon is.
  mutating func placeInZones(_ decided: [RoomTransition]) {
    guard engine.hasRoomZones else { return }
    for (place, transition) in decided.enumerated() {
      if transition.event == .exit, place + 1 < decided.count {
        let next = decided[place + 1]
        if next.beacon == transition.beacon, next.time == transition.time { continue }
      }
      engine.place(
        transition.beacon, RoomDecision(transition), at: transition.time, into: &transitions)
    }
  }

  /// Says of a beacon that was restored where it is, and why as far as that is known.
  ///
  /// - Parameter told: what the rooms of an earlier configuration said of it, whatever they call it; nil: it is not at hand.
  mutating func restoreInZones(_ beacon: BeaconIndex, told: RoomDecision? = nil) {
    guard let rooms, engine.hasRoomZones else { return }
    guard let room = rooms.room(of: beacon) else {
      // The first receiver there is would be anybody's.
      let receiver = engine.lastSighting(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
      return engine.restore(RoomDecision(room: nil, receiver: receiver), of: beacon)
    }
    let last = rooms.state(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
    var decision = told ?? RoomDecision(room: room, receiver: last)
    decision.room = room
    engine.restore(decision, of: beacon)
  }

  /// Why a beacon is in its room: as it was told if a zone asked for that, otherwise how probable it is now. nil: it is in none.
  func roomDecision(of beacon: BeaconIndex) -> RoomDecision? {
    guard let rooms, let room = rooms.room(of: beacon), let receiver = rooms.state(of: beacon)?.receiver
    else { return nil }
    if let told = engine.decision(of: beacon), told.room == room { return told }
    let estimate = rooms.estimate(of: beacon)
    return RoomDecision(
      room: room, probability: estimate?.isHeard == true ? estimate?.probability : nil, receiver: receiver)
  }

  /// Which zones of rooms see.
  mutating func sightZonesOfRooms() {
    guard let rooms, engine.hasRoomZones else { return }
    let sight = RoomSight(
      isWatched: rooms.isWatched, blind: Set(roomIndices.lazy.filter { rooms.isBlind($0) }))
    engine.setRoomSight(sight, at: time, into: &transitions)
  }
}

extension RoomDecision {
  fileprivate init(_ transition: RoomTransition) {
    let isThere = transition.event == .enter
    self.init(
      room: isThere ? transition.room : nil, probability: isThere ? transition.probability : nil,
      witnesses: isThere ? transition.evidence : [], receiver: transition.receiver,
      reason: transition.reason == .zoneRemoved ? .roomRemoved : transition.reason)
  }
}
