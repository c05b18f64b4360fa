import Configuration
import Core
import Fleet
import Synchronization

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
        do throws(Failure) {
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
    throws(Failure)
  {
    var depths: [Int: Int] = [:]
    for partition in 0..<fleet.partitions {
      guard let queue = try connection.look(at: names.queue(partition), on: Self.channel) else {
        throw Failure("the queue of partition \(partition) is missing")
      }
      depths[partition] = queue.messages
    }
    latest.withLock { $0 = depths }
  }

  /// Waits, and answers heartbeats meanwhile.
  private func rest(_ connection: RabbitMQConnection, for interval: Duration, _ isStopping: () -> Bool)
    throws(Failure)
  {
    let end = ContinuousClock.now + interval
    while ContinuousClock.now < end, !isStopping() { _ = try connection.next(within: .seconds(1)) }
  }
}
