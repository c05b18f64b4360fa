/// What happens between client and broker, in the order in which it happened.
public enum Event: Sendable {
  /// The broker accepted us. Subscriptions have been asked for again; unacknowledged messages are sent again.
  case connected(sessionPresent: Bool)
  /// An attempt to connect failed. The client goes on trying; `failure.isPermanent` says whether that has a point.
  case refused(ConnectionFailure)
  /// An established connection ended. The client connects again, unless it was stopped.
  case disconnected(reason: String)
  /// A message of a topic we subscribed to.
  case message(ReceivedMessage)
  /// The broker took over the message that was published with this id (QoS 1).
  case acknowledged(id: UInt64)
  /// The broker, its announced limits or the protocol refused a message; it will not be sent again. So is one after which the
  /// broker closed the connection again and again; with MQTT 3.1.1 it may have been acknowledged before.
  case rejected(PublishedMessage, reason: String)
  /// The broker refused a subscription.
  case subscriptionRefused(filter: String, reason: String)
}

/// A message as the broker delivered it. Topic and payload are whatever some client sent: hostile until parsed.
public struct ReceivedMessage: Sendable, Equatable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: Int
  /// The broker had kept this message; it is not news.
  public var retain: Bool

  public init(topic: String, payload: [UInt8], qos: Int, retain: Bool) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
  }

  var octets: Int { topic.utf8.count + payload.count }
}

/// Why a message was not taken over for publishing.
public enum PublishError: Error, Sendable, Equatable, CustomStringConvertible {
  /// QoS 0 messages do not wait for a connection.
  case notConnected
  /// So many messages wait for their acknowledgement already.
  case outstandingLimit(Int)
  case invalidTopic(String, reason: String)
  case payloadTooLarge(bytes: Int, limit: Int)
  /// The client was stopped.
  case stopped

  public var description: String {
    switch self {
    case .notConnected: "not connected to the broker"
    case .outstandingLimit(let limit): "\(limit) messages already wait for the broker"
    case .invalidTopic(let topic, let reason): "topic \(topic.debugDescription) \(reason)"
    case .payloadTooLarge(let bytes, let limit): "payload of \(bytes) bytes is larger than \(limit)"
    case .stopped: "the connection to the broker was stopped"
    }
  }
}

/// Options that cannot work whatever the broker says.
public struct InvalidOptions: Error, Sendable, Equatable, CustomStringConvertible {
  public var description: String
}
