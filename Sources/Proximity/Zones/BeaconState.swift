import Beacons

/// All that the engine knows of one beacon, in a form to save and restore: for a restart, or when another worker takes
/// over the beacon.
public struct BeaconState: Hashable, Sendable, Codable {
  var links: [Link]
  var presences: [Stay]
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
    guard let index = admitted(beacon) else { return nil }
    return BeaconState(
      links: beacons[index].links, presences: beacons[index].stays, locator: beacons[index].locator,
      wallOffset: beacons[index].wallOffset, lastSighting: lastSighting(of: beacon),
      belief: places?.belief(of: index))
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
    guard let index = admitted(beacon), beacons[index].links.isEmpty else { return }
    beacons[index].wallOffset = state.wallOffset
    if let sighting = state.newestSighting {
      beacons[index].lastHeard = sighting.time
      beacons[index].lastReceiver = sighting.receiver
    }
    if rules.isLocating { beacons[index].locator = state.locator }
    if let belief = state.belief {
      places?.restore(belief, of: index)
    } else if let sightSince {
      places?.begin(index, at: sightSince)
    }
    var ignored: [Transition] = []
    for var link in state.links where keepsLinks {
      if !isKnown(link.receiver) { meet(link.receiver, into: &ignored) }
      if let sightSince { link.silentSince = max(link.silentSince, sightSince) }
      _ = beacons[index].add(link, rules)
    }
    beacons[index].countReceivers(rules)
    for stay in state.presences where beacons[index].zones.contains(stay.zone) {
      restore(
        stay, of: index, sightSince: regained.contains(stay.zone) ? now : sightSince,
        isChanged: changed.contains(stay.zone))
    }
    watch(index)
  }

  private mutating func restore(
    _ saved: Stay, of beacon: Int, sightSince: MonotonicTime?, isChanged: Bool
  ) {
    let place = beacons[beacon].makeStay(in: saved.zone, at: saved.lastReceiver, time: saved.silentSince)
    let zone = Int(saved.zone.rawValue)
    var stay = saved
    // The links may be others now.
    stay.links = beacons[beacon].stays[place].links
    let newest = beacons[beacon].links.indices.lazy.filter { stay.isOf($0) }
      .max { beacons[beacon].links[$0].lastHeard < beacons[beacon].links[$1].lastHeard }
    stay.lastLink = Int8(newest ?? -1)
    if let newest { stay.lastReceiver = beacons[beacon].links[newest].receiver }
    if isChanged, let newest {
      // Others may have decided before, and heard it longer ago.
      stay.silentSince = max(stay.silentSince, beacons[beacon].links[newest].lastHeard)
    }
    if rules.zones[zone].near == nil {
      // A zone without a near rule has nobody near.
      stay.nearSince = Stay.never
      stay.isArmed = true
    }
    beacons[beacon].stays[place] = stay
    if isChanged { judgeAnew(beacon, place) }
    // The rooms say afterwards where it is.
    if isOfRooms(stay) {
      beacons[beacon].stays[place].interrupt()
      beacons[beacon].stays[place].lostDeadline = Stay.never
    } else if let sightSince, sightSince > saved.silentSince {
      beacons[beacon].stays[place].interrupt()
      beacons[beacon].stays[place].lostDeadline = Stay.never
      regainSight(beacon, place, since: sightSince)
    }
    if stay.isInside { insiders[zone].insert(BeaconIndex(rawValue: Int32(beacon))) }
  }

  /// The rules of a zone changed: every dwell starts now, from where the beacon stands now.
  private mutating func judgeAnew(_ beacon: Int, _ place: Int) {
    let stay = beacons[beacon].stays[place]
    let zone = Int(stay.zone.rawValue)
    beacons[beacon].stays[place].interrupt()
    beacons[beacon].stays[place].lostDeadline = Stay.never
    if rules.zones[zone].isBlind || isOfRooms(stay) { return }
    let isHeard = beacons[beacon].isHeard(in: place)
    if isHeard, let standing = standing(of: beacon, place, at: now) {
      beacons[beacon].stays[place].stand(standing, at: now)
    }
    // This also applies outside the zone: under the new rules the beacon may enter without being heard again.
    if let lost = rules.zones[zone].lost {
      beacons[beacon].stays[place].lostDeadline = stay.silentSince + lost
    } else if !isHeard {
      beacons[beacon].stays[place].lostDeadline = beacons[beacon].patienceEnds(in: place)
    }
  }
}
