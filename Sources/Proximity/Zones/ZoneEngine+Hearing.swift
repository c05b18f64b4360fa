import Beacons

/// Processes sightings in sequence. Hardly any of them changes more than its own beacon's records.
extension ZoneEngine {
  /// Processes sightings up to and including the first that causes a transition, ends a near, or comes from
  /// a receiver that never reported before. The result is the same as with one sighting at a time.
  ///
  /// - Parameter transitions: must be empty; otherwise nothing is processed.
  /// - Returns: how many sightings were processed.
  public mutating func observe(_ sightings: Span<Sighting>, into transitions: inout [Transition]) -> Int {
    let receivers = knownReceivers
    let rearmed = rearmedZones.count
    var next = 0
    while next < sightings.count, transitions.isEmpty, rearmedZones.count == rearmed,
      knownReceivers == receivers
    {
      if !isLocating {
        let heard = hear(sightings.extracting(next...), until: queue.first ?? Presence.never)
        next += heard.count
        if let unsettled = heard.unsettled {
          finish(sightings.extracting(next..<(next + 1)), unsettled, into: &transitions)
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

  /// Processes one sighting of an admitted beacon whose receiver has a link to it. Earlier deadlines must be processed
  /// already.
  mutating func hearAlone(_ sighting: Sighting, into transitions: inout [Transition]) {
    let alone: InlineArray<1, Sighting> = [sighting]
    let heard = hear(alone.span, until: nil)
    if let unsettled = heard.unsettled, let news = heard.news {
      locate(unsettled.link, rssi: sighting.level, news: news, time: now)
    }
    if let unsettled = heard.unsettled { finish(alone.span, unsettled, into: &transitions) }
  }

  /// Where processing of a sighting stopped.
  private struct Unsettled {
    /// The presence in which something is due now; −1: none.
    var presence: Int32
    var link: Int32
    /// From this member on the sighting is not processed yet.
    var nextMember: Int32
  }

  private struct Heard {
    /// How many sightings were processed completely.
    var count: Int
    /// Where it stopped in the next one.
    var unsettled: Unsettled?
    /// What changed in its link, if the beacon must be located before the zones are judged.
    var news: Link.News?
  }

  /// Processes the rest of a sighting.
  private mutating func finish(
    _ sighting: Span<Sighting>, _ unsettled: Unsettled, into transitions: inout [Transition]
  ) {
    var next: Unsettled? = unsettled
    while let unsettled = next {
      if unsettled.presence >= 0 { settle(unsettled.presence, at: now, into: &transitions) }
      next = hear(sighting, from: unsettled, until: nil).unsettled
    }
  }

  private mutating func hear(
    _ sightings: Span<Sighting>, from unsettled: Unsettled? = nil, until due: MonotonicTime?
  ) -> Heard {
    Self.hear(
      sightings, from: unsettled, until: due, isLocating: isLocating, now: &now, queue: &queue,
      beacons: &beacons, links: &links, presences: &presences, members: members, receivers: receivers,
      zones: zones, blindZones: blindZones)
  }

  /// Processes sightings for as long as beacon and receiver have a link and nothing is due before the sighting.
  ///
  /// It holds exclusive access to the tables meanwhile, so that no access has to check for a shared array.
  ///
  /// - Parameters:
  ///   - unsettled: where processing of the first sighting stopped.
  ///   - due: the next deadline; nil: all deadlines up to `now` are processed.
  private static func hear(
    _ sightings: Span<Sighting>, from unsettled: Unsettled?, until due: MonotonicTime?, isLocating: Bool,
    now: inout MonotonicTime, queue: inout DeadlineQueue, beacons: inout [Tracked], links: inout [LinkSlot],
    presences: inout [PresenceSlot], members: [Member], receivers: [Receiver], zones: [ZoneRules],
    blindZones: [Bool]
  ) -> Heard {
    let isBounded = due != nil
    var due = due ?? Presence.never
    var unsettled = unsettled
    var beacons = beacons.mutableSpan
    var links = links.mutableSpan
    var presences = presences.mutableSpan
    let members = members.span
    let receivers = receivers.span
    let zones = zones.span
    let blindZones = blindZones.span
    for place in sightings.indices {
      let sighting = sightings[place]
      let index: Int32
      var presence: Int32 = -1
      var member: Int32
      if let left = unsettled {
        unsettled = nil
        index = left.link
        member = left.nextMember
      } else {
        guard sighting.time < due || !isBounded else { return Heard(count: place) }
        if sighting.beacon == .nobody {
          now = max(now, sighting.time)
          continue
        }
        let beacon = Int(sighting.beacon.rawValue)
        let receiver = Int(sighting.receiver.rawValue)
        guard beacons.indices.contains(beacon), beacons[beacon].isAdmitted, receiver < receivers.count,
          receivers[receiver].isKnown
        else { return Heard(count: place) }
        var link = beacons[beacon].firstLink
        while link >= 0, links[Int(link)].link.receiver != sighting.receiver {
          link = links[Int(link)].nextOfBeacon
        }
        guard link >= 0 else { return Heard(count: place) }
        index = link

        if isBounded { now = max(now, sighting.time) }
        beacons[beacon].note(sighting)
        let heard = links[Int(index)].hear(
          rssi: sighting.level,
          power: receivers[receiver].power(
            frame: sighting.measuredPower, configured: beacons[beacon].measuredPower),
          decadesPerDecibel: receivers[receiver].decadesPerDecibel, at: now)
        if let timer = heard.timer {
          queue.schedule(.link(index), at: timer)
          due = min(due, timer)
        }
        if isLocating {
          let member = links[Int(index)].firstMember
          return Heard(
            count: place, unsettled: Unsettled(presence: -1, link: index, nextMember: member),
            news: heard.news)
        }
        presence = links[Int(index)].solePresence
        member = presence >= 0 ? -1 : links[Int(index)].firstMember
      }
      let time = now
      let isSole = presence >= 0
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
          return Heard(
            count: place, unsettled: Unsettled(presence: presence, link: index, nextMember: nextMember))
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
    return Heard(count: sightings.count)
  }
}

extension Sighting {
  /// dBm; nil if there is none or if it cannot be true (Core Specification, Vol 4, Part E, 7.7.65.2).
  var level: Int8? { rssi.flatMap { (-127...20).contains($0) ? $0 : nil } }
}
