import Beacons

/// Reuses the rows of forgotten beacons.
extension ZoneEngine {
  /// Forgets a beacon that is in no zone. Its index may then be admitted again for another beacon.
  ///
  /// - Returns: false if it is in a zone; then it stays.
  public mutating func retire(_ beacon: BeaconIndex) -> Bool {
    let index = Int(beacon.rawValue)
    guard beacons.indices.contains(index), beacons[index].isAdmitted, zones(of: beacon).isEmpty else {
      return false
    }
    var link = beacons[index].firstLink
    while link >= 0 {
      let slot = Int(link)
      let next = links[slot].nextOfBeacon
      detach(link)
      // Its timer then finds nothing to do.
      links[slot].link.isCurrent = false
      links[slot].nextOfBeacon = freeLink
      freeLink = link
      link = next
    }
    var presence = beacons[index].firstPresence
    while presence >= 0 {
      let slot = Int(presence)
      let next = presences[slot].nextOfBeacon
      presences[slot].presence.leave()
      presences[slot].presence.interrupt()
      presences[slot].nextOfBeacon = freePresence
      freePresence = presence
      presence = next
    }
    beacons[index] = Tracked()
    decisions[beacon] = nil
    admitted[index] = []
    if isLocating { locators[index] = Locator() }
    places?.forget(index)
    return true
  }

  /// A row for a link. A reused row keeps its place in the queue.
  mutating func row(for link: LinkSlot) -> Int32? {
    if freeLink >= 0 {
      let index = freeLink
      freeLink = links[Int(index)].nextOfBeacon
      let queuedFor = links[Int(index)].queuedFor
      links[Int(index)] = link
      links[Int(index)].queuedFor = queuedFor
      return index
    }
    guard links.count < Int32.max else { return nil }
    links.append(link)
    queue.addLink()
    return Int32(links.count - 1)
  }

  /// A row for a presence, as for a link.
  mutating func row(for presence: PresenceSlot) -> Int32 {
    if freePresence >= 0 {
      let index = freePresence
      freePresence = presences[Int(index)].nextOfBeacon
      let queuedFor = presences[Int(index)].queuedFor
      presences[Int(index)] = presence
      presences[Int(index)].queuedFor = queuedFor
      return index
    }
    presences.append(presence)
    queue.addPresence()
    return Int32(presences.count - 1)
  }
}
