import Beacons

/// What a sighting changes: its link, and each presence that the link counts for.
extension ZoneEngine {
  /// Processes a sighting of an admitted beacon by its link. Earlier deadlines must be processed already.
  mutating func hear(_ sighting: Sighting, by link: Int32, into transitions: inout [Transition]) {
    let slot = Int(link)
    let receiver = Int(sighting.receiver.rawValue)
    let heard = links[slot].hear(
      rssi: sighting.level,
      power: receivers[receiver].power(
        frame: sighting.measuredPower, configured: beacons[Int(sighting.beacon.rawValue)].measuredPower),
      decadesPerDecibel: receivers[receiver].decadesPerDecibel, at: now)
    if let timer = heard.timer { queue.schedule(.link(link), at: timer) }
    if isLocating { locate(link, rssi: sighting.level, news: heard.news, time: now) }
    var next = links[slot].firstMember
    while next >= 0 {
      let member = members[Int(next)]
      next = member.nextOfLink
      hear(member.presence, by: link, at: sighting.receiver, into: &transitions)
    }
  }

  /// Notes that one of a zone's receivers heard the beacon.
  private mutating func hear(
    _ presence: Int32, by link: Int32, at receiver: ReceiverIndex, into transitions: inout [Transition]
  ) {
    let slot = Int(presence)
    let zone = Int(presences[slot].presence.zone.rawValue)
    let standing = standing(presence, at: now)
    let deadline = presences[slot].hear(
      by: link, at: receiver, standing: standing, time: now, lost: zones[zone].lost,
      dwells: zones[zone].dwells, isBlind: blindZones[zone])
    if deadline <= now {
      settle(presence, at: now, into: &transitions)
    } else if deadline < presences[slot].queuedFor {
      presences[slot].queuedFor = deadline
      queue.schedule(.presence(presence), at: deadline)
    }
  }
}

extension Sighting {
  /// dBm; nil if there is none or if it cannot be true (Core Specification, Vol 4, Part E, 7.7.65.2).
  var level: Int8? { rssi.flatMap { (-127...20).contains($0) ? $0 : nil } }
}

extension ZoneEngine {
  /// Prefetches what the next sightings will read. Otherwise a sighting waits for one cache miss after another, because the
  /// beacon's record says where its link is, the link where its members are, and so on. Here each step is requested for all
  /// before the next.
  ///
  /// - Parameter likely: beacons that are not tracked are skipped.
  public func prefetch(_ likely: [BeaconIndex]) {
    for beacon in likely { beacons.prefetch(at: Int(beacon.rawValue)) }
    for beacon in likely where beacons.indices.contains(Int(beacon.rawValue)) {
      let tracked = beacons[Int(beacon.rawValue)]
      links.prefetch(at: Int(tracked.firstLink))
      presences.prefetch(at: Int(tracked.firstPresence))
    }
    for beacon in likely where beacons.indices.contains(Int(beacon.rawValue)) {
      let link = Int(beacons[Int(beacon.rawValue)].firstLink)
      if link >= 0 { members.prefetch(at: Int(links[link].firstMember)) }
    }
  }
}
