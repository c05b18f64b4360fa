import Beacons
import Contract
import Core
import Proximity

/// A numbered message that waits for the broker, with its row.
package struct WaitingMessage: Sendable {
  /// The number of its row, whether the row is on disk or not. Numbers are unique within a run and increase.
  package var row: Int64
  package var content: any NumberedMessage

  package init(row: Int64, _ content: any NumberedMessage) {
    self.row = row
    self.content = content
  }
}

/// A row of table `waiting`.
extension WaitingMessage {
  /// The layout of the body, in its first byte.
  enum Layout: UInt64 {
    case zone = 1
    case room = 2
    case zoneOfRooms = 3
    /// Topic and payload.
    case other = 4
  }

  /// A message from a row that has only topic and payload.
  private struct Octets: NumberedMessage {
    var epoch: UInt64
    var sequence: UInt64
    var gateway: String
    var topic: String
    var payload: [UInt8]

    func message(topics: Topics) -> Message {
      let topic = topics.rooted(topic, of: Topics(gateway: gateway))
      return Message(topic: topic, payload: payload, qos: .atLeastOnce, retained: false)
    }
  }

  func insert(into database: SQLConnection) throws(DatabaseError) {
    try database.execute(
      "INSERT OR REPLACE INTO waiting (id, epoch, seq, body) VALUES (?, ?, ?, ?)", .integer(row),
      .integer(Int64(clamping: content.epoch)), .integer(Int64(clamping: content.sequence)),
      .blob(body))
  }

  private var body: [UInt8] {
    if let body = (content as? TransitionMessage)?.body { return body }
    let message = content.message(topics: Topics(gateway: content.gateway))
    var writer = PackedWriter()
    writer.write(Layout.other.rawValue)
    writer.write(content.gateway)
    writer.write(message.topic)
    writer.write(message.payload)
    return writer.sealed
  }

  /// nil for a row that is damaged or that this version cannot read. A column may hold any type.
  init?(_ row: SQLRow) {
    guard let id = row["id"].int64, let epoch = row["epoch"].int64, let sequence = row["seq"].int64,
      epoch >= 0, sequence >= 0, let body = row["body"].bytes,
      let content = try? Self.content(body, UInt64(clamping: epoch), UInt64(clamping: sequence))
    else { return nil }
    self.init(row: id, content)
  }

  /// A transition from its body.
  static func transition(
    _ body: [UInt8], _ epoch: UInt64, _ sequence: UInt64
  ) throws(PackedReader.Damaged) -> TransitionMessage {
    let content = try content(body, epoch, sequence)
    guard let transition = content as? TransitionMessage else { throw PackedReader.Damaged() }
    return transition
  }

  private static func content(
    _ body: [UInt8], _ epoch: UInt64, _ sequence: UInt64
  ) throws(PackedReader.Damaged) -> any NumberedMessage {
    var reader = try PackedReader(sealed: body)
    guard let layout = Layout(rawValue: try reader.unsigned()) else { throw PackedReader.Damaged() }
    let content: any NumberedMessage
    if layout == .other {
      content = Octets(
        epoch: epoch, sequence: sequence, gateway: try reader.text(), topic: try reader.text(),
        payload: try reader.octets())
    } else {
      content = try TransitionMessage(layout, &reader, epoch: epoch, sequence: sequence)
    }
    guard reader.isAtEnd else { throw PackedReader.Damaged() }
    return content
  }
}

/// A transition as a row of table `waiting`. It needs a third of the octets of the payload, which is computed from it.
extension TransitionMessage {
  private var layout: WaitingMessage.Layout? {
    switch decision {
    case .zone(let transition): transition.evidence.unit == .probability ? .zoneOfRooms : .zone
    case .room: .room
    case .event: nil
    }
  }

  /// nil for a beacon's event.
  var body: [UInt8]? {
    guard let layout else { return nil }
    var writer = PackedWriter()
    writer.write(layout.rawValue)
    writer.write(word)
    writer.write(wallTime.nanoseconds)
    writer.write(time.nanoseconds)
    for name in [gateway, place, beacon, receiver] { writer.write(name) }
    switch decision {
    case .zone(let transition):
      writer.write(transition)
      if layout == .zoneOfRooms {
        writer.write(room != nil)
        if let room { writer.write(room) }
        write(transition.evidence.witnesses, into: &writer)
      }
    case .room(let transition):
      writer.write(transition.probability)
      write(transition.evidence, into: &writer)
    case .event: break
    }
    writer.write(reason?.rawValue ?? "")
    return writer.sealed
  }

  private func write(_ evidence: [RoomEvidence], into writer: inout PackedWriter) {
    writer.write(UInt64(min(witnesses.count, evidence.count)))
    for (name, evidence) in zip(witnesses, evidence) {
      writer.write(name)
      writer.write(evidence.rssi)
      writer.write(evidence.expected)
      writer.write(Int64(evidence.samples))
    }
  }

