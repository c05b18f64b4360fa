import MQTT

/// The attributes of a message on its way to the broker, apart from topic and payload.
struct Outgoing: Equatable, Sendable {
  var id: UInt64
  var qos: QoS
  var retain = false
  var expiry: Duration?
  /// The broker refused it before. It is sent alone, to see whether it costs the connection.
  var isOnTrial = false
  /// The caller already knows that the broker has it. It is sent again because the broker closed the connection right
  /// afterwards.
  var isAcknowledged = false
}
