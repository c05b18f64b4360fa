import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Zone members when the configuration changes while the gateway runs.
///
/// A zone that keeps its name keeps its members. Members that it no longer includes leave with an `exit` and
/// a reason. If a zone or room is renamed, its members leave the former name and enter the new one at the
/// same moment.
extension Pipeline {
  /// Publishes exits from zones that no longer include a beacon under the new configuration. The messages use the
  /// current names, so call this before `reconfigured`.
  package mutating func release(
    for new: Configuration, at time: MonotonicTime, into output: inout Output
  ) {
    advance(to: max(time, self.time), into: &output)
    var next = successor(new)
    let renamed = next.renamedZones(of: self)
    for (position, heir) in next.roster.adopt(roster).enumerated() {
      let beacon = BeaconIndex(rawValue: Int32(position))
      for zone in engine.zones(of: beacon) {
        let state = engine.state(of: beacon)
        let reason = next.departure(
          from: renamed[name(of: zone)] ?? name(of: zone), of: heir, named: roster.name(of: beacon)
        ) { state?.isHeard(by: $0) ?? false }
        guard let reason else { continue }
        engine.leave(zone, beacon, because: reason, at: self.time, into: &scratch.transitions)
      }
      releaseFromRoom(beacon, heir, next)
    }
    tell(into: &output)
    let left = scratch.roomTransitions
    scratch.roomTransitions.removeAll()
    tell(left, into: &output)
    // Publishes records that wait, because a phone whose definition changes forgets that its record is unpublished and unsaved.
    if !next.configuration.decides(as: configuration) { tellLastRecords(into: &output) }
    for phone in configuration.phones where !new.phones.contains(where: { $0.isJudged(as: phone) }) {
      output.records[phone.name] = .some(nil)
    }
    for room in configuration.rooms where !new.rooms.contains(where: { $0.name == room.name }) {
      output.items.append(.state(.occupancy(OccupancyMessage(room: room.name, state: "empty", members: []))))
    }
  }

  /// Removes a beacon from its room if the new configuration has no such room or no such beacon.
  private mutating func releaseFromRoom(_ beacon: BeaconIndex, _ heir: BeaconIndex?, _ next: Pipeline) {
    guard let room = rooms?.room(of: beacon) else { return }
    let isKnown = heir.map { next.roster.name(of: $0) == roster.name(of: beacon) } ?? false
    if isKnown, next.heir(of: earlier(room)) != nil { return }
    rooms?.leave(
      beacon, because: isKnown ? .zoneRemoved : .beaconRemoved, at: time, into: &scratch.roomTransitions)
  }

  /// The pipeline for another configuration. It keeps everything that is still valid: receivers, and the state of
  /// each beacon that both configurations know. If the decisions cannot differ, the pipeline continues unchanged. A
  /// phone continues if its definition is unchanged. The gateway's name and its broadcasts change only at a restart.
  ///
  /// - Parameter output: gets the transitions from places to their new names.
  package func reconfigured(_ new: Configuration, into output: inout Output) -> Pipeline {
    var next = successor(new)
    if next.configuration.decides(as: configuration) {
      var same = self
      same.configuration = next.configuration
      same.teller.telemetry.tellAll()
      return same
    }
    next.time = time
    next.sight = sight
    next.teller.adopt(teller)
    next.phones.adopt(phones, at: time)
    let indices = next.roster.adopt(roster)
    next.history = history?.renumbered(indices)
    next.showSight(at: time)
    next.engine.adoptPace(of: engine)
    next.adoptRooms(of: self, indices)
    next.showRoomSight()
    let renamed = next.renamedZones(of: self)
    let (heirs, moment) = next.heirs(of: self, renamed)
    // A copy, to compute how its beacons would leave.
    var leaving = engine
    for (position, index) in indices.enumerated() {
      let known = BeaconIndex(rawValue: Int32(position))
      guard let index, let carried = carried(known) else { continue }
      next.teller.telemetry.adopt(known, of: teller.telemetry, as: index)
      // A beacon with another name is another beacon.
      let isNamesake = next.roster.name(of: index) == roster.name(of: known)
      guard var heir = next.read(carried, isNamesake ? heirs : heirs.withoutPlaces) else { continue }
      if !isNamesake { heir.forgetPlaces() }
      next.take(heir, as: index, moment)
      next.engine.restorePlace(of: known, engine, as: index)
      if isNamesake {
        next.restoreInZones(index, told: next.engine.hasRoomZones ? roomDecision(of: known) : nil)
        for zone in renamed.isEmpty ? [] : engine.zones(of: known) {
          guard let now = renamed[name(of: zone)] else { continue }
          leaving.leave(zone, known, because: .zoneRemoved, at: time, into: &next.scratch.transitions)
          next.tellMove(of: index, from: name(of: zone), to: now, into: &output)
        }
        if let room = rooms?.room(of: known), let now = next.rooms?.room(of: index),
          name(of: room) != next.name(of: now)
        {
          let last = engine.lastSighting(of: known)
          next.tellMove(
            of: index, from: name(of: room), to: now,
            at: last.map { $0.wallTime + (time - $0.time) } ?? WallTime(nanoseconds: 0),
            lastHeardBy: receivers.name(of: rooms?.receiver(of: known) ?? ReceiverIndex(rawValue: 0)),
            into: &output)
        }
      }
    }
    next.phones.watchSilence(in: next.engine, at: time)
    return next
  }

