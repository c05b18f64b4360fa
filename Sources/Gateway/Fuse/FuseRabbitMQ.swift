import Configuration
import Core
import Fleet

/// A worker's connections to a node of RabbitMQ. One consumes the queues. One publishes: a broker that is short of memory stops
/// reading it, and acknowledgements must not wait behind it. One reads leases and ticks. If one is lost, all are closed.
final class FuseRabbitMQ {
  /// Unacknowledged messages of a partition. They are acknowledged with each checkpoint.
  static let prefetch: UInt16 = 4000
  private static let (queues, others, firstLease): (UInt16, UInt16, UInt16) = (1, 2, 3)
  /// The same for a queue of leases: all pieces of two states.
  private static let prefetchOfLeases: UInt16 = 20_000

  let consumer: RabbitMQConnection
  let publisher: RabbitMQConnection
  let reader: RabbitMQConnection
  let node: String
  private let names: FleetNames
  private let partitions: Int
  private let worker: String
  /// The channel on which we publish.
  private var publishing: UInt16 = 1
  /// When to open a new channel for publishing.
  private var refreshes: [MonotonicTime] = []
  /// Our places in the queues of leases, by partition.
  private(set) var leases: [Int: PartitionLease] = [:]
  /// Partitions for which we got or lost the lease since the last call of `look`.
  var granted: [Int] = []
  var lost: [Int] = []
  private var consumed: Set<Int> = []
  /// When we started to wait there, or last repeated what had not come back.
  private var asked: [Int: MonotonicTime] = [:]
  /// The number of the present wait for each partition. Deliveries of an earlier wait on the same channel, which the library
  /// may still have, carry an earlier tag.
  private var turns: [Int: UInt64] = [:]
  /// When to start to read other workers' ticks; nil: we do.
  private var follows: MonotonicTime?
  /// A tick, with its time of arrival.
  struct Heard {
    var tick: Tick
    var at: MonotonicTime
    /// Whether partitions get the tick, too.
    var tellsTime: Bool
  }

  /// Ticks of all workers since the last call of `look`.
  var heard: [Heard] = []

  /// - Parameter declares: create queues first. While a node is in trouble that takes seconds, even for existing queues, and
  ///   partitions should not wait for it.
  init(_ place: Node, _ names: FleetNames, partitions: Int, worker: String, declares: Bool)
    throws(RabbitMQError)
  {
    node = "\(place.host):\(place.port)"
    self.names = names
    self.partitions = partitions
    self.worker = worker
    consumer = try RabbitMQConnection(place, name: "\(worker) consumes")
    publisher = try RabbitMQConnection(place, name: "\(worker) publishes")
    reader = try RabbitMQConnection(place, name: "\(worker) reads")
    try publisher.open(channel: publishing)
    if declares {
      try declare()
      try follow()
    } else {
      let now = LiveClock.now
      follows = now + .seconds(5)
      // A node that has just lost another one publishes to leaders of queues that are gone, and retries only after 10 s. A new
      // channel uses the new leaders.
      refreshes = [1, 2, 4].map { now + .seconds($0) }
    }
  }

  private func declare() throws(RabbitMQError) {
    try reader.open(channel: Self.queues)
    try reader.declare(exchange: names.time, on: Self.queues)
    try declareQuorum(names.lead)
    try bindToTime(names.lead)
    for partition in 0..<partitions {
      try declareQuorum(names.lease(partition))
      try declareQuorum(names.queue(partition))
      try bindToTime(names.queue(partition))
      for key in names.bindings(partition) {
        try reader.bind(queue: names.queue(partition), to: FleetNames.exchange, key: key, on: Self.queues)
      }
    }
  }

  private func bindToTime(_ queue: String) throws(RabbitMQError) {
    try reader.bind(queue: queue, to: names.time, key: names.tick, on: Self.queues)
    // A binding of earlier versions, through which any client that may publish observations could set the time.
    try reader.unbind(queue: queue, from: FleetNames.exchange, key: names.tick, on: Self.queues)
  }

  private func declareQuorum(_ queue: String) throws(RabbitMQError) {
    do throws(RabbitMQError) {
      try reader.declare(queue: queue, QuorumQueue.arguments, on: Self.queues)
    } catch {
      // A queue without a limit that a user created stays as it is. `doctor --fleet` reports it.
      guard QuorumQueue.isOtherLimit(error) else { throw error }
      try reader.answerClose(of: Self.queues)
      try reader.open(channel: Self.queues)
      try reader.declare(queue: queue, QuorumQueue.withoutLimit, on: Self.queues)
    }
  }

