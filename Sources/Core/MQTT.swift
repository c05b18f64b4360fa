/// Delivery guarantee. Exactly once (QoS 2) is left out: receivers drop duplicates by id.
@frozen public enum QoS: Int32, Hashable, Sendable {
  case atMostOnce = 0
  case atLeastOnce = 1
}

/// The version of MQTT that a client and its broker speak. Neither changes to the other by itself.
@frozen public enum ProtocolVersion: String, Hashable, Sendable {
  case v5 = "5"
  case v311 = "3.1.1"
}
