import Beacons

/// All that the engine knows of one beacon, in a form to save and restore: for a restart, or when another worker takes
/// over the beacon.
public struct BeaconState: Hashable, Sendable, Codable {
  var links: [Link]
  var presences: [Presence]
  var locator: Locator?
  var wallOffset: TimeSpan
  /// Also nil in states saved before this field existed.
  var lastSighting: LastSighting?
  /// A probability for each cell; nil: none. It is not part of the encoded form, because it has thousands of numbers: after a
  /// restart the place is found anew, within seconds. Whoever hands a beacon over alive hands it over beside that form.
  public var belief: PlaceBelief?

  private enum CodingKeys: CodingKey {
    case links, presences, locator, wallOffset, lastSighting
  }

  /// Whether it can be. Who reads one asks this first: nothing else looks at its numbers.
  public var isSound: Bool {
    links.allSatisfy(\.isSound) && locator?.isSound ?? true
      && presences.allSatisfy { $0.zone.rawValue >= 0 }
  }

  /// Moves every monotonic time in it by `span`, for a process whose clock started elsewhere. Wall times stay.
  public mutating func shift(by span: TimeSpan) {
    for index in links.indices { links[index].shift(by: span) }
    for index in presences.indices { presences[index].shift(by: span) }
    locator?.shift(by: span)
    if let time = belief?.time { belief?.time = time + span }
    if let sighting = lastSighting { lastSighting?.time = sighting.time + span }
    wallOffset =
      MonotonicTime(nanoseconds: wallOffset.nanoseconds) - MonotonicTime(nanoseconds: span.nanoseconds)
  }

  /// All receivers that it refers to.
  public var receivers: [ReceiverIndex] { links.map(\.receiver) + [lastSighting].compactMap { $0?.receiver } }
  /// The last sighting. If it was not saved, it is rebuilt from the links. nil: never sighted.
  public var newestSighting: LastSighting? {
    if let lastSighting { return lastSighting }
    return links.max { $0.lastHeard < $1.lastHeard }.map {
      LastSighting(
        time: $0.lastHeard, wallTime: WallTime(nanoseconds: $0.lastHeard.nanoseconds) + wallOffset,
        receiver: $0.receiver)
    }
  }
  /// All zones that it refers to.
  public var zones: [ZoneIndex] { presences.map(\.zone) }
  /// The zones that the beacon is in.
  public var occupiedZones: [ZoneIndex] { presences.filter(\.isInside).map(\.zone) }
  /// Whether the beacon is in a zone.
  public var isInside: Bool { presences.contains(where: \.isInside) }

  /// Takes the beacon out of a zone.
  public mutating func leave(_ zone: ZoneIndex) { presences.removeAll { $0.zone == zone } }

  /// Whether one of these receivers ever heard it; nil: any.
  public func isHeard(by receivers: Set<ReceiverIndex>?) -> Bool {
    links.contains { receivers?.contains($0.receiver) ?? true }
  }

  /// Renumbers receivers and zones for an engine with other indices; what maps to nil is dropped.
  public mutating func renumber(
    receivers: (ReceiverIndex) -> ReceiverIndex?, zones: (ZoneIndex) -> ZoneIndex?
  ) {
    links = links.compactMap { link in
      guard let receiver = receivers(link.receiver) else { return nil }
      var link = link
      link.receiver = receiver
      return link
    }
    if let sighting = lastSighting {
      lastSighting = receivers(sighting.receiver).map {
        LastSighting(time: sighting.time, wallTime: sighting.wallTime, receiver: $0)
      }
    }
    presences = presences.compactMap { presence in
      guard let zone = zones(presence.zone) else { return nil }
      var presence = presence
      presence.zone = zone
      return presence
    }
  }
}

extension ZoneEngine {
  /// All that is known of a beacon; nil if it was never admitted.
  public func state(of beacon: BeaconIndex) -> BeaconState? {
    let index = Int(beacon.rawValue)
    guard beacons.indices.contains(index), beacons[index].isAdmitted else { return nil }
    var state = BeaconState(
      links: [], presences: [], locator: isLocating ? locators[index] : nil,
      wallOffset: beacons[index].wallOffset, lastSighting: lastSighting(of: beacon),
      belief: places?.belief(of: index))
    var link = beacons[index].firstLink
    while link >= 0 {
      state.links.append(links[Int(link)].link)
      link = links[Int(link)].nextOfBeacon
    }
    var presence = beacons[index].firstPresence
    while presence >= 0 {
      state.presences.append(presences[Int(presence)].presence)
      presence = presences[Int(presence)].nextOfBeacon
    }
    return state
  }