  /// Starts to read every worker's ticks.
  private func follow() throws(RabbitMQError) {
    try reader.open(channel: Self.others)
    follows = nil
    // A node in trouble may still have the queue of an earlier connection.
    let own = "beaconkeeper-fleet.\(worker).\(UInt32.random(in: 0...(.max)))"
    try reader.declareOwn(queue: own, on: Self.others)
    for key in [names.tick, names.alive] {
      try reader.bind(queue: own, to: names.time, key: key, on: Self.others)
    }
    try reader.consume(own, tag: "ticks", prefetch: 1000, on: Self.others)
  }

  // MARK: Reading

  /// Reads leases and ticks that have arrived.
  func look() throws(RabbitMQError) {
    while let event = try reader.next() { try note(event) }
    while let event = try publisher.next() {
      if case .closed(_, let reason) = event {
        throw RabbitMQError("RabbitMQ closes a channel: \(reason)", isRefusal: true)
      }
    }
  }

  private func note(_ event: QueueEvent) throws(RabbitMQError) {
    switch event {
    case .delivery(let delivery) where delivery.channel == Self.others:
      if let tick = Tick(delivery.payload), heard.count < 1000 {
        heard.append(Heard(tick: tick, at: LiveClock.now, tellsTime: delivery.key == names.tick))
      }
      try reader.acknowledge(upTo: delivery.number, on: Self.others)
    case .delivery(let delivery) where delivery.channel >= Self.firstLease:
      let partition = Int(delivery.channel - Self.firstLease)
      guard delivery.consumer == tag(of: partition), var lease = leases.removeValue(forKey: partition) else {
        return
      }
      let isNew = lease.lease == nil
      let done = lease.take(delivery.payload, number: delivery.number, isRepeated: delivery.isRepeated)
      if isNew, lease.lease != nil { granted.append(partition) }
      if lease.standing == .lost, !lost.contains(partition) { lost.append(partition) }
      leases[partition] = lease
      try acknowledge(done, of: partition)
      try send(partition)
    case .closed(_, let reason): throw RabbitMQError("RabbitMQ closes a channel: \(reason)", isRefusal: true)
    case .cancelled(let consumer): throw RabbitMQError("RabbitMQ ends the reading of \(consumer)")
    default: break
    }
  }

  // MARK: Writing

  /// - Parameter tellsTime: whether partitions get the tick, too.
  func tick(_ time: WallTime, system: TimeSpan? = nil, tellsTime: Bool) throws(RabbitMQError) {
    guard !publisher.isBlocked else { return }
    try publisher.publish(
      Tick(worker: worker, time: time, system: system).payload, to: names.time,
      key: tellsTime ? names.tick : names.alive, on: publishing)
  }

  /// Does what is due.
  func tend(at now: MonotonicTime) throws(RabbitMQError) {
    if let time = follows, time <= now { try follow() }
    if let time = refreshes.first, time <= now { try refresh() }
    guard !publisher.isBlocked else { return }
    for (partition, time) in asked where now - time >= .seconds(leases[partition]?.lease == nil ? 5 : 20) {
      asked[partition] = now
      leases[partition]?.repeatLast()
      try send(partition)
    }
  }

  private func refresh() throws(RabbitMQError) {
    refreshes.removeFirst()
    publishing += 1
    try publisher.open(channel: publishing)
    for partition in leases.keys where leases[partition]?.lease == nil {
      leases[partition]?.repeatLast()
      try send(partition)
    }
  }

  /// Writes the entries of a wait or a lease. While RabbitMQ is short of memory or disk, they wait.
  private func send(_ partition: Int) throws(RabbitMQError) {
    guard !publisher.isBlocked, let entries = leases[partition]?.takeOutgoing() else { return }
    for entry in entries {
      try publisher.publish(entry.payload, to: "", key: names.lease(partition), on: publishing)
    }
  }

  // MARK: Partitions

  static func channel(_ partition: Int) -> UInt16 { UInt16(partition + 1) }
  var leadChannel: UInt16 { UInt16(partitions + 1) }

  /// Starts to wait for the lease of a partition.
  func standInLine(for partition: Int) throws(RabbitMQError) {
    turns[partition] = .random(in: 0..<1 << 52)
    leases[partition] = PartitionLease(worker: worker, turn: turns[partition] ?? 0)
    asked[partition] = LiveClock.now
    let channel = Self.firstLease + UInt16(partition)
    try reader.open(channel: channel)
    try reader.consume(
      names.lease(partition), tag: tag(of: partition), prefetch: Self.prefetchOfLeases, on: channel)
    try send(partition)
  }

