import MQTT
import Beacons

/// A message for the broker.
public struct Message: Hashable, Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: QoS
  public var retained: Bool
  /// The broker drops it after this time (MQTT 5); nil: never.
  public var expiry: TimeSpan?

  public init(topic: String, payload: [UInt8], qos: QoS, retained: Bool, expiry: TimeSpan? = nil) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retained = retained
    self.expiry = expiry
  }
}
