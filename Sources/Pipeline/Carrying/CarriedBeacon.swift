import Beacons
import Configuration
import Contract
import Core
import Proximity

/// A beacon's state as it moves to the pipeline of another configuration or another run. See `StateCoder.Heirs` for
/// the conversion of its indices.
struct CarriedBeacon: StateElement {
  var state = BeaconState()
  /// nil: no receiver of the rooms ever heard it.
  var room: RoomState?
  /// nil: it never reported an event.
  var sender: PacketLedger.Sender?
  var told = Whereabouts.Told()
  /// The model of its kind of device.
  var model = ""
  /// nil: only one device sends its identity.
  var twin: CountingTwin?

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("state", &state)
    try coder("room", &room)
    try coder("sender", &sender)
    try coder("told", &told)
    try coder("model", &model)
    try coder("twin", &twin)
  }

  /// Under another name it counts as another beacon, whose places were never reported.
  mutating func forgetPlaces() {
    room = nil
    told = Whereabouts.Told()
  }
}

/// The time and the zones for which restored beacons need special rules.
struct CarryingMoment {
  /// When reception resumed; nil: it never stopped. Silence before this does not count.
  var sightSince: MonotonicTime?
  var changed: Set<ZoneIndex> = []
  /// Zones that were blind and see again, because they have other receivers.
  var regained: Set<ZoneIndex> = []
}

extension Pipeline {
  /// nil: it was never admitted.
  func carried(_ beacon: BeaconIndex) -> CarriedBeacon? {
    guard let state = engine.state(of: beacon) else { return nil }
    return CarriedBeacon(
      state: state, room: rooms?.state(of: beacon), sender: teller.packets.sender(beacon),
      told: teller.whereabouts.told(of: beacon), model: roster.model(of: beacon),
      twin: roster.twin(of: beacon))
  }

  /// Continues with a beacon's state from another pipeline.
  mutating func take(_ carried: CarriedBeacon, as beacon: BeaconIndex, _ moment: CarryingMoment) {
    if let room = carried.room { rooms?.restore(room, of: beacon, sightSince: moment.sightSince ?? time) }
    engine.admit(beacon, zones: roster.zones(of: beacon), isInventable: roster.isMember(beacon))
    engine.restore(
      carried.state, of: beacon, sightSince: moment.sightSince, changed: moment.changed,
      regained: moment.regained)
    teller.packets.adopt(carried.sender, as: beacon)
    teller.whereabouts.restore(carried.told, of: beacon, isInRoom: rooms?.room(of: beacon) != nil)
    roster.restore(model: carried.model, of: beacon)
    if hasPhones { phones.meet(beacon, names: roster.names(of: beacon)) }
    if roster.isMember(beacon) {
      roster.unheard.insert(beacon, heard: carried.state.lastSighting?.time ?? time)
    }
  }

  var zonesByName: [String: ZoneIndex] {
    Dictionary(
      configuration.zones.enumerated().map { ($1.name, ZoneIndex(rawValue: Int32($0))) },
      uniquingKeysWith: { first, _ in first })
  }

  func room(named name: String) -> RoomIndex? { roomIndices.first { self.name(of: $0) == name } }

  /// The present room for an earlier one: that of the same name, or the only one at the same place, which was renamed.
  func heir(of room: EarlierRoom) -> RoomIndex? {
    if let namesake = self.room(named: room.name) { return namesake }
    guard let place = room.place else { return nil }
    let there = roomIndices.filter { configuration.rooms[Int($0.rawValue)].place == place }
    return there.count == 1 ? there[0] : nil
  }

  /// Zones that were renamed: the new name by the former one. A zone counts as renamed if it is gone, and exactly one new zone has
  /// its rules.
  ///
  /// - Parameters:
  ///   - earlier: the rules of each, by name.
  ///   - former: the former name of a room; nil: it is unchanged.
  func renamedZones(
    among earlier: [String: String], _ former: (String) -> String? = { _ in nil }
  ) -> [String: String] {
    let present = zonesByName
    let gone = Dictionary(grouping: earlier.filter { present[$0.key] == nil }, by: \.value)
    if gone.isEmpty { return [:] }
    let new = Dictionary(
      grouping: configuration.zones.filter { earlier[$0.name] == nil }, by: { $0.inRooms(former).rules })
    var renamed: [String: String] = [:]
    for (rules, zones) in gone where zones.count == 1 && new[rules]?.count == 1 {
      renamed[zones[0].key] = new[rules]?[0].name
    }
    return renamed
  }

  /// Publishes that a beacon left a zone's former name and entered its new name. The exit is in
  /// `scratch.transitions`.
  mutating func tellMove(
    of beacon: BeaconIndex, from zone: String, to now: String, into output: inout Output
  ) {
    for var exit in scratch.transitions {
      (exit.beacon, exit.zone) = (beacon, ZoneIndex(rawValue: -1))
      tellMove(
        TransitionMessage(
          .zone(exit), gateway: configuration.gatewayName, place: zone, beacon: roster.name(of: beacon),
          receiver: receivers.name(of: exit.evidence.receiver)), to: now, into: &output)
    }
    scratch.transitions.removeAll(keepingCapacity: true)
  }

  /// The same for a room.
  mutating func tellMove(
    of beacon: BeaconIndex, from room: String, to now: RoomIndex, at wallTime: WallTime,
    lastHeardBy receiver: String, into output: inout Output
  ) {
    let exit = RoomTransition(
      event: .exit, room: RoomIndex(rawValue: -1), beacon: beacon, time: time, wallTime: wallTime,
      probability: nil, evidence: [],
      receiver: receivers.index(ofKnown: receiver) ?? ReceiverIndex(rawValue: 0), reason: .zoneRemoved)
    tellMove(
      TransitionMessage(
        .room(exit), gateway: configuration.gatewayName, place: room, beacon: roster.name(of: beacon),
        receiver: receiver), to: name(of: now), into: &output)
  }

  /// Publishes an exit from a place that was renamed, and the enter under its new name, with the same reason.
  mutating func tellMove(_ exit: TransitionMessage, to now: String, into output: inout Output) {
    counts.transitions += 2
    var (exit, enter) = (exit, exit)
    exit.displayName = roster.displayName(of: exit.beaconIndex)
    (enter.displayName, enter.place) = (exit.displayName, now)
    let empty: OccupancyMessage
    switch exit.decision {
    case .zone(var transition):
      (transition.event, transition.zone) = (.enter, zonesByName[now] ?? transition.zone)
      enter.decision = .zone(transition)
      empty = OccupancyMessage(zone: exit.place, state: "empty", members: [])
    case .room(var transition):
      (transition.event, transition.room) = (.enter, room(named: now) ?? transition.room)
      enter.decision = .room(transition)
      empty = OccupancyMessage(room: exit.place, state: "empty", members: [])
    case .event: return
    }
    output.items += [.transition(exit), .transition(enter), .state(.occupancy(empty))]
  }

  /// Why a beacon has left a zone of an earlier configuration; nil: it is still in it.
  ///
  /// - Parameters:
  ///   - beacon: its present index; nil: it is not known any more.
  ///   - name: its name when it was in the zone.
  ///   - isHeard: whether any of the given receivers ever heard it; nil: any receiver.
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

extension BeaconState {
  /// Whether any of these receivers ever heard it; nil: any receiver.
  func isHeard(by receivers: Set<ReceiverIndex>?) -> Bool {
    receivers.map { !$0.isDisjoint(with: self.receivers) } ?? !self.receivers.isEmpty
  }
}
