import Beacons
import Configuration
import Contract
import Core

/// The latest packets of each beacon that may report an event. Senders repeat packets, several receivers hear them,
/// and remote receivers report late.
struct PacketLedger: Sendable {
  /// The data by which a packet is recognized.
  struct Packet: Hashable, Sendable {
    /// A hash of its events, and of its number if it has one.
    var content: UInt64
    /// When it was heard last.
    var heard: MonotonicTime
  }

  /// How a packet relates to earlier ones.
  enum Novelty {
    case new
    /// A repetition of the latest packet.
    case again
    /// A repetition of an earlier packet. Its readings are out of date.
    case late
  }

  /// How many packets of a beacon are kept.
  fileprivate static let limit = 8
  /// How late an earlier packet may arrive.
  private static let lateness = TimeSpan.seconds(60)

  /// The state of a sender.
  struct Sender: Sendable {
    /// Oldest first.
    var packets: [Packet] = []
    /// Detections that the sender is known to clear, as bits; see `Quantity.detection`.
    var cleared: UInt8 = 0
    /// Enough for a dimmer that is turned for a minute. The limit keeps forged packets from filling the disk.
    var pace = RateLimit(burst: 200, perSecond: 2)
  }

  /// By `BeaconIndex`.
  private var senders: [Sender] = []
  /// For all members of regions together, because anybody can fake members.
  private var crowd = RateLimit(burst: 2000, perSecond: 20)
  /// Events that were dropped, because there were too many.
  private(set) var refused: UInt64 = 0
  private var hasToldRefusal = false

  /// Records a packet, and returns whether it is new.
  ///
  /// - Parameters:
  ///   - isNumbered: whether the content includes a number. Otherwise a later packet may have the same content.
  ///   - patience: after a silence of this length, the same content is a new packet; nil: never.
  mutating func take(
    _ content: UInt64, isNumbered: Bool, of beacon: BeaconIndex, at time: MonotonicTime, patience: TimeSpan?
  ) -> Novelty {
    let index = Int(beacon.rawValue)
    makeRoom(for: beacon)
    let latest = senders[index].packets.count - 1
    let known = senders[index].packets.lastIndex { $0.content == content }
    if let place = known, isNumbered || place == latest {
      let isLatest = place == latest
      let limit = isLatest ? patience : min(patience ?? Self.lateness, Self.lateness)
      let heard = senders[index].packets[place].heard
      if limit.map({ time - heard <= $0 }) ?? true {
        senders[index].packets[place].heard = max(heard, time)
        return isLatest ? .again : .late
      }
      senders[index].packets.remove(at: place)
    }
    if senders[index].packets.count == Self.limit { senders[index].packets.removeFirst() }
    senders[index].packets.append(Packet(content: content, heard: time))
    return .new
  }

  /// Whether an event of a beacon may be published. If not, it is counted.
  mutating func mayTell(of beacon: BeaconIndex, isMember: Bool, at time: MonotonicTime) -> Bool {
    let index = Int(beacon.rawValue)
    if senders[index].pace.take(at: time), !isMember || crowd.take(at: time) { return true }
    refused += 1
    return false
  }

  /// A notice for the user, once.
  mutating func takeNotice() -> String? {
    guard refused > 0, !hasToldRefusal else { return nil }
    hasToldRefusal = true
    return
      "too many events of one beacon, or of all members of regions; somebody may be speaking in their name "
      + "(events_refused in health counts)"
  }

  /// Whether a reading equal to the previous one is no news. If a sensor never reports the end of a shake, each
  /// report is a new shake.
  mutating func lasts(_ reading: Reading, of beacon: BeaconIndex) -> Bool {
    guard case .flag(let flag) = reading.value, let detection = reading.quantity.detection else {
      return true
    }
    if !flag { senders[Int(beacon.rawValue)].cleared |= detection }
    return senders[Int(beacon.rawValue)].cleared & detection != 0
  }

  /// nil: nothing is recorded.
  func sender(_ beacon: BeaconIndex) -> Sender? {
    let index = Int(beacon.rawValue)
    return senders.indices.contains(index) && !senders[index].packets.isEmpty ? senders[index] : nil
  }

  /// Adopts a sender's state. It may come from a file, so it is not trusted.
  mutating func adopt(_ known: Sender?, as beacon: BeaconIndex) {
    guard var known else { return }
    makeRoom(for: beacon)
    known.packets = known.packets.suffix(Self.limit)
    senders[Int(beacon.rawValue)] = known
  }

  /// Adopts the counts of an earlier configuration.
  mutating func adopt(_ earlier: PacketLedger) {
    (crowd, refused, hasToldRefusal) = (earlier.crowd, earlier.refused, earlier.hasToldRefusal)
  }

  /// Forgets a beacon whose index is reused.
  mutating func retire(_ beacon: BeaconIndex) {
    if senders.indices.contains(Int(beacon.rawValue)) { senders[Int(beacon.rawValue)] = Sender() }
  }

  private mutating func makeRoom(for beacon: BeaconIndex) {
    while senders.count <= Int(beacon.rawValue) { senders.append(Sender()) }
  }
}

extension PacketLedger: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("senders", &senders, atMost: coder.bounds.beacons)
    try coder("crowd", &crowd)
    try coder(tally: "refused", &refused)
    try coder("has_told_refusal", &hasToldRefusal)
  }
}

extension PacketLedger.Sender: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("packets", &packets, atMost: PacketLedger.limit)
    try coder("cleared", &cleared)
    try coder("pace", &pace)
  }
}