  /// Starts to read a partition's queue, once we have its lease.
  func consume(_ partition: Int) throws(RabbitMQError) {
    consumed.insert(partition)
    try consumer.open(channel: Self.channel(partition))
    try consumer.consume(
      names.queue(partition), tag: tag(of: partition), prefetch: Self.prefetch, on: Self.channel(partition))
  }

  private func tag(of partition: Int) -> String { "\(partition)-\(turns[partition] ?? 0)" }

  /// Whether a delivery came since we last started to wait for its partition. Earlier ones went back to the queue and belong to
  /// another worker.
  func isOurs(_ delivery: QueueMessage, of partition: Int) -> Bool { delivery.consumer == tag(of: partition) }

  /// Gives up a partition. Unacknowledged messages go back to the queue.
  func leave(_ partition: Int) throws(RabbitMQError) {
    (leases[partition], asked[partition], turns[partition]) = (nil, nil, nil)
    // The unprocessed messages go back first, because the next worker begins with them.
    if consumed.remove(partition) != nil { try consumer.close(channel: Self.channel(partition)) }
    try reader.close(channel: Self.firstLease + UInt16(partition))
  }

  func queueForLead() throws(RabbitMQError) {
    try consumer.open(channel: leadChannel)
    try consumer.consume(names.lead, tag: "lead", prefetch: 100, on: leadChannel)
  }

  /// Requests a proof that we have the lease; returns its number for `isProven`.
  func askForProof(of partition: Int) throws(RabbitMQError) -> UInt64 {
    let mark = leases[partition]?.mark() ?? 0
    try send(partition)
    return mark
  }

  func isProven(_ mark: UInt64, of partition: Int) -> Bool { leases[partition]?.isBack(mark) ?? false }

  /// Writes a partition's checkpoint. The lease says when it is safe.
  func save(_ checkpoint: [UInt8], position: UInt64, of partition: Int) throws(RabbitMQError) {
    leases[partition]?.save(checkpoint, position: position)
    asked[partition] = LiveClock.now
    try send(partition)
  }

  /// The checkpoint to continue from; empty: there is none yet; nil: a part of it is missing.
  func lastCheckpoint(of partition: Int) throws(RabbitMQError) -> [UInt8]? {
    guard let (payload, done) = leases[partition]?.takeState() else { return [] }
    try acknowledge(done, of: partition)
    return payload
  }

  /// Acknowledges everything before the first delivery that is still needed with one call, because a state has many pieces.
  private func acknowledge(_ done: [UInt64], of partition: Int) throws(RabbitMQError) {
    let channel = Self.firstLease + UInt16(partition)
    let done = done.sorted()
    let lowest = done.count > 1 ? leases[partition]?.lowestKept ?? .max : 0
    if let last = done.last(where: { $0 < lowest }) { try reader.acknowledge(upTo: last, on: channel) }
    for number in done where number > lowest || lowest == 0 {
      try reader.acknowledge(number, on: channel)
    }
  }

  func close() {
    consumer.close()
    publisher.close()
    reader.close()
  }
}

/// The arguments of a fleet's queues.
enum QuorumQueue {
  static let withoutLimit = [
    Argument("x-queue-type", .text("quorum")), Argument("x-single-active-consumer", .flag(true)),
  ]

  /// Unsaved messages go back to the queue whenever a worker dies or leaves. Since version 4, RabbitMQ drops a message after 20
  /// returns, unless the queue has another limit. −1 means no limit there, but RabbitMQ 3 then drops what is returned once. So
  /// the limit is a number that is never reached.
  static let arguments = withoutLimit + [Argument("x-delivery-limit", .number(1_000_000_000))]

  /// Whether a queue exists with another limit, or none.
  static func isOtherLimit(_ failure: RabbitMQError) -> Bool {
    failure.isRefusal && failure.description.contains("'x-delivery-limit'")
  }
}

extension Node {
  /// How to reach a configured node.
  init(_ node: FleetSettings.Node, _ fleet: FleetSettings) {
    self.init(host: node.host, port: Int(node.port))
    virtualHost = fleet.virtualHost
    if let username = fleet.username {
      user = username
    } else if node.isTLS, fleet.tls.certFile != nil {
      user = nil
    }
    if let password = fleet.password { self.password = password.revealed }
    if node.isTLS {
      certificates = Certificates(
        authorities: fleet.tls.caFile, certificate: fleet.tls.certFile, key: fleet.tls.keyFile)
    }
  }
}
