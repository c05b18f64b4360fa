import Beacons
import Core
import Proximity

/// A transition of a zone or a room, or an event of a beacon, with all names resolved: one JSON object, identical on MQTT and from
/// `replay`. All of them are numbered together, and delivered alike.
package struct TransitionMessage: Sendable {
  /// What was decided. Its indices are those of the run that decided it.
  package enum Decision: Hashable, Sendable {
    case zone(Transition)
    case room(RoomTransition)
    case event(BeaconEvent)
  }

  package var decision: Decision
  /// The pair of epoch and `sequence` numbers it; 0 until it is numbered.
  package var epoch: UInt64
  package var sequence: UInt64
  package var gateway: String
  /// The name of the zone or room; empty for a beacon's event.
  package var place: String
  package var beacon: String
  /// A readable name; it is not in the payload.
  package var displayName: String?
  /// For a zone, the receiver that decided; for a room, the one that heard the beacon last; for an event, the first one that
  /// heard it.
  package var receiver: String
  /// The names of the receivers in a room's evidence, in its order; empty for other zones.
  package var witnesses: [String]
  /// For a zone of rooms: the room in the evidence. nil: there is none.
  package var room: String?

  /// - Parameter witnesses: a name for each entry of a room's evidence; if empty, the evidence is left out.
  package init(
    _ decision: Decision, epoch: UInt64 = 0, sequence: UInt64 = 0, gateway: String, place: String = "",
    beacon: String, receiver: String, witnesses: [String] = []
  ) {
    self.decision = decision
    self.epoch = epoch
    self.sequence = sequence
    self.gateway = gateway
    self.place = place
    self.beacon = beacon
    self.receiver = receiver
    self.witnesses = witnesses
  }

  package func message(topics: Topics) -> Message {
    let topic = kind.map { topics.transition(of: $0, place, event: word) } ?? topics.event(beacon: beacon)
    return Message(topic: topic, payload: json, qos: .atLeastOnce, retained: false)
  }
}

/// What decisions of zones and of rooms, and events, have in common.
extension TransitionMessage {
  /// nil for a beacon's event.
  package var kind: PlaceKind? {
    switch decision {
    case .zone: .zone
    case .room: .room
    case .event: nil
    }
  }

  /// The event of a zone or room; nil for a beacon's event.
  package var event: Transition.Event? {
    switch decision {
    case .zone(let transition): transition.event
    case .room(let transition): transition.event == .enter ? .enter : .exit
    case .event: nil
    }
  }

  /// The name of the event in the payload.
  package var word: String {
    if case .event(let event) = decision { return event.happening.word }
    return event?.rawValue ?? ""
  }

  package var beaconIndex: BeaconIndex {
    switch decision {
    case .zone(let transition): transition.beacon
    case .room(let transition): transition.beacon
    case .event(let event): event.beacon
    }
  }

  /// When it happened, by the monotonic clock.
  package var time: MonotonicTime {
    switch decision {
    case .zone(let transition): transition.time
    case .room(let transition): transition.time
    case .event(let event): event.time
    }
  }

  package var wallTime: WallTime {
    switch decision {
    case .zone(let transition): transition.wallTime
    case .room(let transition): transition.wallTime
    case .event(let event): event.wallTime
    }
  }

  /// The transition, if it is a zone's. Setting it to nil does nothing.
  package var transition: Transition? {
    get { if case .zone(let transition) = decision { transition } else { nil } }
    set { if let newValue { decision = .zone(newValue) } }
  }

  /// The change of the configuration that made a beacon leave.
  package var reason: Evidence.Reason? {
    switch decision {
    case .zone(let transition): transition.evidence.reason
    case .room(let transition): transition.reason
    case .event: nil
    }
  }
}

extension TransitionMessage {
  /// 32 hexadecimal digits that any worker computes alike: 128-bit FNV-1a (RFC 9923) over gateway, zone, beacon, event and
  /// time, each followed by a zero octet, which names cannot contain. For a room, the word `room` comes before its name, so
  /// that a zone of the same name has other ids. A beacon's event has its reading and its packet number instead.
  package var id: String { hexadecimal(hash(time: timeText), octets: 16) }

  private func hash(time: InlineArray<24, UInt8>) -> UInt128 {
    var hash = FNV1a()
    hash.combine(gateway.utf8.span)
    switch decision {
    case .zone: hash.combine(place.utf8.span)
    case .room:
      hash.combine(PlaceKind.room.rawValue.utf8.span)
      hash.combine(place.utf8.span)
    case .event(let event):
      hash.combine("event".utf8.span)
      hash.combine(event.reading.name.utf8.span)
      hash.combine((event.packet.map { String($0) } ?? "").utf8.span)
    }
    hash.combine(beacon.utf8.span)
    hash.combine(word.utf8.span)
    hash.combine(time.span)
    return hash.value
  }

  private var timeText: InlineArray<24, UInt8> { InlineArray { $0.append(wallTime) } }

  /// 2024-01-01: a clock before this has not been set yet.
  package static let trusted = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// The payload, version 1.
  package var json: [UInt8] {
    switch decision {
    case .zone(let transition): json(of: transition)
    case .room(let transition): json(of: transition)
    case .event(let event): json(of: event)
    }
  }

  private func json(of event: BeaconEvent) -> [UInt8] {
    JSONWriter.object {
      writeHead(into: &$0)
      $0.field("reading", event.reading.name)
      if let amount = event.happening.amount {
        $0.field(event.reading.quantity == .dimmer ? "steps" : "count", amount)
      }
      if let packet = event.packet { $0.field("packet", packet) }
      $0.field("receiver", receiver)
    }
  }

