import Beacons
import Configuration
import Core
import Proximity

/// A beacon's state as it moves to the pipeline of another configuration or another run. See `StateCoder.Heirs` for
/// the conversion of its indices.
struct CarriedBeacon: StateElement {
  var state = BeaconState()
  /// nil: no receiver of the rooms ever heard it.
  var room: RoomState?
  /// nil: it reported no events.
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
