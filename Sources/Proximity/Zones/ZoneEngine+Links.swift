import Beacons

/// Which receiver hears which beacon, and for which zones that counts.
extension ZoneEngine {
  /// Whether the receiver ever reported: an advertisement, or that it is blind or works.
  public func isKnown(_ receiver: ReceiverIndex) -> Bool {
    let index = Int(receiver.rawValue)
    return index < receivers.count && receivers[index].isKnown
  }

  /// The link between a beacon and a receiver, made if needed; nil if none are kept, or if the beacon has no free link.
  @inline(__always) mutating func link(
    of beacon: Int, at receiver: ReceiverIndex, time: MonotonicTime
  ) -> Int32? {
    var index = beacons[beacon].firstLink
    while index >= 0 {
      if links[Int(index)].link.receiver == receiver { return index }
      index = links[Int(index)].nextOfBeacon
    }
    return makeLink(Link(receiver: receiver, power: 0, time: time), of: beacon)
  }

  mutating func makeLink(_ link: Link, of beacon: Int) -> Int32? {
    guard keepsLinks else { return nil }
    let index: Int32
    if beacons[beacon].linkCount >= Self.receiversKept, let silent = longestSilentLink(of: beacon) {
      detach(silent)
      links[Int(silent)].link = link
      index = silent
    } else {
      guard beacons[beacon].linkCount < Self.receiversPerBeacon,
        let row = row(
          for: LinkSlot(link: link, beacon: Int32(beacon), nextOfBeacon: beacons[beacon].firstLink))
      else { return nil }
      index = row
      beacons[beacon].firstLink = index
      beacons[beacon].linkCount += 1
    }
    for zone in admitted[beacon] where counts(link.receiver, in: zone) {
      attach(index, to: presence(of: beacon, in: zone, at: link.receiver, time: link.lastHeard))
    }
    return index
  }

  /// Adds a beacon to further zones: what is heard of it counts there, too.
  mutating func join(_ zones: [ZoneIndex], _ beacon: Int) {
    for zone in zones where !admitted[beacon].contains(zone) {
      admitted[beacon].append(zone)
      if let decision = decisions[BeaconIndex(rawValue: Int32(beacon))] {
        restore(decision, of: BeaconIndex(rawValue: Int32(beacon)))
      }
      var link = beacons[beacon].firstLink
      while link >= 0 {
        let heard = links[Int(link)].link
        if counts(heard.receiver, in: zone) {
          attach(link, to: presence(of: beacon, in: zone, at: heard.receiver, time: heard.lastHeard))
        }
        link = links[Int(link)].nextOfBeacon
      }
    }
  }

  func counts(_ receiver: ReceiverIndex, in zone: ZoneIndex) -> Bool {
    zoneReceivers[Int(zone.rawValue)]?.contains(receiver) ?? (zones[Int(zone.rawValue)].rooms == nil)
  }

  private func longestSilentLink(of beacon: Int) -> Int32? {
    var longest: Int32?
    var index = beacons[beacon].firstLink
    while index >= 0 {
      let link = links[Int(index)].link
      if !link.isCurrent, longest.map({ link.lastHeard <= links[Int($0)].link.lastHeard }) ?? true {
        longest = index
      }
      index = links[Int(index)].nextOfBeacon
    }
    return longest
  }

  /// The presence of a beacon in a zone, made if needed.
  mutating func presence(
    of beacon: Int, in zone: ZoneIndex, at receiver: ReceiverIndex, time: MonotonicTime
  ) -> Int32 {
    var index = beacons[beacon].firstPresence
    while index >= 0 {
      if presences[Int(index)].presence.zone == zone { return index }
      index = presences[Int(index)].nextOfBeacon
    }
    index = row(
      for: PresenceSlot(
        presence: Presence(zone: zone, time: time), beacon: Int32(beacon),
        nextOfBeacon: beacons[beacon].firstPresence, lastReceiver: receiver))
    beacons[beacon].firstPresence = index
    return index
  }

  private mutating func attach(_ link: Int32, to presence: Int32) {
    let member = Member(
      link: link, presence: presence, nextOfLink: links[Int(link)].firstMember,
      nextOfPresence: presences[Int(presence)].firstMember)
    var index = freeMember
    if index >= 0 {
      freeMember = members[Int(index)].nextOfLink
      members[Int(index)] = member
    } else {
      index = Int32(members.count)
      members.append(member)
    }
    links[Int(link)].firstMember = index
    presences[Int(presence)].firstMember = index
  }

  /// Removes a link from all its presences.
  mutating func detach(_ link: Int32) {
    var index = links[Int(link)].firstMember
    while index >= 0 {
      let member = members[Int(index)]
      let slot = Int(member.presence)
      if presences[slot].lastLink == link { presences[slot].lastLink = -1 }
      if presences[slot].firstMember == index {
        presences[slot].firstMember = member.nextOfPresence
      } else {
        var before = presences[slot].firstMember
        while before >= 0, members[Int(before)].nextOfPresence != index {
          before = members[Int(before)].nextOfPresence
        }
        if before >= 0 { members[Int(before)].nextOfPresence = member.nextOfPresence }
      }
      members[Int(index)].nextOfLink = freeMember
      freeMember = index
      index = member.nextOfLink
    }
    links[Int(link)].firstMember = -1
  }

  /// If enough receivers of known position hear the beacon, their joint estimate replaces the distance from the receiver
  /// that has just heard it.
  mutating func locate(_ index: Int32, rssi: Int8?, news: Link.News, time: MonotonicTime) {
    let slot = Int(index)
    let receiver = Int(links[slot].link.receiver.rawValue)
    guard let position = receivers[receiver].calibration.position else { return }
    let beacon = Int(links[slot].beacon)
    let power = links[slot].link.power
    if news.isReturning {
      if locators[beacon].receivers == 0 {
        let decades = (power - Float(rssi ?? -80)) * receivers[receiver].decadesPerDecibel
        locators[beacon].restart(at: position, logDistance: decades, time: time)
      }
      locators[beacon].receivers += 1
    }
    guard news.isOfSignal, let rssi else { return }
    if places?.hear(beacon, at: receiver, level: Float(rssi), power: power, time: time) == true {
      guard locators[beacon].isUsable, let found = places?.logDistances(of: beacon, to: receiver) else {
        return
      }
      // `Lines` adds the margin on the way in, and takes it off on the way out.
      links[slot].link.margin = (found.within - found.median) / 2
      links[slot].link.logDistance = found.median + links[slot].link.margin
      links[slot].link.isLocated = true
      return
    }
    locators[beacon].add(
      rssi: Double(rssi), position: position, power: Double(power),
      exponent: receivers[receiver].calibration.exponent,
      deviation: receivers[receiver].calibration.deviation, time: time)
    guard locators[beacon].isUsable else { return }
    links[slot].link.logDistance = locators[beacon].logDistance(to: position)
    // Several receivers agree on it, or it would lie elsewhere: what is more likely than not decides.
    links[slot].link.margin = 0
    links[slot].link.isLocated = true
  }
}
