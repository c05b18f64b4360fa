import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Restores beacons of an earlier run.
extension Pipeline {
  /// Restores beacons of an earlier run. Beacons leave the zones and rooms that no longer include them.
  ///
  /// Receivers count as blind until they report. So no beacon exits or re-enters before its receiver had time to hear it.
  ///
  /// - Parameter isSameBoot: whether the beacons were saved in this boot and so on the same monotonic clock.
  /// - Returns: how many beacons could not be read. They start anew.
  @discardableResult package mutating func restore(
    _ beacons: [SavedBeacon], isSameBoot: Bool, at now: MonotonicTime, wallTime: WallTime,
    into output: inout Output
  ) -> Int {
    var unread = 0
    time = max(time, now)
    history?.begin(
      with: SightingHistory.Beginning(beacons: beacons, isSameBoot: isSameBoot, time: now, wallTime: wallTime)
    )
    let indices = roster.adopt(keys: beacons.map { ($0.key, $0.heardKey) })
    // Before the first beacon is restored, so that deadlines are processed only once all are restored.
    doubtReceivers(
      of: zip(beacons, indices).lazy.filter { $1 != nil && (!$0.inside.isEmpty || $0.room != nil) }.map(\.0))
    let former = formerRooms(beacons)
    let known = Set(beacons.flatMap(\.zones.values)).sorted().compactMap(SavedZone.init)
    var zones = EarlierZones(
      zonesByName, configuration.zones.map(\.rules),
      renamed: renamedZones(
        among: Dictionary(known.map { ($0.name, $0.rules) }, uniquingKeysWith: { $1 })
      ) { former[$0] })
    for (saved, beacon) in zip(beacons, indices) {
      var moment = Restart(
        now: now, wallTime: wallTime, span: saved.span(isSameBoot, now, wallTime), saved: saved,
        isNamesake: beacon.map { roster.name(of: $0) == saved.name } ?? false)
      if moment.isNamesake { moment.room = saved.earlierRoom.flatMap { heir(of: $0) } }
      var heirs = StateCoder.Heirs(clock: moment.span)
      for (index, name) in saved.receivers {
        heirs[.receiver][index] = receivers.index(of: name).map { Int32($0.rawValue) }
      }
      for (index, definition) in saved.rooms where moment.isNamesake {
        heirs[.room][index] = heir(of: EarlierRoom(definition: definition))?.rawValue
      }
      var changed: Set<ZoneIndex> = []
      for (index, definition) in saved.zones {
        guard let zone = zones[definition], let now = zone.index else { continue }
        heirs[.zone][index] = now.rawValue
        if zone.isChanged { changed.insert(now) }
      }
      for index in saved.inside {
        guard let zone = zones[saved.zones[index] ?? ""] else { continue }
        if let reason = departure(from: zone, of: beacon, moment) {
          heirs[.zone][index] = nil
          tellExit(from: zone, of: beacon, because: reason, moment, into: &output)
        } else if let now = zone.index, name(of: now) != zone.name {
          tellMove(
            exit(from: zone, of: beacon, because: .zoneRemoved, moment), to: name(of: now), into: &output)
        }
      }
      tellIfUnknown(moment, into: &output)
      if let room = saved.room {
        if let beacon, let now = moment.room {
          if name(of: now) != room {
            tellMove(
              of: beacon, from: room, to: now, at: wallTime, lastHeardBy: saved.roomReceiver, into: &output)
          }
        } else {
          tellRoomExit(of: beacon, moment, into: &output)
        }
      }
      guard let beacon else {
        output.forgotten.append(saved.key)
        continue
      }
      var reader = StateCoder(body: saved.octets)
      reader.heirs = heirs
      guard let carried = try? CarriedBeacon(reading: &reader) else {
        output.forgotten.append(saved.key)
        unread += 1
        continue
      }
      take(carried, as: beacon, changed, moment)
      // The transitions above save it anew.
      if self.saved(beacon) == nil { output.forgotten.append(saved.key) }
    }
    return unread
  }

