import Configuration
import Contract
import Core
import Fleet
import Synchronization

/// A worker's counters for Prometheus, made on its thread and written by `MetricsService`.
final class FuseMetrics: Sendable {
  private let latest = Mutex("")
  let depths = QueueDepths()

  var text: String { latest.withLock { $0 } }

  func take(_ text: String) { latest.withLock { $0 = text } }

  /// The file of one worker. Several workers on a machine share a configuration, and would overwrite each other's file.
  static func settings(_ settings: MetricsSettings, worker: String) -> MetricsSettings {
    var settings = settings
    settings.file = settings.file.dropLast(".prom".utf8.count) + "-\(topicLevel(worker)).prom"
    return settings
  }
}

extension FuseWorker {
  /// The present counters.
  func metricsText(at now: MonotonicTime, _ wallNow: WallTime, _ depths: [Int: Int]) -> String {
    var writer = PrometheusText(labels: [("gateway", names.site), ("worker", name)])
    writer.family("build_info", "The version that runs.")
    writer.sample("build_info", [("version", version)], 1)
    writer.single("worker_rabbitmq_connected", "Whether it is connected to RabbitMQ.", rabbit == nil ? 0 : 1)
    writer.single("worker_leads", "Whether it publishes the site-wide topics.", lead.isLeading ? 1 : 0)
    writer.single("worker_peers", "Workers that it hears, itself too.", UInt64(workers.count))
    writer.single("worker_partitions", "Partitions that it has.", UInt64(holdings.count))
    let held = holdings.sorted { $0.key < $1.key }
    func each(_ name: String, _ help: String, _ value: (FuseHolding) -> UInt64) {
      writer.per(held, name, help) { [([("partition", "\($0.key)")], value($0.value))] }
    }
    func spans(_ name: String, _ help: String, _ value: (FuseHolding) -> TimeSpan?) {
      writer.family(name, help)
      for (number, holding) in held {
        guard let span = value(holding) else { continue }
        writer.sample(
          name, [("partition", "\(number)")], thousandths: max(span.nanoseconds / 1_000_000, 0))
      }
    }
    spans("partition_lag_seconds", "How old the last thing is that was decided.") { holding in
      holding.partition.time.map { TimeSpan(nanoseconds: wallNow.nanoseconds - $0.nanoseconds) }
    }
    spans("partition_checkpoint_age_seconds", "How old the last checkpoint is.") { now - $0.saved }
    each("partition_checkpoint_bytes", "How long the last checkpoint was.") { UInt64(clamping: $0.octets) }
    let known = depths.filter { holdings[$0.key] != nil }.sorted { $0.key < $1.key }
    writer.per(known, "partition_queue_messages", "Messages in the queue that no worker has yet.") {
      [([("partition", "\($0.key)")], UInt64(clamping: $0.value))]
    }
    each("partition_held_messages", "Messages that it has, and did not decide yet.") {
      UInt64(clamping: $0.waiting.count)
    }
    each("partition_unsaved_messages", "Decided messages that no checkpoint has yet.") {
      $0.processed - $0.acknowledged
    }
    each("partition_unacknowledged_messages", "Messages that the broker for results has not confirmed.") {
      UInt64(clamping: $0.output.outstanding)
    }
    each("partition_beacons", "Beacons that are tracked.") { UInt64(clamping: $0.partition.beacons) }
    each("partition_messages_total", "Messages of the queue that were decided.") {
      $0.partition.counts.messages
    }
    each("partition_acknowledged_total", "Messages that RabbitMQ may forget, since this worker took over.") {
      $0.acknowledged
    }
    each("partition_observations_total", "Observations that were decided.") {
      $0.partition.counts.observations
    }
    each("partition_transitions_total", "Decisions of zones and rooms.") { $0.partition.counts.transitions }
    each("partition_late_total", "Observations that came too late for rooms.") {
      $0.partition.droppedForRooms
    }
    each("partition_duplicates_total", "Batches that came twice.") { $0.partition.repeated }
    each("partition_refused_batches_total", "Batches that were refused, repeated ones too.") {
      $0.partition.refused
    }
    each("partition_refused_observations_total", "Observations over a minute old, or of refused batches.") {
      $0.partition.refusedObservations
    }
    each("partition_misplaced_total", "Observations of another partition.") { $0.partition.counts.misplaced }
    each("partition_refused_messages_total", "Messages that the results broker refused.") {
      $0.output.refused
    }
    return writer.text
  }
}

/// How many messages wait in each partition's queue. RabbitMQ must be asked for it, and may take seconds to answer when a node
/// is in trouble. So this has its own connection and thread.
final class QueueDepths: Sendable {
  private static let channel: UInt16 = 1
  private let latest = Mutex<[Int: Int]>([:])

  /// By partition; empty while RabbitMQ does not answer.
  var now: [Int: Int] { latest.withLock { $0 } }

  /// - Parameter isStopping: returns true when no more questions should be asked.
  func start(
    _ fleet: FleetSettings, _ names: FleetNames, worker: String, every interval: Duration,
    until isStopping: @escaping @Sendable () -> Bool
  ) throws(SystemError) {
    try Thread.start {
      var attempts = 0
      while !isStopping() {
        do throws(RabbitMQError) {
          let node = fleet.nodes[attempts % fleet.nodes.count]
          let connection = try RabbitMQConnection(Node(node, fleet), name: "\(worker) counts")
          try connection.open(channel: Self.channel)
          while !isStopping() {
            try self.ask(connection, fleet, names)
            try self.rest(connection, for: interval, isStopping)
          }
          connection.close()
        } catch {
          // The worker's own connections report the reason.
          self.latest.withLock { $0.removeAll() }
          attempts += 1
          let bell = Bell()
          bell.sleep(for: .seconds(5))
        }
      }
    }
  }

  private func ask(_ connection: RabbitMQConnection, _ fleet: FleetSettings, _ names: FleetNames)
    throws(RabbitMQError)
  {
    var depths: [Int: Int] = [:]
    for partition in 0..<fleet.partitions {
      guard let queue = try connection.look(at: names.queue(partition), on: Self.channel) else {
        throw RabbitMQError("the queue of partition \(partition) is missing")
      }
      depths[partition] = queue.messages
    }
    latest.withLock { $0 = depths }
  }

  /// Waits, and answers heartbeats meanwhile.
  private func rest(_ connection: RabbitMQConnection, for interval: Duration, _ isStopping: () -> Bool)
    throws(RabbitMQError)
  {
    let end = ContinuousClock.now + interval
    while ContinuousClock.now < end, !isStopping() { _ = try connection.next(within: .seconds(1)) }
  }
}
