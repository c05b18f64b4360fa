import Core

/// `instance`: which run of a gateway publishes under its name.
package struct InstanceMessage: Hashable, Sendable {
  /// Unique to this run.
  package var instance: String
  /// When this run began, and when it published this, in RFC 3339.
  package var started: String
  package var time: String

  package init(instance: String, started: String, time: String) {
    self.instance = instance
    self.started = started
    self.time = time
  }

  package func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("instance", instance)
      $0.field("started", started)
      $0.field("time", time)
    }
    return Message(topic: topics.instance, payload: payload, qos: .atLeastOnce, retained: true)
  }
}

/// `status`: whether the gateway is there. `offline` is its last will.
package enum Status: String, Sendable {
  case online, offline

  package func message(topics: Topics) -> Message {
    Message(topic: topics.status, payload: Array(rawValue.utf8), qos: .atLeastOnce, retained: true)
  }
}
