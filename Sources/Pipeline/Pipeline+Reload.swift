import Beacons
import Settings
import Proximity

/// What happens to zone members when the configuration changes, while the gateway runs or between two runs.
///
/// A zone that keeps its name keeps its members. Those it no longer holds leave with an `exit` that says why.
extension Pipeline {
  /// Lets beacons leave the zones in which the new configuration does not hold them. The messages use the current names, so this
  /// comes before `reconfigured`.
  public mutating func release(
    for new: Configuration, at time: MonotonicTime, into output: inout Output
  ) {
    advance(to: max(time, self.time), into: &output)
    var next = successor(new)
    for (position, heir) in next.roster.adopt(roster).enumerated() {
      let beacon = BeaconIndex(rawValue: Int32(position))
      for zone in engine.zones(of: beacon) {
        let state = engine.state(of: beacon)
        let reason = next.departure(
          from: name(of: zone), of: heir, named: roster.name(of: beacon)
        ) { state?.isHeard(by: $0) ?? false }
        guard let reason else { continue }
        engine.leave(zone, beacon, because: reason, at: self.time, into: &transitions)
      }
      releaseFromRoom(beacon, heir, next)
    }
    tell(into: &output)
    let left = roomTransitions
    roomTransitions.removeAll()
    tell(left, into: &output)
    clearRooms(missingIn: new, into: &output)
  }

  /// The pipeline for another configuration, with everything that still holds: receivers, and what is known of each beacon
  /// that both configurations know. A phone continues if its definition is unchanged. The gateway keeps its name, and what it
  /// broadcasts, until it is restarted.
  public func reconfigured(_ new: Configuration) -> Pipeline {
    var next = successor(new)
    // No beacon is known yet, so this decides nothing.
    var none: [Transition] = []
    next.engine.advance(to: time, into: &none)
    next.engine.adoptPace(of: engine)
    for receiver in receivers.indices where engine.isKnown(receiver) {
      next.engine.setBlind(receiver, blind.contains(receiver), at: time, into: &none)
      next.rooms?.setBlind(receiver, blind.contains(receiver), at: time)
    }
    if let rooms {
      if !rooms.isCalibrated { next.rooms?.adopt(receiverGains: rooms.receiverGains) }
      next.rooms?.adopt(driftOf: rooms)
    }
    next.sightZonesOfRooms()
    next.blind = blind
    next.unproven = unproven
    next.forgotten = forgotten
    next.hasToldRefusal = hasToldRefusal
    next.holds = holds
    next.packets.adopt(packets)
    next.time = time
    next.phones.adopt(phones, at: time)
    let zones = configuration.zones.map { next.zonesByName[$0.name] }
    var changed: Set<ZoneIndex> = []
    var regained: Set<ZoneIndex> = []
    for (old, index) in zones.enumerated() {
      guard let index, configuration.zones[old] != next.configuration.zones[Int(index.rawValue)] else {
        continue
      }
      changed.insert(index)
      if engine.isBlind(ZoneIndex(rawValue: Int32(old))), !next.engine.isBlind(index) {
        regained.insert(index)
      }
    }
    let indices = next.roster.adopt(roster)
    next.history = history?.renumbered(indices)
    for (position, index) in indices.enumerated() {
      let known = BeaconIndex(rawValue: Int32(position))
      guard let index, var state = engine.state(of: known) else { continue }
      next.telemetry.adopt(known, of: telemetry, as: index)
      next.packets.adopt(packets.sender(known), as: index)
      next.engine.admit(
        index, zones: next.roster.zones(of: index), isInventable: next.roster.isMember(index))
      if next.hasPhones { next.phones.meet(index, names: next.roster.names(of: index)) }
      // Under another name it is another beacon.
      let isNamesake = next.roster.name(of: index) == roster.name(of: known)
      state.renumber(
        receivers: { $0 }, zones: { isNamesake ? zones[Int($0.rawValue)] : nil })
      next.engine.restore(state, of: index, changed: changed, regained: regained)
      if isNamesake {
        next.whereabouts.adopt(known, of: whereabouts, as: index, zones)
        next.adoptRoom(of: known, self, as: index)
        next.restoreInZones(index, told: next.engine.hasRoomZones ? roomDecision(of: known) : nil)
      }
      if next.roster.isMember(index) {
        next.unheard.insert(index, heard: state.newestSighting?.time ?? time)
      }
    }
    next.phones.watchSilence(in: next.engine, at: time)
    return next
  }

  private func successor(_ new: Configuration) -> Pipeline {
    var new = new
    new.gatewayName = configuration.gatewayName
    new.wake = configuration.wake
    var next = Pipeline(new, receivers: receivers)
    next.counts = counts
    return next
  }

  var zonesByName: [String: ZoneIndex] {
    Dictionary(
      configuration.zones.enumerated().map { ($1.name, ZoneIndex(rawValue: Int32($0))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Why a beacon that was in a zone under an earlier configuration is not in it under this one; nil: it is.
  ///
  /// - Parameters:
  ///   - beacon: its index here; nil: it is not known any more.
  ///   - name: the one under which it was in the zone.
  ///   - isHeard: whether one of some receivers, or (nil) any at all, ever heard it.
  func departure(
    from zone: String, of beacon: BeaconIndex?, named name: String,
    _ isHeard: (Set<ReceiverIndex>?) -> Bool
  ) -> Evidence.Reason? {
    guard let position = configuration.zones.firstIndex(where: { $0.name == zone }) else {
      return .zoneRemoved
    }
    guard let beacon, roster.name(of: beacon) == name else { return .beaconRemoved }
    let index = ZoneIndex(rawValue: Int32(position))
    guard roster.zones(of: beacon).contains(index) else { return .beaconUnwatched }
    return isHeard(engine.receivers(of: index)) ? nil : .receiversChanged
  }
}