  /// Zone, beacon and receiver are saved as names only, because indices are valid only within a run.
  init(
    _ layout: WaitingMessage.Layout, _ reader: inout PackedReader, epoch: UInt64, sequence: UInt64
  ) throws(PackedReader.Damaged) {
    let event = try reader.text()
    let wallTime = WallTime(nanoseconds: try reader.signed())
    let time = MonotonicTime(nanoseconds: try reader.signed())
    let (gateway, place) = (try reader.text(), try reader.text())
    let (beacon, receiver) = (try reader.text(), try reader.text())
    switch layout {
    case .other: throw PackedReader.Damaged()
    case .zone, .zoneOfRooms:
      guard let event = Transition.Event(rawValue: event) else { throw PackedReader.Damaged() }
      var transition = try reader.transition(event, time, wallTime)
      var (room, witnesses): (String?, [String]) = (nil, [])
      if layout == .zoneOfRooms {
        room = try reader.flag() ? try reader.text() : nil
        (witnesses, transition.evidence.witnesses) = try reader.witnesses()
      }
      transition.evidence.reason = try reader.reason()
      self.init(
        .zone(transition), epoch: epoch, sequence: sequence, gateway: gateway, place: place,
        beacon: beacon, receiver: receiver, witnesses: witnesses)
      self.room = room
    case .room:
      guard let event = RoomTransition.Event(rawValue: event) else { throw PackedReader.Damaged() }
      let probability = try reader.optionalDouble()
      let (witnesses, evidence) = try reader.witnesses()
      self.init(
        .room(
          RoomTransition(
            event: event, room: RoomIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1), time: time,
            wallTime: wallTime, probability: probability, evidence: evidence,
            receiver: ReceiverIndex(rawValue: 0), reason: try reader.reason())),
        epoch: epoch, sequence: sequence, gateway: gateway, place: place, beacon: beacon, receiver: receiver,
        witnesses: witnesses)
    }
  }
}

extension PackedWriter {
  fileprivate mutating func write(_ transition: Transition) {
    for number in [transition.distance, transition.distanceDeviation, transition.rssi] { write(number) }
    let evidence = transition.evidence
    write(evidence.threshold)
    write(evidence.value)
    write(evidence.unit.rawValue)
    write(Int64(evidence.samples))
    write(evidence.dwell.nanoseconds)
  }

  fileprivate mutating func write(_ number: Double?) {
    write(number != nil)
    if let number { write(number) }
  }
}

extension PackedReader {
  fileprivate mutating func optionalDouble() throws(Damaged) -> Double? { try flag() ? try finite() : nil }

  fileprivate mutating func transition(
    _ event: Transition.Event, _ time: MonotonicTime, _ wallTime: WallTime
  ) throws(Damaged) -> Transition {
    let distance = try optionalDouble()
    let deviation = try optionalDouble()
    let rssi = try optionalDouble()
    let (threshold, value) = (try finite(), try finite())
    guard let unit = Evidence.Unit(rawValue: try text()), let samples = Int(exactly: try signed()) else {
      throw Damaged()
    }
    let dwell = TimeSpan(nanoseconds: try signed())
    return Transition(
      event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1), time: time,
      wallTime: wallTime, distance: distance, distanceDeviation: deviation, rssi: rssi,
      evidence: Evidence(
        threshold: threshold, value: value, unit: unit, samples: samples, dwell: dwell,
        receiver: ReceiverIndex(rawValue: 0)))
  }

  /// More receivers in a room's evidence mean damage.
  private static let witnessLimit: UInt64 = 64

  fileprivate mutating func witnesses() throws(Damaged) -> ([String], [RoomEvidence]) {
    let count = try unsigned()
    guard count <= Self.witnessLimit else { throw Damaged() }
    var names: [String] = []
    var evidence: [RoomEvidence] = []
    for _ in 0..<count {
      names.append(try text())
      evidence.append(try roomEvidence())
    }
    return (names, evidence)
  }

  fileprivate mutating func roomEvidence() throws(Damaged) -> RoomEvidence {
    let rssi = try finite()
    let expected = try optionalDouble()
    guard let samples = Int(exactly: try signed()) else { throw Damaged() }
    return RoomEvidence(
      receiver: ReceiverIndex(rawValue: 0), rssi: rssi, expected: expected, samples: samples)
  }

  /// nil: none was written.
  fileprivate mutating func reason() throws(Damaged) -> Evidence.Reason? {
    let word = try text()
    let reason = Evidence.Reason(rawValue: word)
    guard reason != nil || word.isEmpty else { throw Damaged() }
    return reason
  }
}
