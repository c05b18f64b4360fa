import Beacons
import Messages
import Proximity

/// Zones that consist of rooms follow the decisions about rooms.
extension Pipeline {
  /// Passes the rooms' decisions to the zones. Of an exit and the enter into the next room, only the enter gives the
  /// beacon's place.
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

  /// Restores the place of a beacon for zones of rooms, with the reason if it is known.
  ///
  /// - Parameter told: the decision about it under the earlier configuration. Its room index is replaced. nil: not
  ///   available.
  mutating func restoreInZones(_ beacon: BeaconIndex, told: RoomDecision? = nil) {
    guard let rooms, engine.hasRoomZones else { return }
    guard let room = rooms.room(of: beacon) else {
      // Without a sighting, receiver 0 is a placeholder.
      let receiver = engine.lastSighting(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
      return engine.restore(RoomDecision(room: nil, receiver: receiver), of: beacon)
    }
    let last = rooms.state(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
    var decision = told ?? RoomDecision(room: room, receiver: last)
    decision.room = room
    engine.restore(decision, of: beacon)
  }

  /// Why a beacon is in its room: the decision itself if a zone used it, otherwise the present probability. nil: it
  /// is in no room.
  func roomDecision(of beacon: BeaconIndex) -> RoomDecision? {
    guard let rooms, let room = rooms.room(of: beacon), let receiver = rooms.state(of: beacon)?.receiver
    else { return nil }
    if let told = engine.decision(of: beacon), told.room == room { return told }
    let estimate = rooms.estimate(of: beacon)
    return RoomDecision(
      room: room, probability: estimate?.isHeard == true ? estimate?.probability : nil, receiver: receiver)
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
