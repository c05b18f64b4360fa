import Contract
import Core

/// `broker:` – where messages go.
package enum BrokerSettings: Hashable, Sendable {
  /// A private mosquitto on loopback that the gateway itself starts and stops.
  case embedded
  case remote(RemoteBroker)
}

/// An MQTT broker that the gateway does not start itself.
package struct RemoteBroker: Hashable, Sendable {
  package var host: String
  /// Default 1883, or 8883 for `mqtts`.
  package var port: UInt16
  /// nil: unencrypted (`mqtt://`).
  package var tls: TLSSettings?
  package var username: String?
  /// From `password_file` or the environment variable that `password_env` names.
  package var password: Secret?
  /// nil: MQTT 5, unless libmosquitto is too old for it.
  package var version: ProtocolVersion?
  /// nil: derived from the gateway's name.
  package var clientID: String?
  /// The levels before the gateway's name in every topic.
  package var baseTopic = Topics.usualRoot
  /// Default 60 s; MQTT counts whole seconds.
  package var keepAlive: TimeSpan = .seconds(60)
}

/// How `mqtts` authenticates both sides. Paths are absolute, or relative to the working directory.
package struct TLSSettings: Hashable, Sendable {
  /// PEM file of the authorities to trust; nil: those of the operating system.
  package var caFile: String?
  /// PEM files of the client's certificate and its private key; both or neither.
  package var certFile: String?
  package var keyFile: String?
  /// The name in the broker's certificate; nil: the broker's host.
  package var serverName: String?

  package init() {}
}

/// A text that never appears in a log, message or page: printing it gives `(secret)`.
package struct Secret: Hashable, Sendable {
  /// The text itself. Use it only in the call that needs it.
  package let revealed: String
  package init(_ text: String) { revealed = text }

  /// Stands for one that is not on this machine, in a configuration that is only checked. No password is empty.
  static let absent = Secret("")
}

/// Key bytes that never appear in a log, message or page.
package struct SecretBytes: Hashable, Sendable {
  /// The bytes themselves. Use them only in the call that needs them.
  package let revealed: [UInt8]
  package init(_ bytes: [UInt8]) { revealed = bytes }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
