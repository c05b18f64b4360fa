import AMQP
import Beacons
import Fleet
import Machine
import Messages
import Settings

/// A worker's connections to a node of RabbitMQ: one that consumes the queues, one that publishes (a broker short of memory stops
/// reading it, and acknowledgements must not wait behind it), and one that reads streams. If one is lost, all are.
final class FuseBroker {
  /// Unacknowledged messages of a partition. They are acknowledged with each checkpoint.
  static let prefetch: UInt16 = 4000
  private static let patience = TimeSpan.seconds(10)
  private static let (ticks, checkpoints): (UInt16, UInt16) = (1, 2)
  private static let (log, states, others): (UInt16, UInt16, UInt16) = (1, 2, 3)

  let consumer: Connection
  let publisher: Connection
  let reader: Connection
  let node: String
  private let names: FleetNames
  private let partitions: Int
  private let worker: String
  private(set) var leases = LeaseLog()
  private var marks: UInt64 = 0
  private var read: UInt64 = 0
  private var confirmations: UInt64 = 0
  /// How often a stream was read, and how often we stood in line for each partition. What the library still has of an earlier time
  /// on the same channel bears an earlier tag.
  private var readings: UInt64 = 0
  private var turns: [Int: UInt64] = [:]
  /// Ticks of all workers since the last look, with the time at which they came.
  var heard: [(tick: Tick, at: WallTime)] = []

  init(_ place: Node, _ names: FleetNames, partitions: Int, worker: String) throws(Failure) {
    node = "\(place.host):\(place.port)"
    self.names = names
    self.partitions = partitions
    self.worker = worker
    consumer = try Connection(place, name: "\(worker) consumes")
    publisher = try Connection(place, name: "\(worker) publishes")
    reader = try Connection(place, name: "\(worker) reads")
    try publisher.open(channel: Self.ticks)
    try publisher.open(channel: Self.checkpoints)
    try publisher.confirm(on: Self.checkpoints)
    try reader.open(channel: Self.log)
    try declare()
    try follow()
  }

  private func declare() throws(Failure) {
    func stream(_ size: Int64) -> [Argument] {
      [
        Argument("x-queue-type", .text("stream")), Argument("x-max-length-bytes", .number(size)),
        Argument("x-stream-max-segment-size-bytes", .number(size / 4)),
      ]
    }
    try reader.declare(queue: names.leases, stream(8 << 20), on: Self.log)
    try declareQuorum(names.lead)
    try reader.bind(queue: names.lead, to: FleetNames.exchange, key: names.tick, on: Self.log)
    for partition in 0..<partitions {
      try reader.declare(queue: names.checkpoints(partition), stream(128 << 20), on: Self.log)
      try declareQuorum(names.queue(partition))
      for key in names.bindings(partition) {
        try reader.bind(queue: names.queue(partition), to: FleetNames.exchange, key: key, on: Self.log)
      }
    }
  }

  private func declareQuorum(_ queue: String) throws(Failure) {
    do throws(Failure) { try reader.declare(queue: queue, QuorumQueue.arguments, on: Self.log) } catch {
      // One that somebody made without a limit stays as it is. `doctor --fleet` tells of it.
      guard QuorumQueue.isOtherLimit(error) else { throw error }
      try reader.answerClose(of: Self.log)
      try reader.open(channel: Self.log)
      try reader.declare(queue: queue, QuorumQueue.withoutLimit, on: Self.log)
    }
  }

  /// Reads the whole stream of leases, and goes on reading it; and every worker's ticks.
  private func follow() throws(Failure) {
    try reader.consume(
      names.leases, tag: "leases", prefetch: 1000, [Argument("x-stream-offset", .text("first"))], on: Self.log
    )
    try reader.open(channel: Self.others)
    let own = "beaconkeeper-fleet.\(worker)"
    try reader.declareOwn(queue: own, on: Self.others)
    try reader.bind(queue: own, to: FleetNames.exchange, key: names.tick, on: Self.others)
    try reader.consume(own, tag: "ticks", prefetch: 1000, on: Self.others)
    try catchUp()
  }