  private func successor(_ new: Configuration) -> Pipeline {
    var new = new
    new.gatewayName = configuration.gatewayName
    new.wake = configuration.wake
    var next = Pipeline(new, receivers: receivers, limits: limits)
    next.counts = counts
    return next
  }

  /// Unchanged rooms continue. Changed rooms adopt only what was learnt about their receivers.
  private mutating func adoptRooms(of earlier: Pipeline, _ indices: [BeaconIndex?]) {
    guard let known = earlier.rooms, rooms != nil else { return }
    if configuration.hasRooms(as: earlier.configuration) {
      rooms = known.renumbered(indices)
      return
    }
    if !known.isCalibrated { rooms?.adopt(receiverGains: known.receiverGains) }
    rooms?.adopt(driftOf: known)
  }

  /// Maps the earlier configuration's zones and rooms to this one's. Receivers keep their indices.
  private func heirs(
    of earlier: Pipeline, _ renamed: [String: String]
  ) -> (StateCoder.Heirs, CarryingMoment) {
    var heirs = StateCoder.Heirs()
    var moment = CarryingMoment()
    for receiver in earlier.receivers.indices {
      heirs[.receiver][Int32(receiver.rawValue)] = Int32(receiver.rawValue)
    }
    let zones = zonesByName
    for (old, zone) in earlier.configuration.zones.enumerated() {
      guard let index = zones[renamed[zone.name] ?? zone.name] else { continue }
      heirs[.zone][Int32(old)] = index.rawValue
      guard zone.rules != configuration.zones[Int(index.rawValue)].rules else { continue }
      moment.changed.insert(index)
      if earlier.engine.isBlind(ZoneIndex(rawValue: Int32(old))), !engine.isBlind(index) {
        moment.regained.insert(index)
      }
    }
    for room in earlier.roomIndices {
      heirs[.room][room.rawValue] = heir(of: earlier.earlier(room))?.rawValue
    }
    return (heirs, moment)
  }

  private func earlier(_ room: RoomIndex) -> EarlierRoom {
    EarlierRoom(configuration.rooms[Int(room.rawValue)])
  }

  /// The zones of an earlier pipeline that were renamed: the new name by the former one.
  private func renamedZones(of earlier: Pipeline) -> [String: String] {
    var names: [String: String] = [:]
    for room in earlier.roomIndices {
      if let heir = heir(of: earlier.earlier(room)) { names[earlier.name(of: room)] = name(of: heir) }
    }
    return renamedZones(
      among: Dictionary(
        earlier.configuration.zones.map { ($0.name, $0.inRooms { names[$0] }.rules) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// Converts a beacon to another configuration; nil if its state is not valid there.
  private func read(_ carried: CarriedBeacon, _ heirs: StateCoder.Heirs) -> CarriedBeacon? {
    var writer = StateCoder.body
    carried.write(to: &writer)
    var reader = StateCoder(body: writer.written())
    reader.heirs = heirs
    return try? CarriedBeacon(reading: &reader)
  }
}

extension StateCoder.Heirs {
  /// The same without zones and rooms.
  fileprivate var withoutPlaces: Self {
    var heirs = self
    heirs[.zone] = [:]
    heirs[.room] = [:]
    return heirs
  }
}

extension Configuration {
  /// Whether a pipeline makes the same decisions under both.
  fileprivate func decides(as other: Configuration) -> Bool {
    var same = other
    same.stateDirectory = stateDirectory
    same.broker = broker
    same.radio = radio
    same.metrics = metrics
    same.http = http
    same.publish = publish
    same.calibrationAccount = calibrationAccount
    return self == same
  }

  /// Whether decisions about rooms are the same under both.
  fileprivate func hasRooms(as other: Configuration) -> Bool {
    rooms == other.rooms && floors == other.floors && doors == other.doors && receivers == other.receivers
      && roomCalibration == other.roomCalibration && Pipeline.lateness(self) == Pipeline.lateness(other)
  }
}
