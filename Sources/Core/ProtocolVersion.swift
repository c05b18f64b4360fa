/// The version of MQTT that a client and its broker speak. Neither changes to the other by itself.
@frozen public enum ProtocolVersion: String, Hashable, Sendable {
  case v5 = "5"
  case v311 = "3.1.1"
}