  // MARK: What comes

  /// Reads what is there of leases, ticks and confirmations; returns the confirmed checkpoints' numbers.
  func look() throws(Failure) -> (confirmed: [(number: UInt64, isMultiple: Bool)], refused: [UInt64]) {
    while let event = try reader.next() { try note(event) }
    var confirmed: [(number: UInt64, isMultiple: Bool)] = []
    var refused: [UInt64] = []
    while let event = try publisher.next() {
      switch event {
      case .confirmed(Self.checkpoints, let number, let isMultiple): confirmed.append((number, isMultiple))
      case .unconfirmed(_, let number): refused.append(number)
      case .closed(_, let reason): throw Failure("RabbitMQ closes a channel: \(reason)", isRefusal: true)
      default: break
      }
    }
    return (confirmed, refused)
  }

  private func note(_ event: QueueEvent) throws(Failure) {
    switch event {
    case .delivery(let delivery) where delivery.channel == Self.log:
      if let mark = leases.take(delivery.payload), mark.worker == worker { read = max(read, mark.number) }
      try reader.acknowledge(upTo: delivery.number, on: Self.log)
    case .delivery(let delivery) where delivery.channel == Self.others:
      if let tick = Tick(delivery.payload), heard.count < 1000 { heard.append((tick, LiveClock.wallNow)) }
      try reader.acknowledge(upTo: delivery.number, on: Self.others)
    case .closed(_, let reason): throw Failure("RabbitMQ closes a channel: \(reason)", isRefusal: true)
    case .cancelled(let consumer): throw Failure("RabbitMQ ends the reading of \(consumer)")
    default: break
    }
  }

  /// Returns once everything is read that was written to the stream of leases before.
  func catchUp() throws(Failure) {
    marks += 1
    let mark = marks
    try publish(LeaseLog.Mark(worker: worker, number: mark).payload, to: names.leases)
    let end = LiveClock.now + Self.patience
    while read < mark {
      guard LiveClock.now < end else { throw Failure("the stream of leases does not answer") }
      if let event = try reader.next(within: .milliseconds(200)) { try note(event) }
    }
  }

  // MARK: What goes

  func tick(_ time: WallTime) throws(Failure) {
    guard !publisher.isBlocked else { return }
    try publisher.publish(
      Tick(worker: worker, time: time).payload, to: FleetNames.exchange, key: names.tick, on: Self.ticks)
  }

  private func publish(_ payload: [UInt8], to queue: String) throws(Failure) {
    if publisher.isBlocked { throw Failure("RabbitMQ takes nothing in: it is short of memory or disk") }
    try publisher.publish(payload, to: "", key: queue, on: Self.ticks)
  }

  /// Publishes a state; returns the number of its confirmation; nil: RabbitMQ takes nothing in for now.
  func save(_ checkpoint: Checkpoint, of partition: Int) throws(Failure) -> UInt64? {
    guard !publisher.isBlocked else { return nil }
    try publisher.publish(
      checkpoint.payload, to: "", key: names.checkpoints(partition), on: Self.checkpoints)
    confirmations += 1
    return confirmations
  }

  // MARK: Partitions

  static func channel(_ partition: Int) -> UInt16 { UInt16(partition + 1) }
  var leadChannel: UInt16 { UInt16(partitions + 1) }

  /// From now on we are in line for a partition.
  func queue(for partition: Int) throws(Failure) {
    let channel = Self.channel(partition)
    turns[partition, default: 0] += 1
    try consumer.open(channel: channel)
    try consumer.consume(
      names.queue(partition), tag: tag(of: partition), prefetch: Self.prefetch, on: channel)
  }

  private func tag(of partition: Int) -> String { "\(partition)-\(turns[partition] ?? 0)" }

