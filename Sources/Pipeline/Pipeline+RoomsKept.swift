import Beacons
import Messages
import Proximity
import Settings

/// Who is in which room, from one configuration to the next and from one run to the next.
extension Pipeline {
  /// Lets a beacon leave a room that the new configuration does not have, or if it does not have the beacon.
  mutating func releaseFromRoom(_ beacon: BeaconIndex, _ heir: BeaconIndex?, _ next: Pipeline) {
    guard let room = rooms?.room(of: beacon) else { return }
    let isKnown = heir.map { next.roster.name(of: $0) == roster.name(of: beacon) } ?? false
    let hasRoom = next.configuration.rooms.contains { $0.name == name(of: room) }
    if isKnown, hasRoom { return }
    rooms?.leave(beacon, because: isKnown ? .zoneRemoved : .beaconRemoved, at: time, into: &roomTransitions)
  }

  /// Nobody is in a room that does not exist any more.
  func clearRooms(missingIn new: Configuration, into output: inout Output) {
    for room in configuration.rooms where !new.rooms.contains(where: { $0.name == room.name }) {
      output.items.append(.state(.occupancy(OccupancyMessage(room: room.name, state: "empty", members: []))))
    }
  }

  /// Takes over who is in which room.
  mutating func adoptRoom(of beacon: BeaconIndex, _ earlier: Pipeline, as heir: BeaconIndex) {
    guard var state = earlier.rooms?.state(of: beacon), rooms != nil else { return }
    if let room = state.room {
      let name = earlier.name(of: room)
      state.room = roomIndices.first { self.name(of: $0) == name }
    }
    rooms?.restore(state, of: heir, sightSince: time)
  }

  /// What a later run is to take over of `receiverGains`, by receiver; nil: nothing was learnt. Of calibrated rooms nothing is kept:
  /// nobody knows whether that run has the same calibration.
  package var keptGains: [String: Double]? {
    guard rooms?.isCalibrated == false else { return nil }
    let gains = receiverGains.map { (receivers.name(of: $0), $1) }
    return gains.isEmpty ? nil : Dictionary(uniqueKeysWithValues: gains)
  }

  /// Takes over what an earlier run learnt of receivers. Those that this configuration does not have are passed over.
  package mutating func restore(gains: [String: Double]) {
    let known = receivers.indices.compactMap { receiver in
      gains[receivers.name(of: receiver)].map { (receiver, $0) }
    }
    rooms?.adopt(receiverGains: Dictionary(uniqueKeysWithValues: known))
  }

  /// Restores the room of a beacon. If it is not configured any more, or not for this beacon, the beacon leaves it.
  mutating func restoreRoom(
    _ saved: SavedBeacon, of beacon: BeaconIndex?, at now: MonotonicTime, wallTime: WallTime,
    _ isSameBoot: Bool, into output: inout Output
  ) {
    guard var room = saved.room else { return }
    room.state.shift(by: span(from: saved, isSameBoot, now, wallTime))
    let index = roomIndices.first { name(of: $0) == room.name }
    let isNamesake = beacon.map { saved.name == nil || roster.name(of: $0) == saved.name } ?? false
    let receiver = receivers.index(of: room.receiver)
    room.state.renumber(receiver: receiver)
    guard let index, let beacon, isNamesake else {
      guard let name = saved.name else { return }
      counts.transitions += 1
      let exit = RoomTransition(
        event: .exit, room: index ?? RoomIndex(rawValue: -1), beacon: beacon ?? .nobody, time: now,
        wallTime: wallTime, probability: nil, evidence: [], receiver: receiver ?? ReceiverIndex(rawValue: 0),
        reason: index == nil ? .zoneRemoved : .beaconRemoved)
      output.items.append(
        .transition(
          TransitionMessage(
            transition: exit, gateway: configuration.gatewayName, room: room.name, beacon: name,
            receiver: room.receiver, witnesses: [])))
      output.items.append(.state(.room(RoomMessage(beacon: name, room: nil, since: wallTime))))
      if index == nil {
        output.items.append(
          .state(.occupancy(OccupancyMessage(room: room.name, state: "empty", members: []))))
      }
      guard let beacon, isNamesake else { return }
      room.state.leave(at: wallTime)
      rooms?.restore(room.state, of: beacon, sightSince: now)
      return
    }
    room.state.room = index
    rooms?.restore(room.state, of: beacon, sightSince: now)
    // As with zones: nobody leaves before its receiver had time to hear it.
    if let receiver { rooms?.setBlind(receiver, true, at: now) }
    sightZonesOfRooms()
  }
}
