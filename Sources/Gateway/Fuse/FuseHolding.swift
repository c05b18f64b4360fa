import Core
import DequeModule
import Fleet

/// A partition that a worker has. A class, because copying so much would cost more than processing most messages.
final class FuseHolding {
  /// A state that is being saved.
  struct Saving {
    /// The checkpoint; nil: it was written, and we wait until it comes back.
    var payload: [UInt8]?
    /// How many messages of the queue are in it, and the last of these deliveries.
    var position: UInt64
    var delivery: UInt64
    /// The last message that was published because of them. The broker must acknowledge it first.
    var message: UInt64
  }

  /// A requested proof of the lease.
  struct Proof {
    enum Purpose {
      /// Connecting to the broker with a client id disconnects the worker that used it before.
      case connecting
      /// We are connected, and no worker with a later lease has disconnected us.
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
  /// Messages that are not processed yet.
  var waiting: Deque<QueueMessage> = []
  var proof: Proof?
  /// Whether the lease was proven on the present connection.
  var isProven = false
  /// When to try to connect again; nil: there is a connection, or one is being made.
  var reconnects: MonotonicTime?
  var attempts = 0
  var saving: Saving?
  var saved: MonotonicTime
  /// The sizes of the last checkpoint, and of its state before compression.
  var octets = 0
  var stateOctets = 0
  /// The last delivery that was processed, and the last that was acknowledged.
  var processed: UInt64 = 0
  var acknowledged: UInt64 = 0
  /// Hashes of the messages in between.
  var unacknowledged: Deque<UInt64> = []
  /// Finds messages that are already in the state that was taken over.
  var seenAgain: SeenAgain<QueueMessage>
  /// The partition goes to another worker once everything is saved.
  var isLeaving = false
  /// The partition began anew, so retained messages about its beacons may be wrong.
  var isUntidy = false
  /// The broker may have lost retained messages, so all are published again.
  var greets = false

  /// Whether further messages of the queue may be processed now.
  var canDecide: Bool { isProven && !isLeaving && !output.isCrowded }

  /// - Parameter seen: the hashes in the checkpoint.
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
