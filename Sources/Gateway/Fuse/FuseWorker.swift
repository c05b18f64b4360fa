import Beacons
import Configuration
import Core
import Fleet
import Glibc
import Logging
import Mosquitto

/// The thread of a worker: takes over partitions, processes their queues, saves their states, gives them up again. No other
/// thread uses its members.
final class FuseWorker {
  /// The limits of messages and of time per turn; then everything else is served.
  private static let turnLimit = 200
  static let turn = TimeSpan.milliseconds(20)

  let configuration: Configuration
  let fleet: FleetSettings
  let broker: RemoteBroker
  let names: FleetNames
  /// The state with which each partition begins.
  let fresh: FleetPartition
  /// The worker's name, which no other has.
  let name: String
  /// A folder for the messages of the queues; nil: they are not written.
  let journal: String?
  /// nil: no metrics are configured.
  let metrics: FuseMetrics?
  let inbox: FuseInbox
  let logger: Logger

  var rabbit: FuseRabbitMQ?
  var holdings: [Int: FuseHolding] = [:]
  /// The last partition whose waiting messages were processed.
  var served = 0
  /// Partitions that we gave up, and when we wait for their leases again.
  var rests: [Int: MonotonicTime] = [:]
  /// Partitions that this worker began anew although there was a checkpoint, with the last time for each.
  var anew: [Int: (time: WallTime, reason: StateError)] = [:]
  /// When the first partition that began anew became ready for correction.
  var untidySince: MonotonicTime?
  var lead: FuseLead
  /// When each worker last published a tick.
  var workers: [String: MonotonicTime] = [:]
  var overfullSince: MonotonicTime?
  var ticks: TickSchedule
  private var balanced = MonotonicTime(nanoseconds: .min)
  var reported = MonotonicTime(nanoseconds: .min)
  var began: MonotonicTime?
  var skewTold: MonotonicTime?
  var clock = FleetClock(at: LiveClock.now, system: LiveClock.wallNow)
  /// When it was last logged that this machine's clock was set.
  var clockTold: MonotonicTime?
  /// Whether most workers have another time.
  var isOutvoted = false
  /// When a tick that was not believed was last logged.
  var refusalTold: MonotonicTime?
  private var failures = 0
  /// Queues may be missing.
  private var declares = true
  /// Nodes that refuse us permanently.
  private var refusals: Set<Int> = []
  /// The node that we are connected to, or try next. All are equal. If one fails, the next is tried, because a failure may
  /// last.
  private var node: Int
  let leftovers: FuseLeftovers
  /// Publishes the worker's health.
  var health: FuseHealth

  init(
    _ configuration: Configuration, _ fleet: FleetSettings, _ broker: RemoteBroker, name: String,
    journal: String?, _ metrics: FuseMetrics?, _ inbox: FuseInbox, _ logger: Logger
  ) throws(InvalidOptions) {
    self.configuration = configuration
    self.fleet = fleet
    self.broker = broker
    self.name = name
    ticks = TickSchedule(worker: name)
    self.journal = journal
    self.metrics = metrics
    self.inbox = inbox
    self.logger = logger
    node = Int.random(in: 0..<fleet.nodes.count)
    names = FleetNames(site: configuration.gatewayName)
    fresh = FleetPartition(configuration, 0, of: fleet.partitions, epoch: 0)
    lead = FuseLead(configuration, fleet, broker)
    leftovers = FuseLeftovers(configuration, partitions: fleet.partitions)
    health = try FuseHealth(configuration, broker, worker: name) { [leftovers] message in
      leftovers.take(
        message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now)
    }
  }

  /// Works until it is stopped. Throws permanent errors.
  func run() throws {
    defer { health.close() }
    if let metrics, let interval = configuration.metrics?.interval {
      try metrics.depths.start(
        fleet, names, worker: name, every: .nanoseconds(interval.nanoseconds)
      ) { [inbox] in inbox.isStopping }
    }
    while !inbox.isStopping {
      do throws(RabbitMQError) {
        try connect()
        while !inbox.isStopping { try work() }
        try leave()
      } catch {
        drop()
        // One node may be configured wrongly, and the others correctly.
        if error.isRefusal { refusals.insert(node) } else { refusals.remove(node) }
        node = (node + 1) % fleet.nodes.count
        declares = declares || error.isRefusal
        if began == nil, refusals.count == fleet.nodes.count { throw error }
        metrics?.take(metricsText(at: LiveClock.now, wallNow, [:]))
        guard !inbox.isStopping else { return }
        logger.warning("RabbitMQ: \(error)")
        failures += 1
        let pause = Duration.milliseconds(min(250 << min(failures, 6), 8000))
        inbox.bell.silence()
        inbox.bell.sleep(for: pause * Double.random(in: 0.5...1))
      }
    }
  }

