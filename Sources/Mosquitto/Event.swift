/// An event between client and broker, in the order of occurrence.
package enum Event: Sendable {
  /// The broker accepted the connection. Subscriptions have been requested and unacknowledged messages are sent, both again.
  case connected(sessionPresent: Bool)
  /// An attempt to connect failed. The client retries; `failure.isPermanent` says whether that can succeed.
  case refused(ConnectionFailure)
  /// An established connection ended. The client connects again, unless it was stopped.
  case disconnected(reason: String)
  /// A message on a subscribed topic.
  case message(ReceivedMessage)
  /// The broker accepted the message with this id (QoS 1).
  case acknowledged(id: UInt64)
  /// The broker, its announced limits or the protocol refused a message; it will not be sent again. This includes a message
  /// after which the broker closed the connection repeatedly. With MQTT 3.1.1 that message may have been acknowledged before.
  case rejected(PublishedMessage, reason: String)
  /// The broker accepted a subscription; messages follow from now on, with this QoS at most.
  case subscribed(filter: String, qos: Int)
  /// The broker refused a subscription.
  case subscriptionRefused(filter: String, reason: String)
}

/// A message from the broker. Any client may have sent topic and payload: treat them as hostile until parsed.
package struct ReceivedMessage: Sendable, Equatable {
  package var topic: String
  package var payload: [UInt8]
  package var qos: Int
  /// The broker had retained this message; it is not new.
  package var retain: Bool

  var octets: Int { topic.utf8.count + payload.count }
}

/// Why a message was not accepted for publishing.
package enum PublishError: Error, Sendable, Equatable, CustomStringConvertible {
  /// QoS 0 messages do not wait for a connection.
  case notConnected
  /// This many messages are already waiting for acknowledgement.
  case outstandingLimit(Int)
  case invalidTopic(String, reason: String)
  case payloadTooLarge(bytes: Int, limit: Int)
  /// The client was stopped.
  case stopped

  package var description: String {
    switch self {
    case .notConnected: "not connected to the broker"
    case .outstandingLimit(let limit): "\(limit) messages already wait for the broker"
    case .invalidTopic(let topic, let reason): "topic \(topic.debugDescription) \(reason)"
    case .payloadTooLarge(let bytes, let limit): "payload of \(bytes) bytes is larger than \(limit)"
    case .stopped: "the connection to the broker was stopped"
    }
  }
}

/// Options that cannot work with any broker.
package struct InvalidOptions: Error, Sendable, Equatable, CustomStringConvertible {
  package var description: String
}
