import Beacons
import MQTT

/// `broker:` – where messages go.
public enum BrokerSettings: Hashable, Sendable {
  /// A private mosquitto on loopback that the gateway itself starts and stops.
  case embedded
  case remote(RemoteBroker)
}

/// An MQTT broker that the gateway does not start itself.
public struct RemoteBroker: Hashable, Sendable {
  public var host: String
  /// Default 1883, or 8883 for `mqtts`.
  public var port: UInt16
  /// nil: unencrypted (`mqtt://`).
  public var tls: TLSSettings?
  public var username: String?
  /// From `password_file` or the environment variable that `password_env` names.
  public var password: Secret?
  /// nil: MQTT 5, unless libmosquitto is too old for it.
  public var version: ProtocolVersion?
  /// nil: derived from the gateway's name.
  public var clientID: String?
  /// Default 60 s; MQTT counts whole seconds.
  public var keepAlive: TimeSpan

  public init(
    host: String, port: UInt16, tls: TLSSettings? = nil, username: String? = nil, password: Secret? = nil,
    version: ProtocolVersion? = nil, clientID: String? = nil, keepAlive: TimeSpan = .seconds(60)
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.username = username
    self.password = password
    self.version = version
    self.clientID = clientID
    self.keepAlive = keepAlive
  }
}

/// How `mqtts` authenticates both sides. Paths are absolute, or relative to the working directory.
public struct TLSSettings: Hashable, Sendable {
  /// PEM file of the authorities to trust; nil: those of the operating system.
  public var caFile: String?
  /// PEM files of the client's certificate and its private key; both or neither.
  public var certFile: String?
  public var keyFile: String?

  public init() {}
}

/// A text that never appears in a log, message or page: printing it gives `(secret)`.
public struct Secret: Hashable, Sendable {
  /// The text itself. Use it only in the call that needs it.
  public let revealed: String
  public init(_ text: String) { revealed = text }
}

/// Key bytes that never appear in a log, message or page.
public struct SecretBytes: Hashable, Sendable {
  /// The bytes themselves. Use them only in the call that needs them.
  public let revealed: [UInt8]
  public init(_ bytes: [UInt8]) { revealed = bytes }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
