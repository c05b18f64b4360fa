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

  /// Says of a beacon that was restored where it is.
  mutating func restoreInZones(_ beacon: BeaconIndex) {
    guard let rooms, engine.hasRoomZones else { return }
    let estimate = rooms.estimate(of: beacon)
    let receiver = rooms.state(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
    engine.restore(
      RoomDecision(
        room: estimate?.room, probability: estimate?.isHeard == true ? estimate?.probability : nil,
        receiver: receiver), of: beacon)
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
