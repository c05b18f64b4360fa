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

extension Tracked: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("measured_power", &measuredPower)
    try coder("is_admitted", &isAdmitted)
    try coder("is_inventable", &isInventable)
    try coder("free_turns", &freeTurns)
    try coder("link_count", &linkCount)
    try coder("last_receiver", &lastReceiver.rawValue)
    try coder("wall_offset", &wallOffset)
    try coder("last_heard", &lastHeard)
    try coder("first_link", &firstLink)
    try coder("first_presence", &firstPresence)
    // Until the first sighting it means nothing.
    try coder.check(lastHeard.nanoseconds == .min || Int(lastReceiver.rawValue) < coder.bounds.receivers)
  }
}

extension LinkSlot: StateElement {
  init() { self.init(link: Link(), beacon: -1, nextOfBeacon: -1) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("link", &link)
    try coder("beacon", &beacon, below: coder.bounds.beacons)
    try coder("next_of_beacon", &nextOfBeacon)
    try coder("first_member", &firstMember)
    try coder("queued_for", &queuedFor)
  }
}

extension PresenceSlot: StateElement {
  init() {
    self.init(
      presence: Presence(), beacon: -1, nextOfBeacon: -1, lastReceiver: ReceiverIndex(rawValue: 0))
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("presence", &presence)
    try coder("beacon", &beacon, below: coder.bounds.beacons)
    try coder("next_of_beacon", &nextOfBeacon)
    try coder("first_member", &firstMember)
    try coder("last_link", &lastLink)
    try coder("last_receiver", &lastReceiver)
    try coder("queued_for", &queuedFor)
  }
}

extension Member: StateElement {
  init() { self.init(link: -1, presence: -1, nextOfLink: -1, nextOfPresence: -1) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("link", &link)
    try coder("presence", &presence)
    try coder("next_of_link", &nextOfLink)
    try coder("next_of_presence", &nextOfPresence)
  }
}

/// Rows of a snapshot point to each other. Whoever follows them must get to an end, and to rows of his own.
extension ZoneEngine {
  func checkChains(_ coder: borrowing StateCoder) throws(StateError) {
    guard
      chainsOfLinks(), chainsOfPresences(), chainsOfMembers(),
      links.allSatisfy({ Int($0.link.receiver.rawValue) < receivers.count }),
      presences.allSatisfy({ $0.lastLink < 0 || isLink($0.lastLink, of: $0.beacon) })
    else { throw coder.damaged }
  }

  private func isLink(_ link: Int32, of beacon: Int32) -> Bool {
    Int(link) < links.count && links[Int(link)].beacon == beacon
  }

  private func chainsOfLinks() -> Bool {
    var met = Met(links.count)
    for beacon in beacons.indices {
      var (link, count) = (beacons[beacon].firstLink, 0)
      while link >= 0 {
        guard met.isNew(link), links[Int(link)].beacon == beacon, beacons[beacon].isAdmitted else {
          return false
        }
        link = links[Int(link)].nextOfBeacon
        count += 1
      }
      guard count == beacons[beacon].linkCount, count <= Self.receiversPerBeacon else { return false }
    }
    var link = freeLink
    while link >= 0 {
      guard met.isNew(link), !links[Int(link)].link.isCurrent, links[Int(link)].firstMember < 0 else {
        return false
      }
      link = links[Int(link)].nextOfBeacon
    }
    return met.isComplete
  }

  private func chainsOfPresences() -> Bool {
    var met = Met(presences.count)
    for beacon in beacons.indices {
      var presence = beacons[beacon].firstPresence
      while presence >= 0 {
        guard met.isNew(presence), presences[Int(presence)].beacon == beacon, beacons[beacon].isAdmitted
        else {
          return false
        }
        presence = presences[Int(presence)].nextOfBeacon
      }
    }
    var presence = freePresence
    while presence >= 0 {
      guard met.isNew(presence), !presences[Int(presence)].presence.isInside,
        presences[Int(presence)].firstMember < 0
      else { return false }
      presence = presences[Int(presence)].nextOfBeacon
    }
    return met.isComplete
  }

  private func chainsOfMembers() -> Bool {
    var (byLink, byPresence) = (Met(members.count), Met(members.count))
    for (link, slot) in links.enumerated() {
      var member = slot.firstMember
      while member >= 0 {
        guard byLink.isNew(member), members[Int(member)].link == link else { return false }
        member = members[Int(member)].nextOfLink
      }
    }
    for (presence, slot) in presences.enumerated() {
      var member = slot.firstMember
      while member >= 0 {
        guard byPresence.isNew(member), members[Int(member)].presence == presence,
          isLink(members[Int(member)].link, of: slot.beacon)
        else { return false }
        member = members[Int(member)].nextOfPresence
      }
    }
    var member = freeMember
    while member >= 0 {
      guard byLink.isNew(member), byPresence.isNew(member) else { return false }
      member = members[Int(member)].nextOfLink
    }
    return byLink.isComplete && byPresence.isComplete
  }
}

/// Rows that were met.
private struct Met {
  private var rows: [Bool]
  private var count = 0

  init(_ count: Int) { rows = [Bool](repeating: false, count: count) }

  var isComplete: Bool { count == rows.count }

  /// Whether there is such a row, and it was not met before.
  mutating func isNew(_ row: Int32) -> Bool {
    guard Int(row) < rows.count, !rows[Int(row)] else { return false }
    rows[Int(row)] = true
    count += 1
    return true
  }
}
