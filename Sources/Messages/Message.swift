import MQTT
import Beacons

/// What goes to the broker.
public struct Message: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: QoS
  public var retained: Bool
  /// After this time the broker forgets it (MQTT 5); nil: never.
  public var expiry: TimeSpan?

  public init(topic: String, payload: [UInt8], qos: QoS, retained: Bool, expiry: TimeSpan? = nil) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retained = retained
    self.expiry = expiry
  }
}