  /// A beacon to restore, with both clocks.
  private struct Restart {
    var now: MonotonicTime
    var wallTime: WallTime
    /// How far this monotonic clock is ahead of the saved one.
    var span: TimeSpan
    var saved: SavedBeacon
    /// Whether its name is unchanged.
    var isNamesake: Bool
    /// The room that it is still in, perhaps under another name.
    var room: RoomIndex?
  }

  /// Rooms that were renamed: the former name by the present one.
  private func formerRooms(_ beacons: [SavedBeacon]) -> [String: String] {
    var former: [String: String] = [:]
    for definition in Set(beacons.flatMap(\.rooms.values)).sorted() {
      let earlier = EarlierRoom(definition: definition)
      if let heir = heir(of: earlier) { former[name(of: heir)] = earlier.name }
    }
    return former
  }

  private mutating func take(
    _ carried: CarriedBeacon, as beacon: BeaconIndex, _ changed: Set<ZoneIndex>, _ restart: Restart
  ) {
    var carried = carried
    if !restart.isNamesake { carried.forgetPlaces() }
    if restart.saved.room != nil, restart.room == nil { carried.room?.leave(at: restart.wallTime) }
    take(carried, as: beacon, CarryingMoment(sightSince: restart.now, changed: changed))
    if let twin = carried.twin { roster.restore(twin, of: beacon, at: restart.now) }
    restoreInZones(beacon)
    if let last = carried.state.lastSighting {
      teller.telemetry.adopt(beacon, readings: restart.saved.readings.compactMap(\.reading), heard: last.time)
    }
  }

  /// Adopts the receiver gains of an earlier run. Unknown receivers are ignored.
  package mutating func restore(gains: [String: Double]) {
    let known = receivers.indices.compactMap { receiver in
      gains[receivers.name(of: receiver)].map { (receiver, $0) }
    }
    rooms?.adopt(receiverGains: Dictionary(uniqueKeysWithValues: known))
  }

  /// Makes the receivers that heard the beacons blind until they report.
  private mutating func doubtReceivers(of beacons: some Sequence<SavedBeacon>) {
    for name in Set(beacons.flatMap(\.receivers.values)).sorted() {
      if let receiver = receivers.index(of: name) { sight[receiver] = .unproven }
    }
    showSight(at: time)
  }

  private func departure(
    from zone: EarlierZones.Zone, of beacon: BeaconIndex?, _ restart: Restart
  ) -> Evidence.Reason? {
    let name = zone.index.map { self.name(of: $0) } ?? zone.name
    let reason = departure(from: name, of: beacon, named: restart.saved.name) { own in
      guard zone.isChanged else { return true }
      guard let own else { return !restart.saved.receivers.isEmpty }
      return own.contains { restart.saved.receivers.values.contains(receivers.name(of: $0)) }
    }
    let isRoomGone = restart.saved.room != nil && restart.room == nil
    return reason ?? (zone.isOfRooms && isRoomGone ? .roomRemoved : nil)
  }

  /// Publishes that a beacon left a zone that no longer includes it.
  private mutating func tellExit(
    from zone: EarlierZones.Zone, of beacon: BeaconIndex?, because reason: Evidence.Reason,
    _ restart: Restart,
    into output: inout Output
  ) {
    counts.transitions += 1
    output.items.append(.transition(exit(from: zone, of: beacon, because: reason, restart)))
    if zonesByName[zone.name] == nil {
      output.items.append(
        .state(.occupancy(OccupancyMessage(zone: zone.name, state: "empty", members: []))))
    }
  }

  private mutating func exit(
    from zone: EarlierZones.Zone, of beacon: BeaconIndex?, because reason: Evidence.Reason, _ restart: Restart
  ) -> TransitionMessage {
    let saved = restart.saved
    let silence = saved.lastSeen.map { _ in (restart.now - (saved.lastHeard + restart.span)).seconds }
    let exit = Transition(
      event: .exit, zone: zone.index ?? ZoneIndex(rawValue: -1), beacon: beacon ?? .nobody, time: restart.now,
      wallTime: restart.wallTime, distance: nil, distanceDeviation: nil, rssi: nil,
      evidence: Evidence(
        threshold: 0, value: silence ?? 0, unit: .seconds, samples: 0, dwell: .zero,
        receiver: receivers.index(of: saved.lastReceiver) ?? ReceiverIndex(rawValue: 0), reason: reason))
    return TransitionMessage(
      .zone(exit), gateway: configuration.gatewayName, place: zone.name, beacon: saved.name,
      receiver: saved.lastReceiver)
  }

