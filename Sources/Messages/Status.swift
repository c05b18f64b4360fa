import MQTT

/// `status`: whether the gateway is there. `offline` is its last will.
public enum Status: String, Sendable {
  case online, offline

  public func message(topics: Topics) -> Message {
    Message(topic: topics.status, payload: Array(rawValue.utf8), qos: .atLeastOnce, retained: true)
  }
}
