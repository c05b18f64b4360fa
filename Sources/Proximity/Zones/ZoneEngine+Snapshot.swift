import Beacons

/// All that the engine knows, row by row. What follows from the rows is left out: who is inside, the queue of deadlines, how many
/// receivers are known or blind.
extension ZoneEngine: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("now", &now)
    try coder("crowd", &crowd)
    try coder(tally: "held_transitions", &heldTransitions)
    try coder("held", &held, atMost: Self.heldLimit)
    try coder("room_sight", &roomSight)
    try coder(each: "blind_zones", &blindZones)
    try coder("rearmed_zones", &rearmedZones)
    try coder("silenced", &silenced)
    try receiverFields(&coder)
    try coder("beacons", &beacons, atMost: coder.bounds.beacons)
    try coder("admitted", &admitted)
    try coder("locators", &locators)
    try coder("links", &links)
    try coder("presences", &presences)
    try coder("members", &members)
    try coder("free_link", &freeLink)
    try coder("free_presence", &freePresence)
    try coder("free_member", &freeMember)
    try coder("decisions", &decisions)
    if places != nil { try coder("places", &places!) }
    guard coder.isReading else { return }
    try coder.check(
      admitted.count == beacons.count && locators.count == (isLocating ? beacons.count : 0)
        && (hasRoomZones || decisions.isEmpty))
    try checkChains(coder)
    derive()
  }

  private mutating func receiverFields(_ coder: inout StateCoder) throws(StateError) {
    var (known, blind) = (receivers.map(\.isKnown), receivers.map(\.isBlind))
    try coder("known_receivers", &known, atMost: coder.bounds.receivers)
    try coder("blind_receivers", &blind)
    guard coder.isReading else { return }
    try coder.check(known.count == blind.count)
    for index in known.indices {
      let receiver = ReceiverIndex(rawValue: UInt16(index))
      receivers.append(Receiver(site.receivers[receiver] ?? site.calibration))
      receivers[index].isKnown = known[index]
      receivers[index].isBlind = blind[index]
    }
    knownReceivers = known.count { $0 }
    blindReceivers = blind.count { $0 }
  }

  /// What follows from the rows.
  private mutating func derive() {
    // Most beacons are in the same zones as others, and share the list.
    var lists: Set<[ZoneIndex]> = []
    for beacon in admitted.indices { admitted[beacon] = lists.insert(admitted[beacon]).memberAfterInsert }
    for index in links.indices {
      queue.addLink()
      let link = links[index]
      if link.queuedFor < Presence.never { queue.schedule(.link(Int32(index)), at: link.queuedFor) }
      if isLocating, link.link.isCurrent,
        receivers[Int(link.link.receiver.rawValue)].calibration.position != nil
      {
        locators[Int(link.beacon)].receivers += 1
      }
    }
    for index in presences.indices {
      queue.addPresence()
      let slot = presences[index]
      if slot.queuedFor < Presence.never { queue.schedule(.presence(Int32(index)), at: slot.queuedFor) }
      if slot.presence.isInside {
        insiders[Int(slot.presence.zone.rawValue)][BeaconIndex(rawValue: slot.beacon)] = Int32(index)
      }
    }
  }
}
