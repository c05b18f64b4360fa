/// A message on its way to the broker.
struct Outgoing: Sendable {
  var id: UInt64
  var topic: String
  var payload: [UInt8]
  var qos: QoS
  var retain: Bool
  var expiry: Duration?
}