  /// Publishes that a beacon left its room: the room is no longer configured, or not for this beacon.
  private mutating func tellRoomExit(
    of beacon: BeaconIndex?, _ restart: Restart, into output: inout Output
  ) {
    guard let name = restart.saved.room else { return }
    counts.transitions += 1
    let index = room(named: name)
    let exit = RoomTransition(
      event: .exit, room: index ?? RoomIndex(rawValue: -1), beacon: beacon ?? .nobody, time: restart.now,
      wallTime: restart.wallTime, probability: nil, evidence: [],
      receiver: receivers.index(of: restart.saved.roomReceiver) ?? ReceiverIndex(rawValue: 0),
      reason: index == nil ? .zoneRemoved : .beaconRemoved)
    output.items.append(
      .transition(
        TransitionMessage(
          .room(exit), gateway: configuration.gatewayName, place: name, beacon: restart.saved.name,
          receiver: restart.saved.roomReceiver, witnesses: [])))
    output.items.append(
      .state(
        .room(
          RoomMessage(
            beacon: restart.saved.name, room: nil, since: restart.wallTime, lastRoom: name,
            lastSeen: restart.saved.lastSeen))))
    if index == nil {
      output.items.append(.state(.occupancy(OccupancyMessage(room: name, state: "empty", members: []))))
    }
  }

  /// Corrects the retained states of a name that no beacon has any more.
  private func tellIfUnknown(_ restart: Restart, into output: inout Output) {
    let saved = restart.saved
    guard !restart.isNamesake, let lastSeen = saved.lastSeen else { return }
    let state = BeaconStateMessage(
      beacon: saved.name, zones: [], room: rooms == nil ? nil : .some(nil), estimate: nil, lastSeen: lastSeen,
      receiver: saved.lastReceiver, readings: saved.readings.compactMap(\.reading))
    output.items.append(.state(.beacon(state)))
    for kind in [WhereaboutsMessage.Kind.zone] + (configuration.homeAssistant.hasPlaces ? [.place] : []) {
      output.items.append(.state(.whereabouts(WhereaboutsMessage(beacon: saved.name, kind: kind, name: nil))))
    }
  }
}

extension SavedBeacon {
  /// The offset between this run's monotonic clock and that of the saved beacon. A wall clock that is behind, as on a
  /// board without a battery-backed clock, must not place the beacon in the future.
  fileprivate func span(_ isSameBoot: Bool, _ now: MonotonicTime, _ wallNow: WallTime) -> TimeSpan {
    let span = isSameBoot ? .zero : (now - time) - (wallNow - wallTime)
    return time + span > now ? now - time : span
  }
}

/// The zones of an earlier run, by definition, and their present indices.
struct EarlierZones {
  struct Zone {
    var name: String
    /// nil: it is gone.
    var index: ZoneIndex?
    /// Whether its definition changed.
    var isChanged: Bool
    /// Whether it consisted of rooms.
    var isOfRooms: Bool
  }

  private let indices: [String: ZoneIndex]
  private let rules: [String]
  /// Zones that were renamed: the present name by the former one.
  private let renamed: [String: String]
  /// By definition.
  private var zones: [String: Zone?] = [:]

  init(_ indices: [String: ZoneIndex], _ rules: [String], renamed: [String: String]) {
    self.indices = indices
    self.rules = rules
    self.renamed = renamed
  }

  /// nil if the text is not a definition.
  subscript(definition: String) -> Zone? {
    mutating get {
      if let known = zones[definition] { return known }
      let zone = SavedZone(definition: definition).map { saved in
        let index = indices[renamed[saved.name] ?? saved.name]
        let isChanged = index.map { rules[Int($0.rawValue)] != saved.rules } ?? true
        return Zone(name: saved.name, index: index, isChanged: isChanged, isOfRooms: saved.isOfRooms)
      }
      zones[definition] = .some(zone)
      return zone
    }
  }
}
