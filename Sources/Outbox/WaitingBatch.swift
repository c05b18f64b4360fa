import Beacons

/// A batch of observations that the broker does not have yet.
package struct WaitingBatch: Hashable, Sendable {
  /// Counts all batches from 1 on, also over restarts. Batches are sent in this order.
  package var number: Int64
  package var topic: String
  package var payload: [UInt8]
  /// How many observations are in it.
  package var observations: Int
  /// When it was made, on the monotonic clock; nil: before the machine last booted.
  package var made: MonotonicTime?

  package init(
    number: Int64, topic: String, payload: [UInt8], observations: Int, made: MonotonicTime?
  ) {
    self.number = number
    self.topic = topic
    self.payload = payload
    self.observations = observations
    self.made = made
  }

  /// Bytes that it takes in memory or on disk, roughly.
  var octets: Int { payload.count + topic.utf8.count + 40 }
}
