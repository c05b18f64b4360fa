import Beacons
import Core

/// Another Beaconkeeper's observations, from its `observations/<partition>`. Unknown members are ignored.
struct ObservationBatch: Equatable {
  struct Heard: Equatable {
    var beacon: Int
    /// Index in `receivers`.
    var receiver: Int
    var rssi: Int8?
    /// In milliseconds, as sent.
    var age: Int64
  }

  /// Most observations in one batch. One of 1 kB has about 60.
  static let limit = 2000
  static let receiverLimit = 64
  private static let keyLimit = 200

  var gateway = ""
  var boot = ""
  var sequence: UInt64 = 0
  /// On the sender's monotonic clock, in milliseconds.
  var sent: Int64 = 0
  /// How long it waited at the sender, in milliseconds; nil: since before the sender's machine booted.
  var held: Int64? = 0
  /// Whether an empty batch follows once its receivers hear nothing more.
  var ends = false
  var receivers: [String] = []
  var beacons: [(key: String, measuredPower: Int8?)] = []
  var heard: [Heard] = []

  static func == (a: Self, b: Self) -> Bool {
    (a.gateway, a.boot, a.sequence) == (b.gateway, b.boot, b.sequence) && (a.sent, a.held) == (b.sent, b.held)
      && a.receivers == b.receivers && a.heard == b.heard && a.beacons.elementsEqual(b.beacons, by: ==)
  }

