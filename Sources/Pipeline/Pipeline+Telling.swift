import Beacons
import Messages
import Proximity
import Settings

/// Converts decisions and states to messages.
extension Pipeline {
  /// When the next message that was held back is due.
  var nextHeldBack: MonotonicTime {
    min(telemetry.nextDeadline ?? .distantFuture, roomPresence.nextDeadline ?? .distantFuture)
  }

  /// Publishes the messages that are due by `time`, each with the state of its due time.
  mutating func tellHeldBack(notAfter time: MonotonicTime, into output: inout Output) {
    while case let due = nextHeldBack, due <= time, due < .distantFuture {
      while let beacon = telemetry.popOverdue(notAfter: due) {
        step(to: due, into: &output)
        guard telemetry.takeUntold(of: beacon) else { continue }
        telemetry.setDue(beacon)
        tell(into: &output)
        telemetry.rest(beacon, from: self.time)
      }
      while let (beacon, receiver) = roomPresence.popOverdue(notAfter: due) {
        step(to: due, into: &output)
        tellRoom(of: beacon, at: receiver, into: &output)
      }
    }
  }

  /// Converts transitions and due states to messages.
  mutating func tell(into output: inout Output) {
    if transitions.isEmpty, !telemetry.hasDue, !engine.hasNews { return }
    changedZones.removeAll(keepingCapacity: true)
    for transition in transitions {
      counts.transitions += 1
      changedZones.append(transition.zone)
      telemetry.setDue(transition.beacon)
      var message = TransitionMessage(
        transition: transition, gateway: configuration.gatewayName,
        zone: name(of: transition.zone), beacon: roster.name(of: transition.beacon),
        receiver: receivers.name(of: transition.evidence.receiver))
      message.room = transition.evidence.room.map { name(of: $0) }
      message.witnesses = transition.evidence.witnesses.map { receivers.name(of: $0.receiver) }
      message.displayName = roster.displayName(of: transition.beacon)
      output.items.append(.transition(message))
      if transition.event == .near, !phones.isEmpty { trigger(transition, message) }
    }
    transitions.removeAll(keepingCapacity: true)
    if engine.hasRearmed { engine.takeRearmed(into: &changedZones) }
    if changedZones.count > 1 { changedZones.sort() }
    var told: ZoneIndex?
    for zone in changedZones where zone != told {
      told = zone
      guard crowds.isToBeTold(Int(zone.rawValue), members: engine.memberCount(of: zone), at: time) else {
        continue
      }
      output.items.append(.state(.occupancy(occupancy(of: zone))))
    }
    if engine.hasSilenced {
      for beacon in engine.takeSilenced() { telemetry.change(beacon, by: time) }
    }
    telemetry.takeDue(into: &dueBeacons)
    for beacon in dueBeacons {
      telemetry.published(beacon, heard: engine.lastSighting(of: beacon)?.time ?? time)
      if let state = state(of: beacon) { output.items.append(.state(.beacon(state))) }
      if let room = roomMessage(of: beacon) { output.items.append(.state(.room(room))) }
      let news = whereabouts.news(
        of: beacon, called: roster.name(of: beacon), in: engine.zones(of: beacon),
        isInRoom: rooms?.room(of: beacon) != nil
      ) { engine.estimate(of: beacon, in: $0)?.distance }
      for whereabouts in news { output.items.append(.state(.whereabouts(whereabouts))) }
    }
  }

  /// Keeps a near trigger for the phones that carry the beacon, or another beacon with the same sender.
  private mutating func trigger(_ transition: Transition, _ message: TransitionMessage) {
    for beacon in [transition.beacon] + roster.companions(of: transition.beacon)
    where phones.carry(beacon) {
      var near = message
      near.transition?.beacon = beacon
      nears.append(near)
    }
  }

  /// Publishes the distance of a beacon to the receiver that heard it.
  func tellRoom(of beacon: BeaconIndex, at receiver: ReceiverIndex, into output: inout Output) {
    guard let prefix = roomPresence.prefix,
      let (receiver, estimate) = engine.estimate(of: beacon, at: receiver)
    else { return }
    output.items.append(
      .room(
        RoomPresenceMessage(
          prefix: prefix, beacon: roster.name(of: beacon),
          displayName: roster.displayName(of: beacon), receiver: receivers.name(of: receiver),
          distance: estimate.distance)))
  }

  /// - Parameter place: the zone or room, as `crowds` numbers them.
  func occupancy(ofPlace place: Int) -> OccupancyMessage {
    let zones = configuration.zones.count
    return place < zones
      ? occupancy(of: ZoneIndex(rawValue: Int32(place)))
      : occupancy(of: RoomIndex(rawValue: Int32(place - zones)))
  }

  func name(of zone: ZoneIndex) -> String { configuration.zones[Int(zone.rawValue)].name }

  func occupancy(of zone: ZoneIndex) -> OccupancyMessage {
    let occupancy = engine.occupancy(of: zone)
    return OccupancyMessage(
      zone: name(of: zone), state: occupancy.state.rawValue,
      members: occupancy.members.map {
        .init(
          beacon: roster.name(of: $0.beacon), displayName: roster.displayName(of: $0.beacon), since: $0.since,
          isNear: $0.isNear)
      })
  }
}