  /// Whether a delivery came since we last stood in line for its partition. Others were given back, and are somebody else's.
  func isOurs(_ delivery: QueueMessage, of partition: Int) -> Bool { delivery.consumer == tag(of: partition) }

  func queueForLead() throws(Failure) {
    try consumer.open(channel: leadChannel)
    try consumer.consume(names.lead, tag: "lead", prefetch: 100, on: leadChannel)
  }

  /// Claims a partition whose queue gave us something.
  ///
  /// - Returns: the lease, and the last state; nil: another worker was faster.
  func claim(_ partition: Int) throws(Failure) -> (lease: UInt64, last: Checkpoint?)? {
    var lease: UInt64 = 0
    var last: Checkpoint?
    repeat {
      try catchUp()
      lease = max(leases.claim(of: partition)?.lease ?? 0, last?.lease ?? 0) + 1
      let claim = LeaseLog.Claim(partition: partition, lease: lease, worker: worker)
      try publish(claim.payload, to: names.leases)
      last = try lastCheckpoint(of: partition, lease)
      try catchUp()
      guard leases.claim(of: partition) == claim else { return nil }
      // The stream of leases keeps less than that of states.
    } while last.map { $0.lease >= lease } ?? false
    return (lease, last)
  }

  /// Whether a lease still holds, after everything is read that was written before now.
  func holds(_ lease: UInt64, of partition: Int) throws(Failure) -> Bool {
    try catchUp()
    return leases.claim(of: partition) == LeaseLog.Claim(partition: partition, lease: lease, worker: worker)
  }

  /// Puts a mark at the end of the stream, and reads the last few messages before it. So a stream in which nothing is found is
  /// empty, and not merely slow.
  private func lastCheckpoint(of partition: Int, _ lease: UInt64) throws(Failure) -> Checkpoint? {
    marks += 1
    let mark = Checkpoint(lease: lease, position: marks, worker: worker, state: nil)
    var end: Int64?
    try readStream(partition, from: .text("next")) { () throws(Failure) in
      try publish(mark.payload, to: names.checkpoints(partition))
    } take: { checkpoint, offset in
      if checkpoint == mark { end = offset }
      return checkpoint == mark
    }
    guard let end, end > 0 else { return nil }
    var best: Checkpoint?
    var start = end
    while best == nil, start > 0 {
      // Later marks than states: workers that died while they took over.
      start = max(end - max(4, 16 * (end - start)), 0)
      try readStream(partition, from: .number(start)) { () throws(Failure) in
      } take: { checkpoint, offset in
        if let checkpoint, checkpoint.state != nil, best.map(checkpoint.counts(over:)) ?? true {
          best = checkpoint
        }
        return offset >= end
      }
    }
    return best
  }

  /// - Parameters:
  ///   - begin: called once the reading has begun.
  ///   - take: returns whether that was the last message of interest.
  private func readStream(
    _ partition: Int, from offset: Argument.Value, begin: () throws(Failure) -> Void,
    take: (Checkpoint?, Int64) -> Bool
  ) throws(Failure) {
    readings += 1
    let tag = "states-\(readings)"
    try reader.open(channel: Self.states)
    try reader.consume(
      names.checkpoints(partition), tag: tag, prefetch: 8, [Argument("x-stream-offset", offset)],
      on: Self.states)
    try begin()
    let end = LiveClock.now + Self.patience
    while true {
      guard LiveClock.now < end else {
        throw Failure("the stream \(names.checkpoints(partition)) does not answer")
      }
      guard let event = try reader.next(within: .milliseconds(200)) else { continue }
      guard case .delivery(let delivery) = event, delivery.channel == Self.states else {
        try note(event)
        continue
      }
      guard delivery.consumer == tag else { continue }
      try reader.acknowledge(upTo: delivery.number, on: Self.states)
      if take(Checkpoint(delivery.payload), delivery.offset ?? 0) { break }
    }
    try reader.close(channel: Self.states)
  }

  func close() {
    consumer.close()
    publisher.close()
    reader.close()
  }
}
