/// What is said of a message on its way to the broker, beside its topic and payload.
struct Outgoing: Equatable, Sendable {
  var id: UInt64
  var qos: QoS
  var retain = false
  var expiry: Duration?
}
