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
