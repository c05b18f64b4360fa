import Beacons
import Settings
import Messages
import Proximity

/// Zone membership at the end of an earlier run.
extension Pipeline {
  /// Restores zone membership. Beacons that this configuration does not hold there leave.
  ///
  /// Nothing is known of the receivers yet, so they count as blind until they report: no beacon exits, or enters again, before
  /// it had time to be heard.
  ///
  /// - Parameter isSameBoot: whether the beacons were saved in this boot, so that the monotonic clock is the same.
  package mutating func restore(
    _ beacons: [SavedBeacon], isSameBoot: Bool, at now: MonotonicTime, wallTime: WallTime,
    into output: inout Output
  ) {
    time = max(time, now)
    let indices = roster.adopt(keys: beacons.map { ($0.key, $0.heardKey) })
    // Before the first beacon is restored: what is due for it is to happen once all are there.
    let inside = zip(beacons, indices).lazy.filter { $1 != nil && ($0.state.isInside || $0.room != nil) }
    doubtReceivers(of: inside.map(\.0), at: now)
    var zones = EarlierZones(zonesByName, zoneDefinitions)
    for (saved, beacon) in zip(beacons, indices) {
      var state = saved.state
      state.shift(by: span(from: saved, isSameBoot, now, wallTime))
      // In terms of the zones of then and the receivers of now.
      state.renumber(
        receivers: { index in saved.receivers[index.rawValue].flatMap { receivers.index(of: $0) } },
        zones: { saved.zones[$0.rawValue] == nil ? nil : $0 })
      release(saved, &state, of: beacon, &zones, at: now, wallTime, into: &output)
      restoreRoom(saved, of: beacon, at: now, wallTime: wallTime, isSameBoot, into: &output)
      guard let beacon else { continue }
      var changed: Set<ZoneIndex> = []
      state.renumber(
        receivers: { $0 },
        zones: { index in
          guard let zone = zones[saved.zones[index.rawValue] ?? ""], let now = zone.index else { return nil }
          if zone.isChanged { changed.insert(now) }
          return now
        })
      engine.admit(beacon, zones: roster.zones(of: beacon), isInventable: roster.isMember(beacon))
      engine.restore(state, of: beacon, sightSince: now, changed: changed)
      restoreInZones(beacon)
      if hasPhones { phones.meet(beacon, names: roster.names(of: beacon)) }
      if let last = state.newestSighting {
        if roster.isMember(beacon) { unheard.insert(beacon, heard: last.time) }
        telemetry.adopt(beacon, readings: saved.readings?.compactMap(\.reading) ?? [], heard: last.time)
        let span = span(from: saved, isSameBoot, now, wallTime)
        packets.adopt(saved.sender?.shifted(by: span), as: beacon)
      }
    }
  }

  /// Receivers that heard the beacons count as blind until they report.
  private mutating func doubtReceivers(of beacons: some Sequence<SavedBeacon>, at now: MonotonicTime) {
    var none: [Transition] = []
    engine.advance(to: time, into: &none)
    for saved in beacons {
      let names =
        saved.state.receivers.compactMap { saved.receivers[$0.rawValue] } + [saved.room?.receiver ?? ""]
      for name in names where !name.isEmpty {
        guard let receiver = receivers.index(of: name), unproven.insert(receiver).inserted else { continue }
        blind.insert(receiver)
        engine.setBlind(receiver, true, at: now, into: &none)
      }
    }
  }

