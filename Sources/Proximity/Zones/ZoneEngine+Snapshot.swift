import Beacons

/// All that the engine knows, row by row. What follows from the rows is left out: who is inside, the queue of deadlines, how many
/// receivers are known or blind.
extension ZoneEngine {
  public func snapshot(into writer: inout StateWriter) {
    writer.write(now)
    crowd.snapshot(into: &writer)
    writer.write(heldTransitions)
    writer.write(held)
    writer.write(roomSight)
    writer.write(blindZones)
    writer.write(rearmedZones)
    writer.write(silenced)
    writer.count(receivers.count)
    for receiver in receivers {
      writer.write(receiver.isKnown)
      writer.write(receiver.isBlind)
    }
    writer.count(beacons.count)
    for beacon in beacons.indices {
      writer.write(beacons[beacon])
      writer.write(admitted[beacon])
      if isLocating { writer.write(locators[beacon]) }
    }
    writer.write(links)
    writer.write(presences)
    writer.write(members)
    writer.write(freeLink)
    writer.write(freePresence)
    writer.write(freeMember)
    writer.write(decisions)
    places?.snapshot(into: &writer)
  }

  /// Of a new engine of the same site.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "zones"
    now = try reader.read()
    try crowd.restore(from: &reader)
    heldTransitions = try reader.tally()
    held = try reader.read()
    roomSight = try reader.read()
    let blind: [Bool] = try reader.read()
    guard held.count <= Self.heldLimit, blind.count == zones.count else { throw reader.damaged }
    blindZones = blind
    rearmedZones = try reader.read()
    silenced = try reader.read()
    try restoreReceivers(from: &reader)
    try restoreBeacons(from: &reader)
    reader.part = "links"
    links = try reader.read()
    presences = try reader.read()
    members = try reader.read()
    freeLink = try reader.read()
    freePresence = try reader.read()
    freeMember = try reader.read()
    try checkChains(reader)
    derive()
    reader.part = "decisions"
    decisions = try reader.read()
    guard hasRoomZones || decisions.isEmpty else { throw reader.damaged }
    try places?.restore(from: &reader)
  }

  private mutating func restoreReceivers(from reader: inout StateReader) throws(StateError) {
    let count = try reader.count()
    guard count <= reader.bounds.receivers else { throw reader.damaged }
    for index in 0..<count {
      let receiver = ReceiverIndex(rawValue: UInt16(index))
      receivers.append(Receiver(site.receivers[receiver] ?? site.calibration))
      receivers[index].isKnown = try reader.read()
      receivers[index].isBlind = try reader.read()
    }
    knownReceivers = receivers.count(where: \.isKnown)
    blindReceivers = receivers.count(where: \.isBlind)
  }

  private mutating func restoreBeacons(from reader: inout StateReader) throws(StateError) {
    let count = try reader.count()
    guard count <= reader.bounds.beacons else { throw reader.damaged }
    // Most beacons are in the same zones as others, and share the list.
    var lists: Set<[ZoneIndex]> = []
    for _ in 0..<count {
      beacons.append(try reader.read())
      let zones: [ZoneIndex] = try reader.read()
      admitted.append(lists.insert(zones).memberAfterInsert)
      if isLocating { locators.append(try reader.read()) }
    }
  }

  /// What follows from the rows.
  private mutating func derive() {
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
