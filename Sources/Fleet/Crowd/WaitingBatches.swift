import Contract
import DequeModule

/// A gateway's batches that its broker has not acknowledged, in the order in which they were made. Bounded: the oldest are
/// dropped first.
package struct WaitingBatches: Sendable {
  /// How many may be sent without an acknowledgement, as in a real gateway.
  package static let window = 64
  static let octetLimit = 8 << 20

  private var waiting: Deque<CrowdBatch> = []
  /// Sent, by number; numbers increase.
  private var underWay: Deque<(number: UInt64, batch: CrowdBatch)> = []
  private var octets = 0
  private var nextNumber: UInt64 = 1
  private var isConnected = false
  /// Observations that were dropped, because too much waited or because the broker refused them.
  package private(set) var lost: UInt64 = 0
  package private(set) var acknowledged: UInt64 = 0
  package private(set) var acknowledgedObservations: UInt64 = 0

  package init() {}

  /// Batches that the broker does not have.
  package var count: Int { waiting.count + underWay.count }

  package mutating func add(_ batch: CrowdBatch) {
    waiting.append(batch)
    octets += batch.message.payload.count
    while octets > Self.octetLimit, let oldest = waiting.popFirst() {
      octets -= oldest.message.payload.count
      lost += UInt64(oldest.observations)
    }
  }

  package mutating func connected() { isConnected = true }

  /// Sent batches without an acknowledgement will be sent again, in order.
  package mutating func disconnected() {
    isConnected = false
    while let last = underWay.popLast() {
      waiting.prepend(last.batch)
      octets += last.batch.message.payload.count
    }
  }

  /// The next one to send; it counts as sent. nil: none now.
  package mutating func next() -> (number: UInt64, batch: CrowdBatch)? {
    guard isConnected, underWay.count < Self.window, let batch = waiting.popFirst() else { return nil }
    octets -= batch.message.payload.count
    let number = nextNumber
    nextNumber += 1
    underWay.append((number, batch))
    return (number, batch)
  }

  package mutating func acknowledge(_ number: UInt64) {
    guard let batch = remove(number) else { return }
    acknowledged += 1
    acknowledgedObservations += UInt64(batch.observations)
  }

  package mutating func refuse(_ number: UInt64) {
    if let batch = remove(number) { lost += UInt64(batch.observations) }
  }

  private mutating func remove(_ number: UInt64) -> CrowdBatch? {
    // Brokers nearly always acknowledge in order.
    guard let place = underWay.firstIndex(where: { $0.number == number }) else { return nil }
    return underWay.remove(at: place).batch
  }
}