  private func json(of transition: Transition) -> [UInt8] {
    if transition.evidence.unit == .probability { return jsonOfRooms(transition) }
    let isPlain =
      gateway.utf8.span.isPlainInJSON && place.utf8.span.isPlainInJSON && beacon.utf8.span.isPlainInJSON
      && receiver.utf8.span.isPlainInJSON
    let names = gateway.utf8.count + place.utf8.count + beacon.utf8.count + receiver.utf8.count
    let octets = Self.roomBesideNames + escapeLimit(isPlain: isPlain) * names
    // Not `[UInt8](capacity:)`, which at present looks up its type at every call.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(octets)
    bytes.append(addingCapacity: octets) { write(transition, into: &$0, namesArePlain: isPlain) }
    return bytes
  }

  private func write(
    _ transition: Transition, into json: inout OutputSpan<UInt8>, namesArePlain isPlain: Bool
  ) {
    // Computed once, for both the hash and the text.
    let time = timeText
    json.append(#"{"v":1,"id":""#)
    json.append(hexadecimal: hash(time: time))
    json.append(#"","epoch":"#)
    json.append(digits: epoch)
    json.append(#","seq":"#)
    json.append(digits: sequence)
    json.append(#","event":""#)
    json.append(contentsOf: transition.event.rawValue.utf8.span)
    json.append(#"","time":""#)
    json.append(contentsOf: time.span)
    json.append(transition.wallTime < Self.trusted ? #"","time_unsure":true"# : #"""#)
    json.append(#","gateway":"#)
    json.append(quoted: gateway.utf8.span, isPlain: isPlain)
    json.append(#","zone":"#)
    json.append(quoted: place.utf8.span, isPlain: isPlain)
    json.append(#","beacon":"#)
    json.append(quoted: beacon.utf8.span, isPlain: isPlain)
    json.append(#","distance_m":"#)
    json.append(transition.distance, decimals: 2)
    json.append(#","distance_sd_m":"#)
    json.append(transition.distanceDeviation, decimals: 2)
    json.append(#","rssi_dbm":"#)
    json.append(transition.rssi, decimals: 1)
    json.append(#","because":{"threshold":"#)
    json.append(transition.evidence.threshold, decimals: 3)
    json.append(#","value":"#)
    json.append(transition.evidence.value, decimals: 3)
    json.append(#","unit":""#)
    json.append(contentsOf: transition.evidence.unit.rawValue.utf8.span)
    json.append(#"","samples":"#)
    json.append(integer: transition.evidence.samples)
    json.append(#","dwell_s":"#)
    json.append(transition.evidence.dwell.seconds, decimals: 3)
    json.append(#","receiver":"#)
    json.append(quoted: receiver.utf8.span, isPlain: isPlain)
    if let reason = transition.evidence.reason {
      json.append(#","reason":""#)
      json.append(contentsOf: reason.rawValue.utf8.span)
      json.append(#"""#)
    }
    json.append("}}")
  }

  /// The largest size of the payload without names: text and quotes of 229 octets; an id, an event, a time and a unit of 64;
  /// a reason of 29; and nine numbers.
  static let roomBesideNames = 229 + 64 + 29 + 9 * decimalTextLimit

  /// For a zone of rooms: the members of every zone, and the receivers' evidence for the room.
  private func jsonOfRooms(_ transition: Transition) -> [UInt8] {
    JSONWriter.object {
      writeHead(into: &$0)
      $0.field("distance_m", transition.distance, decimals: 2)
      $0.field("distance_sd_m", transition.distanceDeviation, decimals: 2)
      $0.field("rssi_dbm", transition.rssi, decimals: 1)
      $0.object("because") {
        let evidence = transition.evidence
        $0.field("threshold", evidence.threshold, decimals: 3)
        $0.field("value", evidence.value, decimals: 3)
        $0.field("unit", evidence.unit.rawValue)
        $0.field("samples", evidence.samples)
        $0.field("dwell_s", evidence.dwell.seconds, decimals: 3)
        $0.field("receiver", receiver)
        if let reason = evidence.reason { $0.field("reason", reason.rawValue) }
        $0.field("room", room)
        write(evidence.witnesses, into: &$0)
      }
    }
  }

  private func json(of transition: RoomTransition) -> [UInt8] {
    JSONWriter.object {
      writeHead(into: &$0)
      $0.object("because") {
        $0.field("probability", transition.probability, decimals: 3)
        write(transition.evidence, into: &$0)
        $0.field("receiver", receiver)
        if let reason = transition.reason { $0.field("reason", reason.word(for: .room)) }
      }
    }
  }

  private func writeHead(into json: inout JSONWriter) {
    json.field("v", 1)
    json.field("id", id)
    json.field("epoch", epoch)
    json.field("seq", sequence)
    json.field("event", word)
    json.field("time", wallTime)
    if wallTime < Self.trusted { json.field("time_unsure", true) }
    json.field("gateway", gateway)
    switch kind {
    case .zone: json.field("zone", place)
    case .room: json.field("room", place)
    case nil: break
    }
    json.field("beacon", beacon)
  }

  /// Each receiver's evidence for a room.
  private func write(_ evidence: [RoomEvidence], into json: inout JSONWriter) {
    json.objects("receivers", zip(witnesses, evidence)) { writer, witness in
      writer.field("receiver", witness.0)
      writer.field("rssi_dbm", witness.1.rssi, decimals: 1)
      writer.field("expected_dbm", witness.1.expected, decimals: 1)
      writer.field("samples", witness.1.samples)
    }
  }
}

extension Evidence.Reason {
  /// The name of the event in payloads.
  func word(for kind: PlaceKind) -> String {
    self == .zoneRemoved && kind == .room ? "room_removed" : rawValue
  }
}
