import Beacons
import Messages
import Settings

/// Events that beacons report: buttons, dimmers, movements, and changes of binary readings. Each is published once.
extension Pipeline {
  /// Processes the readings that came with a sighting.
  mutating func noteReadings(of sighting: Sighting, into output: inout Output) {
    var from = readings.startIndex
    while from < readings.endIndex {
      let beacon = readings[from].beacon
      let end = readings[from...].firstIndex { $0.beacon != beacon } ?? readings.endIndex
      notePacket(from..<end, of: beacon, sighting, into: &output)
      from = end
    }
    readings.removeAll(keepingCapacity: true)
  }

  /// - Parameter range: the packet's readings, in `readings`.
  private mutating func notePacket(
    _ range: Range<Int>, of beacon: BeaconIndex, _ sighting: Sighting, into output: inout Output
  ) {
    guard readings[range].contains(where: { $0.reading.tellsHappenings }),
      telemetry.readings(of: beacon) != nil
    else { return telemetry.note(readings[range]) }
    let packet = PacketContent(readings[range])
    let novelty = packets.take(
      packet.hash, isNumbered: packet.number != nil, of: beacon, at: sighting.time, patience: packet.patience)
    switch novelty {
    case .late: return
    case .again: telemetry.note(readings[range])
    case .new:
      for heard in readings[range] where heard.reading.tellsHappenings {
        let earlier = telemetry.reading(like: heard.reading, of: beacon)
        let lasts = packets.lasts(heard.reading, of: beacon)
        if let happening = heard.reading.happening(after: lasts ? earlier?.value : nil) {
          tell(happening, heard.reading, packet.number, of: beacon, sighting, into: &output)
          if case .flag = heard.reading.value { telemetry.setDue(beacon) }
        } else if earlier == nil {
          // Saved for the next run, which needs the value to detect a change.
          output.noted.append(beacon)
        }
      }
      telemetry.note(readings[range])
    }
  }

  private mutating func tell(
    _ happening: Happening, _ reading: Reading, _ packet: UInt32?, of beacon: BeaconIndex,
    _ sighting: Sighting, into output: inout Output
  ) {
    guard packets.mayTell(of: beacon, isMember: roster.isMember(beacon), at: sighting.time) else { return }
    counts.transitions += 1
    var message = TransitionMessage(
      event: BeaconEvent(
        beacon: beacon, time: sighting.time, wallTime: sighting.wallTime, reading: ReadingKind(reading),
        happening: happening, packet: packet),
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
