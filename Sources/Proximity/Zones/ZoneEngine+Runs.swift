import Beacons

/// Sightings one after the other, of which hardly any changes more than its own beacon's records.
extension ZoneEngine {
  /// Takes in sightings up to the first that brings transitions about, ends somebody's being near, or tells of a receiver
  /// never heard of before: one by one it would come to the same.
  ///
  /// - Parameter transitions: empty to begin with, else nothing is taken in.
  /// - Returns: how many were taken in.
  public mutating func observe(_ sightings: Span<Sighting>, into transitions: inout [Transition]) -> Int {
    let receivers = knownReceivers
    let rearmed = rearmedZones.count
    var next = 0
    while next < sightings.count, transitions.isEmpty, rearmedZones.count == rearmed,
      knownReceivers == receivers
    {
      if !isLocating {
        let (end, unsettled) = hear(sightings.extracting(next...))
        next += end
        if let unsettled {
          settle(unsettled.presence, at: now, into: &transitions)
          weigh(from: unsettled.nextMember, of: unsettled.link, at: now, into: &transitions)
          next += 1
          continue
        }
        if next == sightings.count { break }
      }
      observe(sightings[next], into: &transitions)
      next += 1
    }
    return next
  }

  /// A presence of the beacon at hand in which something is due now.
  private struct Unsettled {
    var presence: Int32
    var link: Int32
    /// From here on nothing knows of the sighting yet.
    var nextMember: Int32
  }

  private mutating func hear(_ sightings: Span<Sighting>) -> (end: Int, unsettled: Unsettled?) {
    Self.hear(
      sightings, now: &now, queue: &queue, beacons: &beacons, links: &links, presences: &presences,
      members: members, receivers: receivers, zones: zones, blindZones: blindZones)
  }

  /// Takes in sightings as long as each is of a beacon and receiver that have met, and nothing is due before it.
  ///
  /// The tables are held fast all the while, so that no access needs to find out whether one of them is shared.
  ///
  /// - Returns: the place of the first sighting not taken in, or taken in only in part.
  private static func hear(
    _ sightings: Span<Sighting>, now: inout MonotonicTime, queue: inout DeadlineQueue,
    beacons: inout [Tracked], links: inout [LinkSlot], presences: inout [PresenceSlot], members: [Member],
    receivers: [Receiver], zones: [ZoneRules], blindZones: [Bool]
  ) -> (end: Int, unsettled: Unsettled?) {
    var due = queue.first ?? Presence.never
    var beacons = beacons.mutableSpan
    var links = links.mutableSpan
    var presences = presences.mutableSpan
    let members = members.span
    let receivers = receivers.span
    let zones = zones.span
    let blindZones = blindZones.span
    for place in sightings.indices {
      let sighting = sightings[place]
      guard sighting.time < due else { return (place, nil) }
      if sighting.beacon == .nobody {
        now = max(now, sighting.time)
        continue
      }
      let beacon = Int(sighting.beacon.rawValue)
      let receiver = Int(sighting.receiver.rawValue)
      guard beacons.indices.contains(beacon), beacons[beacon].isAdmitted, receiver < receivers.count,
        receivers[receiver].isKnown
      else { return (place, nil) }
      var index = beacons[beacon].firstLink
      while index >= 0, links[Int(index)].link.receiver != sighting.receiver {
        index = links[Int(index)].nextOfBeacon
      }
      guard index >= 0 else { return (place, nil) }

      now = max(now, sighting.time)
      let time = now
      beacons[beacon].note(sighting)
      let heard = links[Int(index)].hear(
        rssi: sighting.level,
        power: receivers[receiver].power(
          frame: sighting.measuredPower, configured: beacons[beacon].measuredPower),
        decadesPerDecibel: receivers[receiver].decadesPerDecibel, at: time)
      if let timer = heard.timer {
        queue.schedule(.link(index), at: timer)
        due = min(due, timer)
      }

      var presence = links[Int(index)].solePresence
      let isSole = presence >= 0
      var member = isSole ? -1 : links[Int(index)].firstMember
      while presence >= 0 || member >= 0 {
        var nextMember: Int32 = -1
        if !isSole {
          presence = members[Int(member)].presence
          nextMember = members[Int(member)].nextOfLink
        }
        let slot = Int(presence)
        let zone = Int(presences[slot].presence.zone.rawValue)
        let isOnly =
          isSole || presences[slot].firstMember == member && members[Int(member)].nextOfPresence < 0
        let nearest =
          isOnly
          ? Nearest(only: links[Int(index)].link, at: index)
          : Nearest(
            of: presences[slot].firstMember, lost: zones[zone].lost, at: time, members: members,
            links: links.span)
        let deadline = presences[slot].hear(
          by: index, at: sighting.receiver, standing: zones[zone].standing(of: nearest), time: time,
          lost: zones[zone].lost, dwells: zones[zone].dwells, isBlind: blindZones[zone])
        if deadline <= time {
          return (place, Unsettled(presence: presence, link: index, nextMember: nextMember))
        }
        if deadline < presences[slot].queuedFor {
          presences[slot].queuedFor = deadline
          queue.schedule(.presence(presence), at: deadline)
          due = min(due, deadline)
        }
        member = nextMember
        presence = -1
      }
    }
    return (sightings.count, nil)
  }
}

extension Sighting {
  /// dBm; nil where it cannot be true (Core Specification, Vol 4, Part E, 7.7.65.2), or is none.
  var level: Int8? { rssi.flatMap { (-127...20).contains($0) ? $0 : nil } }
}
