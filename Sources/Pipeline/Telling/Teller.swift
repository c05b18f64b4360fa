import Beacons
import Configuration
import Contract
import Core
import Proximity

/// What was published about beacons and places, and when more is due.
struct Teller: Sendable {
  var telemetry: Telemetry
  var packets = PacketLedger()
  var whereabouts: Whereabouts
  var roomPresence: RoomPresence
  /// Zones first, then rooms.
  var crowds: CrowdPace
  /// Names of retired beacons that Home Assistant may know.
  var forgotten: [String] = []
  private var hasToldRefusal = false
  /// How many beacons had a notice that a transition has to wait, and whether the crowd had one.
  private var holdsTold = 0
  private var hasToldCrowd = false
  /// Buffers for `tell`.
  var changedZones: [ZoneIndex] = []
  var dueBeacons: [BeaconIndex] = []

  /// How many beacons get a notice about a hold. After that, `transitions_held` in health counts them.
  private static let holdLimit = 20
  /// How many names are kept for Home Assistant.
  private static let forgottenLimit = 10_000

  init(_ configuration: Configuration) {
    telemetry = Telemetry(interval: configuration.telemetry.beaconState)
    whereabouts = Whereabouts(configuration)
    roomPresence = RoomPresence(prefix: configuration.homeAssistant.rooms)
    crowds = CrowdPace(
      places: configuration.zones.count + configuration.rooms.count,
      configuration.fleet.map { .site.shared(by: $0.partitions) } ?? .gateway)
  }

  /// Adopts what does not depend on the configuration. Beacons are adopted one by one.
  mutating func adopt(_ earlier: Teller) {
    packets.adopt(earlier.packets)
    forgotten = earlier.forgotten
    hasToldRefusal = earlier.hasToldRefusal
    holdsTold = earlier.holdsTold
    hasToldCrowd = earlier.hasToldCrowd
  }

  /// Forgets a beacon. Its index will be reused.
  mutating func retire(_ beacon: BeaconIndex, called name: String) {
    if telemetry.retire(beacon), forgotten.count < Self.forgottenLimit { forgotten.append(name) }
    packets.retire(beacon)
    whereabouts.retire(beacon)
  }

  /// When the next message that was held back is due.
  var nextHeldBack: MonotonicTime {
    min(telemetry.nextDeadline ?? .distantFuture, roomPresence.nextDeadline ?? .distantFuture)
  }

  /// Notices for the user, each once.
  mutating func takeNotices(refusedMembers: UInt64) -> [String] {
    var notices: [String] = []
    if refusedMembers > 0, !hasToldRefusal {
      hasToldRefusal = true
      notices.append(
        "too many new members of regions; the limit is \(AdmissionLimits.usualBurst) at once, then "
          + "\(AdmissionLimits.usualRate) a second, and \(AdmissionLimits.usualMembers) at a time; "
          + "somebody may be inventing them (members_refused in health counts what they send)")
    }
    if let notice = packets.takeNotice() { notices.append(notice) }
    return notices
  }

  /// The notice that a transition has to wait; nil: there were enough such notices.
  mutating func words(on hold: HeldTransition, of beacon: String, in zone: String) -> String? {
    switch hold.reason {
    case .flickers:
      guard holdsTold < Self.holdLimit else { return nil }
      holdsTold += 1
      return "\(beacon) enters and leaves \(zone) too often: enter and near are now limited to one in "
        + "\(Int(TransitionPace.interval.seconds)) s at most; a longer dwell or a farther exit prevents this, "
        + "or, if its exits say that it was not heard, a longer lost: under exit "
        + "(transitions_held in health counts)"
    case .crowd:
      guard !hasToldCrowd else { return nil }
      hasToldCrowd = true
      return
        "members of regions come and go more than \(AdmissionLimits.usualTransitionRate) times a second: enter and near "
        + "wait for their turn; somebody may be inventing them (transitions_held in health counts)"
    }
  }
}

extension Teller: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("telemetry", &telemetry)
    try coder("packets", &packets)
    try coder("whereabouts", &whereabouts)
    try coder("room_presence", &roomPresence)
    try coder("crowds", &crowds)
    try coder("forgotten", &forgotten)
    try coder("has_told_refusal", &hasToldRefusal)
    try coder("holds_told", &holdsTold, in: 0...Self.holdLimit)
    try coder("has_told_crowd", &hasToldCrowd)
  }
}

/// Converts decisions and states to messages.
extension Pipeline {
  /// Publishes the messages that are due by `time`, each with the state of its due time.
  mutating func tellHeldBack(notAfter time: MonotonicTime, into output: inout Output) {
    while case let due = teller.nextHeldBack, due <= time, due < .distantFuture {
      while let beacon = teller.telemetry.popOverdue(notAfter: due) {
        step(to: due, into: &output)
        guard teller.telemetry.takeUntold(of: beacon) else { continue }
        teller.telemetry.setDue(beacon)
        tell(into: &output)
        teller.telemetry.rest(beacon, from: self.time)
      }
      while let (beacon, receiver) = teller.roomPresence.popOverdue(notAfter: due) {
        step(to: due, into: &output)
        tellRoomPresence(of: beacon, at: receiver, into: &output)
      }
    }
  }

