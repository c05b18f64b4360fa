import Configuration
import Core
import Fleet

/// Checks a fleet: RabbitMQ's nodes, the queues, the workers and their clocks. Changes nothing.
struct FleetDoctor {
  /// A queue with more messages than this is behind.
  private static let many = 1000
  private static let channel: UInt16 = 1

  private let fleet: FleetSettings
  private let names: FleetNames

  init(_ configuration: Configuration, _ fleet: FleetSettings) {
    self.fleet = fleet
    names = FleetNames(site: configuration.gatewayName)
  }

  func examine() -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    var reached: RabbitMQConnection?
    for node in fleet.nodes {
      let name = "\(node.host):\(node.port)"
      do throws(RabbitMQError) {
        let connection = try RabbitMQConnection(Node(node, fleet), name: "beaconkeeper doctor")
        let version = connection.property("version") ?? "of an unknown version"
        findings.append(DoctorFinding("rabbitmq", .ok, "\(name): RabbitMQ \(version)"))
        reached = reached ?? connection
      } catch {
        findings.append(
          DoctorFinding(
            "rabbitmq", fleet.nodes.count > 1 && !error.isRefusal ? .warning : .fault, "\(error)",
            remedy: error.isRefusal
              ? "look at username and the password in fleet:, and at the user's rights in RabbitMQ"
              : "start the node, or remove it from fleet:"))
      }
    }
    guard let connection = reached else { return findings }
    do throws(RabbitMQError) {
      try connection.open(channel: Self.channel)
      findings += try queues(connection)
      findings += try workers(connection)
    } catch {
      findings.append(DoctorFinding("rabbitmq", .fault, "\(error)"))
    }
    return findings
  }

  // MARK: Queues

  private func queues(_ connection: RabbitMQConnection) throws(RabbitMQError) -> [DoctorFinding] {
    var (missing, alone, behind): ([Int], [Int], [Int]) = ([], [], [])
    var waiting = 0
    var limited: [String] = []
    for partition in 0..<fleet.partitions {
      guard let queue = try look(at: names.queue(partition), connection, limited: &limited) else {
        missing.append(partition)
        continue
      }
      waiting += queue.messages
      if queue.consumers == 0 { alone.append(partition) }
      if queue.messages > Self.many { behind.append(partition) }
      _ = try look(at: names.lease(partition), connection, limited: &limited)
    }
    var findings: [DoctorFinding] = []
    if !missing.isEmpty {
      findings.append(
        DoctorFinding(
          "queues", .fault, "\(missing.count) of \(fleet.partitions) are missing",
          remedy: "start a worker: it makes them (beaconkeeper fuse)"))
    }
    if !alone.isEmpty {
      findings.append(
        DoctorFinding(
          "queues", .fault, "nobody reads \(alone.count) of \(fleet.partitions)",
          remedy: "start a worker (beaconkeeper fuse)"))
    }
    if !behind.isEmpty {
      findings.append(
        DoctorFinding(
          "queues", .warning,
          "\(behind.count) of \(fleet.partitions) are behind, with \(waiting) messages in all",
          remedy: "wait, if an outage has just ended; else start another worker"))
    }
    if let first = limited.first {
      let (others, have) = limited.count > 1 ? (" and \(limited.count - 1) more", "have") : ("", "has")
      findings.append(
        DoctorFinding(
          "queues", .warning,
          "\(first)\(others) \(have) a different x-delivery-limit from what workers set, and may drop redelivered messages; \(waiting) messages wait",
          remedy: "recreate them, as Fleet.md says under \"Upgrades\""))
    }
    if findings.isEmpty {
      findings.append(DoctorFinding("queues", .ok, "\(fleet.partitions), with \(waiting) messages that wait"))
    }
    return findings
  }

  /// nil: there is no such queue.
  ///
  /// - Parameter limited: names of queues that were not made by a worker; this one is appended if it is one of them.
  private func look(at queue: String, _ connection: RabbitMQConnection, limited: inout [String])
    throws(RabbitMQError)
    -> (messages: Int, consumers: Int)?
  {
    guard let found = try connection.look(at: queue, on: Self.channel) else {
      // If a queue does not exist, RabbitMQ closes the channel.
      try connection.answerClose(of: Self.channel)
      try connection.open(channel: Self.channel)
      return nil
    }
    if try isLimited(queue, connection) { limited.append(queue) }
    return found
  }

  /// RabbitMQ does not report a queue's arguments, but it compares them in a declaration. That does not change an existing
  /// queue.
  private func isLimited(_ queue: String, _ connection: RabbitMQConnection) throws(RabbitMQError) -> Bool {
    do throws(RabbitMQError) {
      try connection.declare(queue: queue, QuorumQueue.arguments, on: Self.channel)
      return false
    } catch {
      guard QuorumQueue.isOtherLimit(error) else { throw error }
      try connection.answerClose(of: Self.channel)
      try connection.open(channel: Self.channel)
      return true
    }
  }

  // MARK: Workers

  /// Reads the workers' ticks for twice their longest interval.
  private func workers(_ connection: RabbitMQConnection) throws(RabbitMQError) -> [DoctorFinding] {
    let own = "beaconkeeper-fleet.doctor"
    try connection.declareOwn(queue: own, on: Self.channel)
    let noTicks = DoctorFinding(
      "workers", .fault, "no worker ticks", remedy: "start one (beaconkeeper fuse)")
    do throws(RabbitMQError) {
      for key in [names.tick, names.alive] {
        try connection.bind(queue: own, to: names.time, key: key, on: Self.channel)
      }
    } catch {
      // The exchange is missing, which workers create: RabbitMQ closes the channel.
      try connection.answerClose(of: Self.channel)
      try connection.open(channel: Self.channel)
      return [noTicks]
    }
    try connection.consume(own, tag: "ticks", prefetch: 100, on: Self.channel)
    var differences: [String: TimeSpan] = [:]
    var clocks: [String: TimeSpan] = [:]
    let end = LiveClock.now + TickSchedule.longestSilence + TickSchedule.longestSilence
    while LiveClock.now < end {
      guard case .delivery(let message)? = try connection.next(within: .milliseconds(100)) else { continue }
      try connection.acknowledge(upTo: message.number, on: Self.channel)
      guard let tick = Tick(message.payload), differences.count < 1000 else { continue }
      let difference = LiveClock.wallNow - tick.time
      // The smallest difference, because the other ticks were delayed more.
      differences[tick.worker] = min(differences[tick.worker] ?? difference, difference)
      if let system = tick.system { clocks[tick.worker] = system }
    }
    var findings: [DoctorFinding] = []
    if connection.isBlocked {
      findings.append(
        DoctorFinding(
          "rabbitmq", .fault, "takes nothing in: it is short of memory or disk",
          remedy: "look at `rabbitmq-diagnostics alarms`; give it more, or raise its limits"))
    }
    if differences.isEmpty {
      findings.append(noTicks)
    } else {
      let names = differences.keys.sorted().map(\.printable).joined(separator: ", ")
      findings.append(
        differences.count > 1
          ? DoctorFinding("workers", .ok, "\(differences.count): \(names)")
          : DoctorFinding(
            "workers", .warning, "only one: \(names)",
            remedy: "start another on a second machine, so that one may fail"))
    }
    for (worker, difference) in differences.sorted(by: { $0.key < $1.key })
    where difference.nanoseconds.magnitude > 1_000_000_000 {
      let seconds = (difference.seconds * 10).rounded() / 10
      findings.append(
        DoctorFinding(
          "clocks", .warning, "that of \(worker.printable) differs by \(seconds) s from this machine's",
          remedy: "set them right (timedatectl): the site's time is that of its workers"))
    }
    for (worker, ahead) in clocks.sorted(by: { $0.key < $1.key }) {
      let seconds = (ahead.seconds * 10).rounded() / 10
      findings.append(
        DoctorFinding(
          "clocks", .warning,
          "that of \(worker.printable)'s machine was set, and is \(seconds) s ahead of the time that the worker goes on with",
          remedy: "set it right (timedatectl)"))
    }
    return findings
  }
}
