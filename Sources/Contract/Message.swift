import Core

/// A message for the broker.
package struct Message: Hashable, Sendable {
  package var topic: String
  package var payload: [UInt8]
  package var qos: QoS
  package var retained: Bool
  /// The broker drops it after this time (MQTT 5); nil: never.
  package var expiry: TimeSpan?

  package init(topic: String, payload: [UInt8], qos: QoS, retained: Bool, expiry: TimeSpan? = nil) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retained = retained
    self.expiry = expiry
  }

  /// Makes the broker forget what it retains under a topic.
  package init(clearing topic: String) {
    self.init(topic: topic, payload: [], qos: .atLeastOnce, retained: true)
  }
}

/// A message of the gateway's sequence. It is never dropped, merged or reordered, waits on disk for the broker, and is the same octet
/// for octet whenever it is sent again.
package protocol NumberedMessage: Sendable {
  /// The pair of epoch and `sequence` numbers it; 0 until it is numbered.
  var epoch: UInt64 { get set }
  var sequence: UInt64 { get set }
  var gateway: String { get }

  func message(topics: Topics) -> Message
}

extension TransitionMessage: NumberedMessage {}
