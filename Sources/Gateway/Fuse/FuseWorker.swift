import AMQP
import Beacons
import Fleet
import Glibc
import Logging
import Machine
import Messages
import Mosquitto
import Settings

/// The thread of a worker: takes over partitions, processes their queues, saves their states, gives them away again. It alone
/// touches what is here.
final class FuseWorker {
  /// So many messages, or for so long, then everything else has its turn.
  private static let turnLimit = 200
  static let turn = TimeSpan.milliseconds(20)

  let configuration: Configuration
  let fleet: FleetSettings
  let broker: RemoteBroker
  let names: FleetNames
  /// What all partitions begin with.
  let fresh: FleetPartition
  /// The worker's own name, which no other has.
  let name: String
  /// A folder for what comes out of the queues; nil: it is not kept.
  let journal: String?
  /// nil: nobody wants them.
  let metrics: FuseMetrics?
  let inbox: FuseInbox
  let logger: Logger

  var rabbit: FuseBroker?
  var holdings: [Int: FuseHolding] = [:]
  /// The partition that last had a turn for what waits.
  var served = 0
  /// Partitions for which we stand in line again from then on.
  var rests: [Int: MonotonicTime] = [:]
  /// Partitions that this worker began anew, although there was a checkpoint: the last time of each.
  var anew: [Int: (time: WallTime, reason: StateError)] = [:]
  /// Since when one of those that began anew could be tidied.
  var untidySince: MonotonicTime?
  var lead: FuseLead
  /// When each worker was last heard of.
  var workers: [String: MonotonicTime] = [:]
  var overfullSince: MonotonicTime?
  var ticks: TickSchedule
  private var balanced = MonotonicTime(nanoseconds: .min)
  var reported = MonotonicTime(nanoseconds: .min)
  var began: MonotonicTime?
  var skewTold: MonotonicTime?
  /// The other workers'.
  var clocks = WorkersClocks()
  /// When it was last told that a tick was not believed.
  var refusalTold: MonotonicTime?
  private var failures = 0
  /// Queues may be missing.
  private var declares = true
  /// Nodes that will not have us, and would not tomorrow.
  private var refusals: Set<Int> = []
  /// Which node we are connected to, or try next. Any will do; if it fails, then the next, because it may fail for longer.
  private var node: Int
  let leftovers: FuseLeftovers
  /// Tells how the worker is.
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

  /// Works until it is told to stop. Throws what trying again does not change.
  func run() throws {
    defer { health.close() }
    if let metrics, let interval = configuration.metrics?.interval {
      try metrics.depths.start(
        fleet, names, worker: name, every: .nanoseconds(interval.nanoseconds)
      ) { [inbox] in inbox.isStopping }
    }
    while !inbox.isStopping {
      do throws(Failure) {
        try connect()
        while !inbox.isStopping { try work() }
        try leave()
      } catch {
        drop()
        // One node may be wrong, and the others right.
        if error.isRefusal { refusals.insert(node) } else { refusals.remove(node) }
        node = (node + 1) % fleet.nodes.count
        declares = declares || error.isRefusal
        if began == nil, refusals.count == fleet.nodes.count { throw error }
        metrics?.take(metricsText(at: LiveClock.now, LiveClock.wallNow, [:]))
        guard !inbox.isStopping else { return }
        logger.warning("RabbitMQ: \(error)")
        failures += 1
        let pause = Duration.milliseconds(min(250 << min(failures, 6), 8000))
        inbox.bell.silence()
        inbox.bell.sleep(for: pause * Double.random(in: 0.5...1))
      }
    }
  }

  private func connect() throws(Failure) {
    let rabbit = try FuseBroker(
      Node(fleet.nodes[node], fleet), names, partitions: fleet.partitions, worker: name, declares: declares)
    declares = false
    self.rabbit = rabbit
    try compareClocks(rabbit)
    try rabbit.tick(LiveClock.wallNow, tellsTime: true)
    for partition in 0..<fleet.partitions { try rabbit.standInLine(for: partition) }
    try rabbit.queueForLead()
    failures = 0
    if began == nil { began = LiveClock.now }
    logger.notice(
      "connected to RabbitMQ at \(rabbit.node); waiting to take over any of \(fleet.partitions) partitions")
  }

  /// One turn: what came, what is due, then it waits for more.
  private func work() throws(Failure) {
    guard let rabbit else { return }
    for item in inbox.take() { try take(item) }
    try rabbit.look()
    while let partition = rabbit.lost.popLast() { try lose(partition) }
    while let partition = rabbit.granted.popLast() { try takeOver(partition) }
    hearWorkers(rabbit)
    let isEmpty = try takeTurn(rabbit)
    let isDone = takeWaiting()
    let now = LiveClock.now
    try tick(rabbit, at: now)
    try rabbit.tend(at: now)
    for partition in holdings.keys.sorted() { try tend(partition, at: now) }
    lead.tend(at: now, inbox, logger)
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
      let rest = ticks.wait(at: now, LiveClock.wallNow, among: workers.keys)
      wait(rabbit, until: min(now + rest, lead.nextDeadline ?? .distantFuture))
    }
  }

  /// Takes from the queues; false if there may be more.
  private func takeTurn(_ rabbit: FuseBroker) throws(Failure) -> Bool {
    let end = LiveClock.now + Self.turn
    for _ in 0..<Self.turnLimit {
      guard let event = try rabbit.consumer.next() else { return true }
      try take(event)
      if LiveClock.now >= end { return false }
    }
    return false
  }

  private func wait(_ rabbit: FuseBroker, until time: MonotonicTime) {
    let rest = max(min((time - LiveClock.now).nanoseconds / 1_000_000 + 1, 250), 0)
    var places = [rabbit.consumer.descriptor, rabbit.publisher.descriptor, rabbit.reader.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    places.append(pollfd(fd: inbox.bell.reading, events: Int16(POLLIN), revents: 0))
    if poll(&places, nfds_t(places.count), Int32(rest)) > 0, places[3].revents != 0 { inbox.bell.silence() }
  }

  /// A worker that has more than its share for some seconds gives the rest away, so that one that came later has something to do.
  private func balance(at now: MonotonicTime) {
    let count = max(workers.count, 1)
    let share = (fleet.partitions + count - 1) / count
    guard holdings.count > share else {
      overfullSince = nil
      return
    }
    let since = overfullSince ?? now
    overfullSince = since
    // A worker that died is noticed after a while.
    guard now - since >= .seconds(5) else { return }
    overfullSince = nil
    for partition in holdings.keys.sorted().suffix(holdings.count - share) {
      holdings[partition]?.isLeaving = true
    }
  }

  // MARK: The end

  /// Saves all states, so that the next worker has nothing to repeat.
  private func leave() throws(Failure) {
    guard let rabbit else { return }
    for partition in holdings.keys { holdings[partition]?.isLeaving = true }
    let end = LiveClock.now + .seconds(5)
    while !holdings.isEmpty, LiveClock.now < end {
      for item in inbox.take() { try take(item) }
      try rabbit.look()
      // Whatever comes now is for others.
      while case .some = try rabbit.consumer.next() {}
      for partition in holdings.keys.sorted() { try tend(partition, at: LiveClock.now) }
      wait(rabbit, until: LiveClock.now + .milliseconds(50))
    }
    rests.removeAll()
    drop()
    rabbit.close()
  }

  /// What was not saved comes again, here or elsewhere.
  private func drop() {
    for holding in holdings.values { holding.output.close() }
    holdings.removeAll()
    rests.removeAll()
    lead.drop()
    rabbit = nil
  }
}