  /// Lets a beacon leave the zones that do not hold it any more.
  private mutating func release(
    _ saved: SavedBeacon, _ state: inout BeaconState, of beacon: BeaconIndex?, _ zones: inout EarlierZones,
    at now: MonotonicTime, _ wallTime: WallTime, into output: inout Output
  ) {
    let name = saved.name ?? beacon.map { roster.name(of: $0) }
    let last = state.newestSighting
    let isRoomGone =
      saved.room.map { room in !configuration.rooms.contains { $0.name == room.name } } ?? false
    for zone in state.occupiedZones {
      guard let earlier = zones[saved.zones[zone.rawValue] ?? ""] else { continue }
      let departure = departure(from: earlier.name, of: beacon, named: name ?? "") { receivers in
        !earlier.isChanged || state.isHeard(by: receivers)
      }
      guard let reason = departure ?? (earlier.isOfRooms && isRoomGone ? .roomRemoved : nil) else { continue }
      state.leave(zone)
      // Its name is not known.
      guard let name else { continue }
      counts.transitions += 1
      let exit = Transition(
        event: .exit, zone: earlier.index ?? ZoneIndex(rawValue: -1), beacon: beacon ?? .nobody, time: now,
        wallTime: wallTime, distance: nil, distanceDeviation: nil, rssi: nil,
        evidence: Evidence(
          threshold: 0, value: last.map { (now - $0.time).seconds } ?? 0, unit: .seconds, samples: 0,
          dwell: .zero, receiver: last?.receiver ?? ReceiverIndex(rawValue: 0), reason: reason))
      output.items.append(
        .transition(
          TransitionMessage(
            transition: exit, gateway: configuration.gatewayName,
            zone: earlier.name, beacon: name, receiver: last.map { receivers.name(of: $0.receiver) } ?? "")))
      if earlier.index == nil {
        output.items.append(
          .state(.occupancy(OccupancyMessage(zone: earlier.name, state: "empty", members: []))))
      }
    }
    let isKnown = beacon.map { roster.name(of: $0) == name } ?? false
    if !isKnown, let name, let last {
      let state = BeaconStateMessage(
        beacon: name, zones: [], room: rooms == nil ? nil : .some(nil), estimate: nil,
        lastSeen: last.wallTime, receiver: receivers.name(of: last.receiver),
        readings: saved.readings?.compactMap(\.reading) ?? [])
      output.items.append(.state(.beacon(state)))
      for kind in [WhereaboutsMessage.Kind.zone] + (configuration.homeAssistant.hasPlaces ? [.place] : []) {
        output.items.append(.state(.whereabouts(WhereaboutsMessage(beacon: name, kind: kind, name: nil))))
      }
    }
    let isInside = !state.occupiedZones.isEmpty || saved.room != nil && !isRoomGone
    if beacon == nil || !isInside && saved.sender == nil {
      output.forgotten.append(saved.key)
    }
  }

  /// The offset between this run's monotonic clock and that of the saved beacon. A wall clock that is behind, as on a board
  /// without a battery-backed clock, must not put the beacon into the future.
  func span(
    from saved: SavedBeacon, _ isSameBoot: Bool, _ now: MonotonicTime, _ wallTime: WallTime
  ) -> TimeSpan {
    let span = isSameBoot ? .zero : (now - saved.time) - (wallTime - saved.wallTime)
    return saved.time + span > now ? now - saved.time : span
  }
}

/// The zones of an earlier run, by what they asked for, and what has become of them.
struct EarlierZones {
  struct Zone {
    var name: String
    /// nil: there is no zone of that name now.
    var index: ZoneIndex?
    /// Whether its definition has changed.
    var isChanged: Bool
    /// Whether it was made of rooms.
    var isOfRooms: Bool
  }

  private let indices: [String: ZoneIndex]
  private let definitions: [String]
  /// By definition.
  private var zones: [String: Zone?] = [:]

  init(_ indices: [String: ZoneIndex], _ definitions: [String]) {
    self.indices = indices
    self.definitions = definitions
  }

  /// nil for anything else.
  subscript(definition: String) -> Zone? {
    mutating get {
      if let known = zones[definition] { return known }
      let zone = SavedZone(definition: definition).map { saved in
        let index = indices[saved.name]
        let isChanged = index.map { definitions[Int($0.rawValue)] != definition } ?? true
        return Zone(name: saved.name, index: index, isChanged: isChanged, isOfRooms: saved.isOfRooms)
      }
      zones[definition] = .some(zone)
      return zone
    }
  }
}

extension Pipeline {
  /// The process did not run from one time to the other. Nothing is known of that time, so nobody left in it, whatever of it is
  /// read afterwards: all receivers were blind, and see again.
  public mutating func pause(from start: MonotonicTime, to end: MonotonicTime, into output: inout Output) {
    advance(to: start, into: &output)
    let seeing = receivers.indices.filter { engine.isKnown($0) && !blind.contains($0) }
    let first = output.items.count
    for receiver in seeing { setBlind(receiver, true, at: start, into: &output) }
    for receiver in seeing { setBlind(receiver, false, at: end, into: &output) }
    // That a zone was unknown is over when it is found out.
    let told = output.items[first...].filter { item in
      if case .state(.occupancy(let occupancy)) = item { occupancy.state != "unknown" } else { true }
    }
    output.items.replaceSubrange(first..., with: told)
  }
}