  private func connect() throws(RabbitMQError) {
    let rabbit = try FuseRabbitMQ(
      Node(fleet.nodes[node], fleet), names, partitions: fleet.partitions, worker: name, declares: declares)
    declares = false
    self.rabbit = rabbit
    try compareClocks(rabbit)
    try rabbit.tick(wallNow, tellsTime: true)
    for partition in 0..<fleet.partitions { try rabbit.standInLine(for: partition) }
    try rabbit.queueForLead()
    failures = 0
    if began == nil { began = LiveClock.now }
    logger.notice(
      "connected to RabbitMQ at \(rabbit.node); waiting to take over any of \(fleet.partitions) partitions")
  }

  /// One turn: processes what has arrived and what is due, then waits for more.
  private func work() throws(RabbitMQError) {
    guard let rabbit else { return }
    for item in inbox.take() { try take(item) }
    try rabbit.look()
    while let partition = rabbit.lost.popLast() { try lose(partition) }
    while let partition = rabbit.granted.popLast() { try takeOver(partition) }
    try hearWorkers(rabbit)
    let isEmpty = try takeTurn(rabbit)
    let isDone = takeWaiting()
    let now = LiveClock.now
    try tick(rabbit, at: now)
    try rabbit.tend(at: now)
    for partition in holdings.keys.sorted() { try tend(partition, at: now) }
    lead.tend(at: now, logger)
    for (partition, time) in rests where time <= now {
      rests[partition] = nil
      try rabbit.standInLine(for: partition)
    }
    if now - balanced >= .seconds(1) {
      balanced = now
      balance(at: now)
      tidy(at: now)
    }
    report(at: now)
    if isEmpty, isDone {
      let rest = ticks.wait(at: now, wallNow, among: workers.keys)
      wait(rabbit, until: min(now + rest, lead.nextDeadline ?? .distantFuture))
    }
  }

  /// Reads from the queues; false if there may be more.
  private func takeTurn(_ rabbit: FuseRabbitMQ) throws(RabbitMQError) -> Bool {
    let end = LiveClock.now + Self.turn
    for _ in 0..<Self.turnLimit {
      guard let event = try rabbit.consumer.next() else { return true }
      try take(event)
      if LiveClock.now >= end { return false }
    }
    return false
  }

  private func wait(_ rabbit: FuseRabbitMQ, until time: MonotonicTime) {
    let rest = max(min((time - LiveClock.now).nanoseconds / 1_000_000 + 1, 250), 0)
    var places = [rabbit.consumer.descriptor, rabbit.publisher.descriptor, rabbit.reader.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    places.append(pollfd(fd: inbox.bell.reading, events: Int16(POLLIN), revents: 0))
    if poll(&places, nfds_t(places.count), Int32(rest)) > 0, places[3].revents != 0 { inbox.bell.silence() }
  }

  /// A worker that has had more than its share for some seconds gives up the rest, so that a new worker gets some.
  private func balance(at now: MonotonicTime) {
    let count = max(workers.count, 1)
    let share = (fleet.partitions + count - 1) / count
    guard holdings.count > share else {
      overfullSince = nil
      return
    }
    let since = overfullSince ?? now
    overfullSince = since
    // A worker that died is noticed after some time.
    guard now - since >= .seconds(5) else { return }
    overfullSince = nil
    for partition in holdings.keys.sorted().suffix(holdings.count - share) {
      holdings[partition]?.isLeaving = true
    }
  }

  // MARK: The end

  /// Saves all states, so that the next worker has nothing to repeat.
  private func leave() throws(RabbitMQError) {
    guard let rabbit else { return }
    for partition in holdings.keys { holdings[partition]?.isLeaving = true }
    let end = LiveClock.now + .seconds(5)
    while !holdings.isEmpty, LiveClock.now < end {
      for item in inbox.take() { try take(item) }
      try rabbit.look()
      // Messages that come now are for other workers.
      while case .some = try rabbit.consumer.next() {}
      for partition in holdings.keys.sorted() { try tend(partition, at: LiveClock.now) }
      wait(rabbit, until: LiveClock.now + .milliseconds(50))
    }
    rests.removeAll()
    drop()
    rabbit.close()
  }

  /// Unsaved messages come again, here or at another worker.
  private func drop() {
    for holding in holdings.values { holding.output.close() }
    holdings.removeAll()
    rests.removeAll()
    lead.drop()
    rabbit = nil
  }
}