extension PacketLedger.Packet: StateElement {
  init() { self.init(content: 0, heard: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("content", &content)
    try coder("heard", &heard)
  }
}

extension Quantity {
  /// One bit for each quantity that detects something momentary.
  fileprivate var detection: UInt8? {
    switch self {
    case .motion: 1
    case .sound: 2
    case .tamper: 4
    case .vibration: 8
    default: nil
    }
  }
}

/// Events that beacons report: buttons, dimmers, movements, and changes of binary readings. Each is published once.
extension Pipeline {
  /// Processes the readings that came with a sighting.
  mutating func noteReadings(of sighting: Sighting, into output: inout Output) {
    var from = scratch.readings.startIndex
    while from < scratch.readings.endIndex {
      let beacon = scratch.readings[from].beacon
      let end = scratch.readings[from...].firstIndex { $0.beacon != beacon } ?? scratch.readings.endIndex
      notePacket(from..<end, of: beacon, sighting, into: &output)
      from = end
    }
    scratch.readings.removeAll(keepingCapacity: true)
  }

  /// - Parameter range: the packet's readings, in `readings`.
  private mutating func notePacket(
    _ range: Range<Int>, of beacon: BeaconIndex, _ sighting: Sighting, into output: inout Output
  ) {
    guard scratch.readings[range].contains(where: { $0.reading.tellsHappenings }),
      teller.telemetry.readings(of: beacon) != nil
    else { return teller.telemetry.note(scratch.readings[range]) }
    let packet = PacketContent(scratch.readings[range])
    let novelty = teller.packets.take(
      packet.hash, isNumbered: packet.number != nil, of: beacon, at: sighting.time, patience: packet.patience)
    switch novelty {
    case .late: return
    case .again: teller.telemetry.note(scratch.readings[range])
    case .new:
      for heard in scratch.readings[range] where heard.reading.tellsHappenings {
        let earlier = teller.telemetry.reading(like: heard.reading, of: beacon)
        let lasts = teller.packets.lasts(heard.reading, of: beacon)
        if let happening = heard.reading.happening(after: lasts ? earlier?.value : nil) {
          tell(happening, heard.reading, packet.number, of: beacon, sighting, into: &output)
          if case .flag = heard.reading.value { teller.telemetry.setDue(beacon) }
        } else if earlier == nil {
          // Saved for the next run, which needs the value to detect a change.
          output.noted.append(beacon)
        }
      }
      teller.telemetry.note(scratch.readings[range])
    }
  }

  private mutating func tell(
    _ happening: Happening, _ reading: Reading, _ packet: UInt32?, of beacon: BeaconIndex,
    _ sighting: Sighting, into output: inout Output
  ) {
    guard teller.packets.mayTell(of: beacon, isMember: roster.isMember(beacon), at: sighting.time) else {
      return
    }
    counts.transitions += 1
    var message = TransitionMessage(
      .event(
        BeaconEvent(
          beacon: beacon, time: sighting.time, wallTime: sighting.wallTime, reading: ReadingKind(reading),
          happening: happening, packet: packet)),
      gateway: configuration.gatewayName, beacon: roster.name(of: beacon),
      receiver: receivers.name(of: sighting.receiver))
    message.displayName = roster.displayName(of: beacon)
    output.items.append(.transition(message))
  }
}

/// Distinguishes a packet of a sender from its next packet.
private struct PacketContent {
  /// The packet's number; nil: none.
  private(set) var number: UInt32?
  /// A hash of the number and the events. Some senders use the same number for packets of different content.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private let isTriggerBased: Bool
  private var isCounted = false

  init(_ readings: ArraySlice<HeardReading>) {
    isTriggerBased = readings.first?.isTriggerBased ?? false
    for heard in readings {
      switch (heard.reading.quantity, heard.reading.value) {
      // This number wraps at 256. The counter of an encrypted packet and RuuviTag's measurement number wrap seldom or
      // never.
      case (.packetID, .number(let value)): number = UInt32(exactly: value)
      case (.measurementSequence, .number(let value)):
        number = UInt32(exactly: value)
        isCounted = true
      default: break
      }
    }
    if number == nil, let counter = readings.first?.counter {
      number = counter
      isCounted = true
    }
    combine(number.map { UInt64($0) + 1 } ?? 0)
    for heard in readings where heard.reading.tellsHappenings {
      combine(UInt64(heard.reading.ordinal))
      switch heard.reading.value {
      case .button(let event): combine(0x100 | UInt64(event.rawValue))
      case .command(let event, _): combine(0x200 | UInt64(event.rawValue))
      case .dimmer(.none): combine(0x300)
      case .dimmer(.rotateLeft(let steps)): combine(0x400 | UInt64(steps))
      case .dimmer(.rotateRight(let steps)): combine(0x500 | UInt64(steps))
      case .flag(let flag): combine(0x600 | (flag ? 1 : 0))
      case .number(let number): combine(number.bitPattern)
      case .text, .bytes, .version: break
      }
    }
  }

  /// FNV-1a (RFC 9923), by words: the same in every run.
  private mutating func combine(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }

  /// See `PacketLedger.take`. A trigger-based sender repeats a packet only briefly. Others may repeat it until the
  /// next one.
  var patience: TimeSpan? {
    switch (number, isTriggerBased) {
    case (nil, true): .seconds(1)
    case (nil, false): .seconds(10)
    case (_, true) where !isCounted: .seconds(600)
    case (_, _): nil
    }
  }
}
