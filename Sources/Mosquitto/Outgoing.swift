import MQTT

/// What is said of a message on its way to the broker, beside its topic and payload.
struct Outgoing: Equatable, Sendable {
  var id: UInt64
  var qos: QoS
  var retain = false
  var expiry: Duration?
  /// The broker refused it before: it is sent alone, so that it is seen whether it costs the connection.
  var isOnTrial = false
  /// The caller knows already that the broker has it; it is sent again because the broker closed the connection right afterwards.
  var isAcknowledged = false
}