  /// Restores the saved state of a beacon that was admitted and not yet sighted. Emits nothing. Overdue transitions happen
  /// at the next `advance`.
  ///
  /// - Parameters:
  ///   - sightSince: when receiving resumed; nobody is declared away before a full interval from then. nil: it never
  ///     stopped, as when another worker takes over.
  ///   - changed: zones whose rules changed since the state was saved. Whoever is inside stays there until the new rules,
  ///     counted from now on, say otherwise.
  ///   - regained: those changed zones that were blind and are not any more, as they have other receivers.
  public mutating func restore(
    _ state: BeaconState, of beacon: BeaconIndex, sightSince: MonotonicTime? = nil,
    changed: Set<ZoneIndex> = [], regained: Set<ZoneIndex> = []
  ) {
    let index = Int(beacon.rawValue)
    guard beacons.indices.contains(index), beacons[index].isAdmitted, beacons[index].firstLink < 0 else {
      return
    }
    beacons[index].wallOffset = state.wallOffset
    if let sighting = state.newestSighting {
      beacons[index].lastHeard = sighting.time
      beacons[index].lastReceiver = sighting.receiver
    }
    if isLocating, let locator = state.locator {
      locators[index] = locator
      locators[index].receivers = 0
    }
    if let belief = state.belief {
      places?.restore(belief, of: index)
    } else if let sightSince {
      places?.begin(index, at: sightSince)
    }
    for var link in state.links.reversed() {
      if let sightSince { link.silentSince = max(link.silentSince, sightSince) }
      restore(link, of: index)
    }
    for presence in state.presences.reversed() {
      let sightSince = regained.contains(presence.zone) ? now : sightSince
      restore(presence, of: index, sightSince: sightSince, isChanged: changed.contains(presence.zone))
    }
  }

  private mutating func restore(_ link: Link, of beacon: Int) {
    var ignored: [Transition] = []
    if !isKnown(link.receiver) { meet(link.receiver, into: &ignored) }
    guard let index = makeLink(link, of: beacon), link.isCurrent else { return }
    if isLocating, receivers[Int(link.receiver.rawValue)].calibration.position != nil {
      locators[beacon].receivers += 1
    }
    watchSilence(of: index)
  }

  private mutating func restore(
    _ saved: Presence, of beacon: Int, sightSince: MonotonicTime?, isChanged: Bool
  ) {
    guard admitted[beacon].contains(saved.zone) else { return }
    let index = presence(of: beacon, in: saved.zone, at: ReceiverIndex(rawValue: 0), time: saved.silentSince)
    let slot = Int(index)
    presences[slot].presence = saved
    if zones[Int(saved.zone.rawValue)].near == nil {
      // A zone without a near rule has nobody near.
      presences[slot].presence.nearSince = Presence.never
      presences[slot].presence.isArmed = true
    }
    var member = presences[slot].firstMember
    while member >= 0 {
      let link = members[Int(member)].link
      if isChanged {
        // Others may have decided before, and heard it longer ago.
        presences[slot].presence.silentSince = max(
          presences[slot].presence.silentSince, links[Int(link)].link.lastHeard)
      }
      if presences[slot].lastLink < 0
        || links[Int(link)].link.lastHeard > links[Int(presences[slot].lastLink)].link.lastHeard
      {
        presences[slot].lastLink = link
        presences[slot].lastReceiver = links[Int(link)].link.receiver
      }
      member = members[Int(member)].nextOfPresence
    }
    if isChanged { judgeAnew(index) }
    // The rooms say afterwards where it is.
    if isOfRooms(index) {
      presences[slot].presence.interrupt()
      presences[slot].presence.lostDeadline = Presence.never
    } else if let sightSince, sightSince > saved.silentSince {
      presences[slot].presence.interrupt()
      presences[slot].presence.lostDeadline = Presence.never
      regainSight(index, since: sightSince)
    }
    let zone = Int(saved.zone.rawValue)
    if saved.isInside { insiders[zone][BeaconIndex(rawValue: Int32(beacon))] = index }
    watch(index)
  }

  /// The rules of a presence's zone changed: every dwell starts now, from where the beacon stands now.
  private mutating func judgeAnew(_ index: Int32) {
    let slot = Int(index)
    let zone = Int(presences[slot].presence.zone.rawValue)
    let silentSince = presences[slot].presence.silentSince
    presences[slot].presence.interrupt()
    presences[slot].presence.lostDeadline = Presence.never
    if blindZones[zone] || isOfRooms(index) { return }
    let isHeard = isHeard(index)
    if isHeard, let standing = standing(index, at: now) {
      presences[slot].presence.stand(standing, at: now)
    }
    // This also applies outside the zone: under the new rules the beacon may enter without being heard again.
    if let lost = zones[zone].lost {
      presences[slot].presence.lostDeadline = silentSince + lost
    } else if !isHeard {
      presences[slot].presence.lostDeadline = patienceEnds(index)
    }
  }
}
