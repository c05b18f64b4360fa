import Beacons
import Core

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
