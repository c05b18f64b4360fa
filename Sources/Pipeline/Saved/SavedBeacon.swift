import Beacons
import Settings
import Messages
import Proximity

/// What is known of a beacon, in a form that a later run can restore: with names instead of this run's indices.
package struct SavedBeacon: Codable, Sendable {
  /// From `BeaconCatalogue.key(of:)`.
  package var key: String
  /// From `BeaconCatalogue.heardKey(of:)`.
  var heardKey: String?
  /// Its published name; nil if saved by a version that did not keep it.
  var name: String?
  /// When it was saved.
  var time: MonotonicTime
  var wallTime: WallTime
  /// By index in `state`.
  var receivers: [UInt16: String]
  /// What each zone asked for, by index in `state`.
  var zones: [Int32: String]
  var state: BeaconState
  /// Its last readings that are numbers or flags; nil if saved by a version that did not keep them.
  var readings: [SavedReading]?
  /// What it said to have happened; nil: nothing.
  var sender: SavedSender?
  /// Which room it is in; nil: in none, or it was saved before there were rooms.
  var room: SavedRoom?

  /// Whether it can be. Who reads one asks this first: nothing else looks at its numbers.
  package var isSound: Bool {
    state.isSound && room?.state.isSound ?? true
      && readings?.allSatisfy { $0.number?.isFinite ?? true } ?? true
  }
}

/// See `PacketLedger.Sender`.
package struct SavedSender: Codable, Sendable {
  struct Packet: Codable {
    var content: UInt64
    var heard: MonotonicTime
  }

  var packets: [Packet]
  var cleared: UInt8

  init(_ sender: PacketLedger.Sender) {
    packets = sender.packets.map { Packet(content: $0.content, heard: $0.heard) }
    cleared = sender.cleared
  }

  /// On a clock that is ahead by `span`.
  func shifted(by span: TimeSpan) -> PacketLedger.Sender {
    PacketLedger.Sender(
      packets: packets.map { PacketLedger.Packet(content: $0.content, heard: $0.heard + span) },
      cleared: cleared)
  }
}

/// The room of a beacon, with names instead of indices.
package struct SavedRoom: Codable, Sendable {
  var name: String
  /// That heard it last.
  var receiver: String
  var state: RoomState
}

/// A reading that means something by itself, in another run too.
package struct SavedReading: Codable, Sendable {
  /// As `Reading.name`: the number of a quantity may be another in another version.
  var name: String
  var number: Double?
  var flag: Bool?

  /// nil for one that needs the frame that it came in, and for what a button did, which is over.
  init?(_ reading: Reading) {
    name = reading.name
    switch reading.value {
    case .number(let value) where value.isFinite: number = value
    case .flag(let value): flag = value
    default: return nil
    }
  }

  package init(name: String, number: Double? = nil, flag: Bool? = nil) {
    self.name = name
    self.number = number
    self.flag = flag
  }

  /// nil for a quantity that this version does not know.
  package var reading: Reading? {
    guard let kind = ReadingKind(name: name),
      let value = number.map(Reading.Value.number) ?? flag.map(Reading.Value.flag)
    else { return nil }
    return Reading(kind.quantity, ordinal: kind.ordinal, value)
  }
}

extension Pipeline {
  /// A beacon's state after a transition; nil if it is in no zone and no room, all is told of it, and no event is to be expected of
  /// it, so that there is nothing to remember.
  package func saved(_ beacon: BeaconIndex, after transition: TransitionMessage) -> SavedBeacon? {
    saved(beacon, at: transition.time, wallTime: transition.wallTime)
  }

  private func savedRoom(of beacon: BeaconIndex) -> SavedRoom? {
    guard let state = rooms?.state(of: beacon), let room = state.room else { return nil }
    return SavedRoom(name: name(of: room), receiver: receivers.name(of: state.receiver), state: state)
  }

  /// Every beacon of which there is something to remember.
  func savedBeacons(at time: MonotonicTime, wallTime: WallTime) -> [SavedBeacon] {
    savedBeacons(0..<beaconPlaces, at: time, wallTime: wallTime)
  }

  /// The same of some beacons.
  package func savedBeacons(_ beacons: Range<Int32>, at time: MonotonicTime, wallTime: WallTime)
    -> [SavedBeacon]
  {
    beacons.compactMap { saved(BeaconIndex(rawValue: $0), at: time, wallTime: wallTime) }
  }

  private func saved(_ beacon: BeaconIndex, at time: MonotonicTime, wallTime: WallTime) -> SavedBeacon? {
    let room = savedRoom(of: beacon)
    let sender = packets.sender(beacon)
    guard let state = engine.state(of: beacon),
      state.isInside || room != nil || sender != nil || telemetry.hasUntold(of: beacon)
    else { return nil }
    var receivers: [UInt16: String] = [:]
    for receiver in state.receivers { receivers[receiver.rawValue] = self.receivers.name(of: receiver) }
    var zones: [Int32: String] = [:]
    for zone in state.zones { zones[zone.rawValue] = zoneDefinitions[Int(zone.rawValue)] }
    return SavedBeacon(
      key: roster.key(of: beacon), heardKey: roster.heardKey(of: beacon), name: roster.name(of: beacon),
      time: time, wallTime: wallTime, receivers: receivers, zones: zones, state: state,
      readings: telemetry.readings(of: beacon)?.compactMap { SavedReading($0) },
      sender: sender.map { SavedSender($0) }, room: room)
  }

  /// A beacon as it is now; nil: there is nothing to remember.
  package func saved(_ beacon: BeaconIndex) -> SavedBeacon? {
    let last = engine.lastSighting(of: beacon)
    return last.flatMap { saved(beacon, at: $0.time, wallTime: $0.wallTime) }
  }

  /// Numbers of beacons are below this.
  package var beaconPlaces: Int32 { Int32(clamping: roster.count) }

  package func key(of beacon: BeaconIndex) -> String { roster.key(of: beacon) }

  /// An advertisement proves that its receiver works.
  mutating func proveSight(_ receiver: ReceiverIndex, at time: MonotonicTime, into output: inout Output) {
    guard unproven.contains(receiver) else { return }
    setBlind(receiver, false, at: time, into: &output)
  }
}
