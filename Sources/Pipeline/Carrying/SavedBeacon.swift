import Beacons
import Configuration
import Contract
import Core
import Proximity

/// A beacon as saved for the next run. Its octets use the indices of the configuration that saved it.
package struct SavedBeacon: StateElement, Sendable {
  /// From `BeaconCatalogue.key(of:)`.
  package var key = ""
  /// From `BeaconCatalogue.heardKey(of:)`.
  var heardKey: String?
  /// Its published name.
  var name = ""
  /// When it was saved.
  var time = MonotonicTime.zero
  var wallTime = WallTime(nanoseconds: 0)
  var lastSeen: WallTime?
  var lastHeard = MonotonicTime.zero
  var lastReceiver = ""
  /// Receiver names, by the index in `octets`.
  var receivers: [Int32: String] = [:]
  /// The definition of each zone.
  package var zones: [Int32: String] = [:]
  /// The definition of each room.
  var rooms: [Int32: String] = [:]
  /// The zones that the beacon is in.
  var inside: [Int32] = []
  /// The room that the beacon is in, and the last receiver that heard it there; nil: none.
  var room: String?
  var roomReceiver = ""
  var readings: [SavedReading] = []
  /// See `CarriedBeacon`.
  var octets: [UInt8] = []

  package init() {}

  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("key", &key)
    try coder("heard_key", &heardKey)
    try coder("name", &name)
    try coder("time", &time)
    try coder("wall_time", &wallTime)
    try coder("last_seen", &lastSeen)
    try coder("last_heard", &lastHeard)
    try coder("last_receiver", &lastReceiver)
    try coder("receivers", &receivers)
    try coder("zones", &zones)
    try coder("rooms", &rooms)
    try coder("inside", &inside)
    try coder("room", &room)
    try coder("room_receiver", &roomReceiver)
    try coder("readings", &readings)
    try coder("octets", &octets)
  }
}

extension SavedBeacon {
  /// The room that it is in; nil: none.
  var earlierRoom: EarlierRoom? {
    room.map { room in
      rooms.values.lazy.map { EarlierRoom(definition: $0) }.first { $0.name == room }
        ?? EarlierRoom(definition: room)
    }
  }
}

/// How versions read the beacons of other versions.
extension SavedBeacon {
  /// The shape of a beacon that this version saves.
  package static let rowShape = StateShape.part([
    StateShape.Field(name: "saved", shape: StateShape(of: SavedBeacon())),
    StateShape.Field(name: "carried", shape: StateShape(of: CarriedBeacon())),
  ])

  /// A beacon that was saved by another version.
  package init(_ octets: [UInt8], of shape: StateShape) throws(StateError) {
    guard case .part(let earlier) = shape, case .part(let present) = Self.rowShape,
      earlier.map(\.name) == present.map(\.name)
    else { throw .damaged("shape") }
    var coder = StateCoder(body: try earlier[0].shape.rewrite(octets, as: present[0].shape))
    try self.init(reading: &coder)
    try coder.finish()
    self.octets = try earlier[1].shape.rewrite(self.octets, as: present[1].shape)
  }
}

/// A reading that is still meaningful in another run.
package struct SavedReading: StateElement, Sendable {
  /// As `Reading.name`. The number of a quantity may differ between versions.
  var name = ""
  var number: Double?
  var flag: Bool?

  package init() {}

  package init(name: String, number: Double? = nil, flag: Bool? = nil) {
    self.name = name
    self.number = number
    self.flag = flag
  }

  /// nil for a reading that depends on its frame, and for a button event, which is over.
  init?(_ reading: Reading) {
    name = reading.name
    switch reading.value {
    case .number(let value) where value.isFinite: number = value
    case .flag(let value): flag = value
    default: return nil
    }
  }

  /// nil if this version does not know the quantity.
  package var reading: Reading? {
    guard let kind = ReadingKind(name: name),
      let value = number.map(Reading.Value.number) ?? flag.map(Reading.Value.flag)
    else { return nil }
    return Reading(kind.quantity, ordinal: kind.ordinal, value)
  }

  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("name", &name)
    try coder("number", &number)
    try coder("flag", &flag)
  }
}

extension Pipeline {
  /// A beacon's state after a transition; nil if there is nothing to save: it is in no zone and was in no room, everything
  /// is published, and it never reported an event.
  package func saved(_ beacon: BeaconIndex, after transition: TransitionMessage) -> SavedBeacon? {
    saved(beacon, at: transition.time, wallTime: transition.wallTime)
  }

  /// A beacon's current state; nil: nothing to save.
  package func saved(_ beacon: BeaconIndex) -> SavedBeacon? {
    let last = engine.lastSighting(of: beacon)
    return last.flatMap { saved(beacon, at: $0.time, wallTime: $0.wallTime) }
  }

  /// All beacons that have something to save.
  func savedBeacons(at time: MonotonicTime, wallTime: WallTime) -> [SavedBeacon] {
    savedBeacons(0..<beaconPlaces, at: time, wallTime: wallTime)
  }

  /// The same for a range of beacons.
  package func savedBeacons(_ beacons: Range<Int32>, at time: MonotonicTime, wallTime: WallTime)
    -> [SavedBeacon]
  {
    beacons.compactMap { saved(BeaconIndex(rawValue: $0), at: time, wallTime: wallTime) }
  }