  /// Converts transitions and due states to messages.
  mutating func tell(into output: inout Output) {
    if scratch.transitions.isEmpty, !teller.telemetry.hasDue, !engine.hasNews { return }
    teller.changedZones.removeAll(keepingCapacity: true)
    for transition in scratch.transitions {
      counts.transitions += 1
      teller.changedZones.append(transition.zone)
      teller.telemetry.setDue(transition.beacon)
      var message = TransitionMessage(
        .zone(transition), gateway: configuration.gatewayName,
        place: name(of: transition.zone), beacon: roster.name(of: transition.beacon),
        receiver: receivers.name(of: transition.evidence.receiver))
      message.room = transition.evidence.room.map { name(of: $0) }
      message.witnesses = transition.evidence.witnesses.map { receivers.name(of: $0.receiver) }
      message.displayName = roster.displayName(of: transition.beacon)
      output.items.append(.transition(message))
      if transition.event == .near, !phones.isEmpty { trigger(transition, message) }
    }
    scratch.transitions.removeAll(keepingCapacity: true)
    if engine.hasRearmed { engine.takeRearmed(into: &teller.changedZones) }
    if teller.changedZones.count > 1 { teller.changedZones.sort() }
    var told: ZoneIndex?
    for zone in teller.changedZones where zone != told {
      told = zone
      guard teller.crowds.isToBeTold(Int(zone.rawValue), members: engine.memberCount(of: zone), at: time)
      else {
        continue
      }
      output.items.append(.state(.occupancy(occupancy(of: zone))))
    }
    if engine.hasSilenced {
      for beacon in engine.takeSilenced() { teller.telemetry.change(beacon, by: time) }
    }
    teller.telemetry.takeDue(into: &teller.dueBeacons)
    for beacon in teller.dueBeacons {
      teller.telemetry.published(beacon, heard: engine.lastSighting(of: beacon)?.time ?? time)
      if let state = state(of: beacon) { output.items.append(.state(.beacon(state))) }
      if let room = roomMessage(of: beacon) { output.items.append(.state(.room(room))) }
      let news = teller.whereabouts.news(
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
      phones.nears.append(near)
    }
  }

  /// Publishes the distance of a beacon to the receiver that heard it.
  func tellRoomPresence(of beacon: BeaconIndex, at receiver: ReceiverIndex, into output: inout Output) {
    guard let prefix = teller.roomPresence.prefix,
      let (receiver, estimate) = engine.estimate(of: beacon, at: receiver)
    else { return }
    output.items.append(
      .roomPresence(
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

  /// The occupancies of all zones and rooms.
  package var occupancies: [OccupancyMessage] {
    (0..<(configuration.zones.count + roomIndices.count)).map { occupancy(ofPlace: $0) }
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

extension Pipeline {
  /// Whether `takeNews` or `takeForgotten` may return something.
  package var hasNews: Bool { teller.telemetry.hasNews || roster.hasKindNews || !teller.forgotten.isEmpty }

  /// Beacons, by name, that since the last call were heard for the first time, sent a new kind of reading, or turned
  /// out to be of a more specific kind.
  package mutating func takeNews() -> [(name: String, beacon: HeardBeacon)] {
    teller.telemetry.takeNews(and: roster.takeKindNews()).map { beacon in
      let zones = roster.zones(of: beacon).map { configuration.zones[Int($0.rawValue)].name }
      let readings = teller.telemetry.readings(of: beacon)?.map { ReadingKind($0) } ?? []
      return (
        roster.name(of: beacon),
        HeardBeacon(zones: Set(zones), readings: Set(readings), make: roster.kinds.kind(of: beacon).make)
      )
    }
  }

  /// The members of regions that were reported as new, and when each was heard last. A member in a zone or room counts as heard
  /// now, however seldom it sends.
  package var heardMembers: [(name: String, heard: MonotonicTime)] {
    teller.telemetry.reported.compactMap { beacon in
      guard roster.isMember(beacon), let last = engine.lastSighting(of: beacon) else { return nil }
      let isInside = !engine.zones(of: beacon).isEmpty || rooms?.room(of: beacon) != nil
      return (roster.name(of: beacon), isInside ? max(time, last.time) : last.time)
    }
  }

  /// Reports every beacon as new once more.
  package mutating func tellAgain() { teller.telemetry.tellAll() }

  /// Reports members of regions as new once more, by name.
  package mutating func tellAgain(_ names: Set<String>) {
    for beacon in teller.telemetry.reported where names.contains(roster.name(of: beacon)) {
      teller.telemetry.tell(beacon)
    }
  }
}

/// Facts about a beacon that shape its Home Assistant device.
package struct HeardBeacon: Hashable, Sendable {
  /// The names of the zones that watch it.
  package var zones: Set<String> = []
  package var readings: Set<ReadingKind> = []
  /// nil: its frames do not reveal its kind.
  package var make: DeviceMake?

  package init(zones: Set<String> = [], readings: Set<ReadingKind> = [], make: DeviceMake? = nil) {
    self.zones = zones
    self.readings = readings
    self.make = make
  }
}