  init(_ payload: [UInt8]) throws(ScannerRefusal) {
    do throws(JSONCursor.Malformed) {
      var cursor = JSONCursor()
      var version: Int64?
      let bytes = payload.span
      try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
        switch name {
        case "v": version = try Self.whole(bytes, &cursor)
        case "gateway": gateway = try Self.text(bytes, &cursor)
        case "boot": boot = try Self.text(bytes, &cursor)
        case "seq": sequence = UInt64(clamping: try Self.whole(bytes, &cursor))
        case "sent_ms": sent = try Self.whole(bytes, &cursor)
        case "held_ms": held = cursor.takeWord("null", bytes) ? nil : try Self.whole(bytes, &cursor)
        case "ends": ends = cursor.takeWord("true", bytes) ? true : try Self.skipped(bytes, &cursor)
        case "receivers":
          try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
            guard receivers.count < Self.receiverLimit else { throw cursor.malformed("too many receivers") }
            receivers.append(try Self.text(bytes, &cursor))
          }
        case "beacons":
          try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
            try readBeacon(bytes, &cursor)
          }
        default: try cursor.skipValue(bytes)
        }
      }
      guard cursor.peek(bytes) == nil, let version else { throw cursor.malformed("no batch") }
      guard version == 1 else { throw JSONCursor.Malformed(offset: -1, message: "version") }
      guard ScannedValue.isName(gateway), (1...64).contains(boot.utf8.count), sequence > 0, sent >= 0,
        held ?? 0 >= 0, heard.allSatisfy({ receivers.indices.contains($0.receiver) })
      else { throw cursor.malformed("a value is missing or out of range") }
    } catch {
      throw error.offset < 0 ? .version : .malformed
    }
  }

  private mutating func readBeacon(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) {
    var key = ""
    var power: Int8?
    let first = heard.count
    try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
      switch name {
      case "beacon": key = try Self.text(bytes, &cursor)
      case "measured_power": power = try Self.signal(bytes, &cursor)
      case "heard":
        try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
          try readHeard(bytes, &cursor)
        }
      default: try cursor.skipValue(bytes)
      }
    }
    guard (1...Self.keyLimit).contains(key.utf8.count) else { throw cursor.malformed("no key of a beacon") }
    guard heard.count > first else { return }
    beacons.append((key, power))
  }

  /// `[receiver, rssi, age]`.
  private mutating func readHeard(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) {
    guard heard.count < Self.limit else { throw cursor.malformed("too many observations") }
    try cursor.expect("[", bytes, "an observation is an array")
    let receiver = try Self.whole(bytes, &cursor)
    try cursor.expect(",", bytes, "an observation has three values")
    let rssi = try Self.signal(bytes, &cursor)
    try cursor.expect(",", bytes, "an observation has three values")
    let age = try Self.whole(bytes, &cursor)
    try cursor.expect("]", bytes, "an observation has three values")
    heard.append(Heard(beacon: beacons.count, receiver: Int(clamping: receiver), rssi: rssi, age: age))
  }

  // MARK: JSON

  private static func text(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> String {
    let range = try cursor.string(bytes)
    guard range.count <= 6 * keyLimit else { throw cursor.malformed("a text is too long") }
    return try JSONString.decode(range, of: bytes)
  }

  private static func skipped(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> Bool {
    try cursor.skipValue(bytes)
    return false
  }

  private static func whole(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> Int64 {
    _ = cursor.peek(bytes)
    guard let number = try cursor.number(bytes).wholeNumber, number.magnitude < 1 << 53 else {
      throw cursor.malformed("a whole number belongs here")
    }
    return number
  }

  /// dBm from −127 to 20, or null.
  private static func signal(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> Int8? {
    if cursor.takeWord("null", bytes) { return nil }
    let number = try whole(bytes, &cursor)
    guard (-127...20).contains(number) else { throw cursor.malformed("no signal strength") }
    return Int8(number)
  }
}

/// Other Beaconkeepers: batches of observations with the times of their own clocks.
extension ScannerIntake {
  mutating func takeBatch(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    let place = message.scanner
    let batch: ObservationBatch
    do throws(ScannerRefusal) { batch = try ObservationBatch(message.payload) } catch {
      return refuse(error, place, of: fields[.gateway], into: &hearing)
    }
    guard fields[.gateway].map({ $0 == topicLevel(batch.gateway) }) ?? true, batch.gateway != ownGateway,
      gateways[batch.gateway] != nil || hasRoom(at: message.arrival)
    else {
      refusedObservations += UInt64(batch.heard.count)
      return refuse(.gateway, place, of: fields[.gateway], into: &hearing)
    }
    let partition = fields[.partition].flatMap { Int($0) } ?? 0
    do throws(ScannerRefusal) {
      let offset = try gateways[
        batch.gateway, default: RemoteGateway(boot: batch.boot, at: message.arrival)
      ].take(batch, partition: partition, arrival: message.arrival, slack: message.slack)
      try take(batch, offset, message, into: &hearing)
    } catch {
      if error != .repeated { refusedObservations += UInt64(batch.heard.count) }
      refuse(error, place, of: batch.gateway, into: &hearing)
    }
  }

  private mutating func take(
    _ batch: ObservationBatch, _ offset: TimeSpan, _ message: Message, into hearing: inout Hearing
  ) throws(ScannerRefusal) {
    let scanner = scanners[message.scanner]
    var indices: [ReceiverIndex] = []
    for name in batch.receivers {
      let index = try receivers.index(
        of: scanner.name(of: Self.receiver(name, of: batch.gateway)), limit: Self.receiverLimit,
        at: message.arrival, into: &hearing.renamings)
      receivers.heard(
        index, scanner: message.scanner, isNothing: batch.heard.isEmpty, saysEnd: batch.ends,
        at: message.arrival, message.wallTime, into: &hearing.changes)
      indices.append(index)
    }
    let sent = MonotonicTime.zero + .milliseconds(batch.sent) + offset
    for heard in batch.heard {
      let age = TimeSpan.milliseconds(heard.age)
      guard age >= .zero, age + .milliseconds(batch.held ?? 0) <= RemoteGateway.oldest else {
        refusedObservations += 1
        gateways[batch.gateway]?.refuse(.age)
        refuse(.age, message.scanner, of: batch.gateway, into: &hearing)
        continue
      }
      if scanner.servesRooms, batch.held == 0, age > scanner.interval + Scanner.slack {
        tell(of: batch.gateway, age, scanner, into: &hearing)
      }
      // The sender rounds to milliseconds, so the sum may be slightly in the future.
      let time = min(sent - age, message.arrival + message.slack)
      let beacon = batch.beacons[heard.beacon]
      figures[message.scanner].observations += 1
      hearing.observations.append(
        Observation(
          key: beacon.key, receiver: indices[heard.receiver], rssi: heard.rssi,
          measuredPower: beacon.measuredPower, time: time,
          wallTime: message.wallTime - (message.arrival - time)))
    }
  }

  /// Whether there is room for another gateway. If there is none, the one unheard for longest makes room, unless the
  /// configuration names one of its receivers.
  private mutating func hasRoom(at time: MonotonicTime) -> Bool {
    if gateways.count < Self.gatewayLimit { return true }
    guard time >= nextGateway else { return false }
    for (name, gateway) in gateways.sorted(by: { $0.value.heard < $1.value.heard }) {
      guard time - gateway.heard >= RemoteReceivers.evictable else {
        nextGateway = gateway.heard + RemoteReceivers.evictable
        return false
      }
      if receivers.names(anyOf: Self.receiver("", of: name)) { continue }
      gateways[name] = nil
      return true
    }
    return false
  }

  /// Logs that rooms do not wait this long. Otherwise nobody would know why they stay empty.
  private mutating func tell(
    of gateway: String, _ age: TimeSpan, _ scanner: Scanner, into hearing: inout Hearing
  ) {
    guard told.count < Self.noticeLimit, told.insert(["interval", scanner.topic.filter, gateway]).inserted
    else { return }
    let milliseconds = { (span: TimeSpan) in "\(span.nanoseconds / 1_000_000) ms" }
    hearing.notices.append(
      "\(gateway.printable) publishes observations after \(milliseconds(age)), and the interval of \(scanner.topic.filter) is "
        + "\(milliseconds(scanner.interval)): that is too late for rooms; set interval: to that of the gateway's publish"
    )
  }

  /// The local name of another gateway's receiver, without alias or prefix.
  static func receiver(_ name: String, of gateway: String) -> String { "\(gateway)/\(name)" }
}