  private func saved(_ beacon: BeaconIndex, at time: MonotonicTime, wallTime: WallTime) -> SavedBeacon? {
    guard var carried = carried(beacon) else { return nil }
    if carried.room?.latestRoom == nil { carried.room = nil }
    guard
      carried.state.isInside || carried.room != nil || carried.sender != nil
        || teller.telemetry.hasUntold(of: beacon)
    else { return nil }
    var coder = StateCoder.body
    coder.mentions = StateCoder.Mentions()
    carried.write(to: &coder)
    let last = carried.state.lastSighting
    var saved = SavedBeacon()
    saved.key = roster.key(of: beacon)
    saved.heardKey = roster.heardKey(of: beacon)
    saved.name = roster.name(of: beacon)
    (saved.time, saved.wallTime) = (time, wallTime)
    if let last {
      (saved.lastSeen, saved.lastHeard) = (last.wallTime, last.time)
      saved.lastReceiver = receivers.name(of: last.receiver)
    }
    for index in coder.mentions?[.receiver] ?? [] {
      saved.receivers[index] = receivers.name(of: ReceiverIndex(rawValue: UInt16(index)))
    }
    for index in coder.mentions?[.zone] ?? [] { saved.zones[index] = zoneDefinitions[Int(index)] }
    for index in coder.mentions?[.room] ?? [] {
      saved.rooms[index] = configuration.rooms[Int(index)].definition
    }
    saved.inside = carried.state.occupiedZones.map(\.rawValue)
    if let room = carried.room {
      saved.room = room.room.map { name(of: $0) }
      saved.roomReceiver = receivers.name(of: room.receiver)
    }
    saved.readings = teller.telemetry.readings(of: beacon)?.compactMap { SavedReading($0) } ?? []
    saved.octets = coder.written()
    return saved
  }

  /// All beacon indices are below this.
  package var beaconPlaces: Int32 { Int32(clamping: roster.count) }

  package func key(of beacon: BeaconIndex) -> String { roster.key(of: beacon) }

  /// The part of `receiverGains` to save for a later run, by receiver; nil: nothing was learnt. For calibrated rooms
  /// nothing is saved, because a later run may have another calibration.
  package var keptGains: [String: Double]? {
    guard rooms?.isCalibrated == false else { return nil }
    let gains = receiverGains.map { (receivers.name(of: $0), $1) }
    return gains.isEmpty ? nil : Dictionary(uniqueKeysWithValues: gains)
  }
}

extension ZoneSettings {
  /// The zone's rules as text, identical in every run. A member stays a member if the text is unchanged. Different
  /// numbers always have different texts.
  var definition: String {
    let bytes = JSONWriter.object {
      $0.field("name", name)
      $0.names("receivers", receivers)
      $0.names("beacons", beacons)
      $0.names("rooms", rooms)
      if let near {
        $0.rule("near", near.rule)
        $0.field("rearm", words(near.rearm))
      }
      $0.rule("enter", enter)
      $0.rule("exit", exit)
      switch lost {
      case .auto: $0.field("lost", "auto")
      case .after(let span): $0.field("lost", span.nanoseconds)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ZoneSettings {
  /// Its definition without its name.
  var rules: String { SavedZone.rules(of: definition, called: name) }

  /// The same zone where rooms have other names; nil: the name is unchanged.
  func inRooms(_ other: (String) -> String?) -> Self {
    var zone = self
    zone.rooms = rooms?.map { other($0) ?? $0 }
    return zone
  }
}

extension RoomSettings {
  /// A hash of the room's receivers and outline, without its name; nil: it has neither.
  package var place: String? {
    if receivers.isEmpty, outline.isEmpty { return nil }
    var hash = FNV1a()
    hash.combine((floor ?? "").utf8.span)
    for receiver in receivers { hash.combine(receiver.utf8.span) }
    for corner in outline { hash.combine("\(corner.x) \(corner.y)".utf8.span) }
    return String(UInt64(truncatingIfNeeded: hash.value), radix: 16)
  }

  /// What a later run needs to find the room again.
  var definition: String {
    let octets = JSONWriter.object {
      $0.field("name", name)
      $0.field("place", place)
    }
    return String(decoding: octets, as: UTF8.self)
  }
}

/// A room of an earlier configuration.
struct EarlierRoom {
  var name: String
  /// nil: the room was only a name, or an earlier version did not save its place.
  var place: String?

  init(_ settings: RoomSettings) { (name, place) = (settings.name, settings.place) }

  /// Earlier versions saved the name alone.
  init(definition: String) {
    let tree = try? JSONTree(Array(definition.utf8))
    name = tree?.text("name") ?? definition
    place = tree?.text("place")
  }
}

/// The parts of a saved definition that are still needed.
struct SavedZone {
  var name: String
  var isOfRooms: Bool
  /// The definition without the name.
  var rules: String

  /// nil if the text is not a definition.
  init?(definition: String) {
    let bytes = Array(definition.utf8)
    // A zone may name any number of beacons, so the number of octets is the limit.
    guard let zone = try? JSONTree(bytes, limit: bytes.count), case .text(let name)? = zone["name"] else {
      return nil
    }
    self.name = name
    isOfRooms = zone["rooms"] != nil
    rules = Self.rules(of: definition, called: name)
  }

  static func rules(of definition: String, called name: String) -> String {
    // The name comes first.
    String(
      decoding: definition.utf8.dropFirst(JSONWriter.object { $0.field("name", name) }.count), as: UTF8.self)
  }
}

extension JSONWriter {
  fileprivate mutating func names(_ name: String, _ names: [String]?) {
    guard let names else { return }
    key(named: name)
    array(names) { $0.value($1) }
  }

  fileprivate mutating func rule(_ name: String, _ rule: Rule) {
    key(named: name)
    value(words(rule.threshold))
    key(named: name + "_dwell")
    value(rule.dwell.nanoseconds)
  }
}

private func words(_ threshold: Threshold) -> String {
  switch threshold {
  case .distance(let metres): "\(metres) m"
  case .signal(let level): "\(level) dBm"
  }
}
