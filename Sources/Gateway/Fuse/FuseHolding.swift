import AMQP
import Beacons
import DequeModule
import Fleet

/// A partition that a worker has taken over. A class, because a copy of so much would cost more than most messages.
final class FuseHolding {
  /// A state that is on its way to RabbitMQ.
  struct Saving {
    /// The checkpoint; nil: it was written, and must come back.
    var payload: [UInt8]?
    /// How much of the queue it has seen, and the last delivery of that.
    var position: UInt64
    var delivery: UInt64
    /// The last message that came of it: first the broker must have that.
    var message: UInt64
  }

  /// A proof of the lease that is asked for.
  struct Proof {
    enum Purpose {
      /// Whoever connects throws the worker out that was connected.
      case connecting
      /// We are connected, and nobody has thrown us out who has the partition.
      case speaking
    }

    var purpose: Purpose
    var mark: UInt64
    var asked: MonotonicTime
  }

  var partition: FleetPartition
  let lease: UInt64
  var output: FuseOutput
  var journal: JournalFile?
  /// Not processed yet.
  var waiting: Deque<QueueMessage> = []
  var proof: Proof?
  /// The lease was found to hold on the present connection.
  var isProven = false
  /// When to try to connect again; nil: there is a connection, or one is being made.
  var reconnects: MonotonicTime?
  var attempts = 0
  var saving: Saving?
  var saved: MonotonicTime
  /// Of the last checkpoint, and of the state in it before it was compressed.
  var octets = 0
  var stateOctets = 0
  /// The last delivery that was processed, and the last that was acknowledged.
  var processed: UInt64 = 0
  var acknowledged: UInt64 = 0
  /// Hashes of those in between.
  var unacknowledged: Deque<UInt64> = []
  /// What the state that was taken over has seen already comes first.
  var seenAgain: SeenAgain<QueueMessage>
  /// It is given to another worker once all is saved.
  var isLeaving = false
  /// It began anew, and what the broker retains of its beacons may be untrue.
  var isUntidy = false
  /// Where the broker may have lost what it retained, all is told again.
  var greets = false

  /// Whether more of the queue may be decided now.
  var canDecide: Bool { isProven && !isLeaving && !output.isCrowded }

  /// - Parameter seen: of the checkpoint.
  init(
    _ partition: FleetPartition, lease: UInt64, seen: [UInt64], _ output: FuseOutput, at time: MonotonicTime
  ) {
    self.partition = partition
    seenAgain = SeenAgain(seen)
    self.lease = lease
    self.output = output
    saved = time
  }
}
