import MQTT

/// How to reach a broker and how to behave there.
public struct Options: Sendable {
  /// Host name or address of the broker.
  public var host: String
  /// TCP port of the broker: usually 1883, or 8883 with TLS.
  public var port: Int
  /// MQTT 5, unless an old broker or an old libmosquitto needs 3.1.1; see `ProtocolVersion.safest`.
  public var protocolVersion: ProtocolVersion = .v5
  /// Client identifier, unique at the broker: a second client with the same one disconnects the first.
  /// Empty: a random one.
  public var clientID: String = ""
  /// Longest silence before the client pings the broker, 5 s … 65,535 s. A dead connection is noticed
  /// after 1.5 times this.
  public var keepAlive: Duration = .seconds(30)
  public var credentials: Credentials?
  /// TLS, at least version 1.2. `nil`: plain TCP.
  public var tls: TLS?
  /// The message that the broker publishes for us when the connection breaks.
  public var will: Will?
  /// Whether to connect again after a connection ended or an attempt failed. Without, the client ends then.
  public var reconnects = true
  /// Waiting times between attempts to connect.
  public var backoff = Backoff()
  /// How many QoS 1 messages may be under way without acknowledgement, 1 … 65,535. The broker may ask for fewer.
  public var window = 100
  /// How many QoS 1 messages may wait for acknowledgement in total, sent or not. Also the limit for
  /// QoS 0 messages that are not yet written to the socket.
  public var maximumOutstanding = 1000
  /// Largest payload to publish or accept, in bytes. With MQTT 5 the broker learns the limit, and does not send larger ones.
  public var maximumPayload = 256 * 1024

  /// Largest packet to accept: room for the payload, the topic and the packet's own header. With MQTT 5 the broker is asked
  /// to send nothing larger. With 3.1.1 it cannot know, so the limit is far higher. Otherwise any client that may publish could
  /// keep disconnecting us with a slightly larger packet.
  var maximumPacket: Int {
    protocolVersion == .v5 ? maximumPayload + 70_000 : max(16 << 20, maximumPayload + 70_000)
  }

  public init(host: String, port: Int = 1883) {
    self.host = host
    self.port = port
  }
}

/// User name and password. Never shows the password when printed.
public struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
  public var username: String
  public var password: String?

  public init(username: String, password: String?) {
    self.username = username
    self.password = password
  }

  public var description: String { "\(username):***" }
  public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// Whom to trust, and how to identify ourselves.
public struct TLS: Sendable {
  public enum Authority: Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// A PEM file with one or several certificates.
    case file(String)
    /// A directory prepared with `openssl rehash`.
    case directory(String)
  }

  /// A certificate that identifies us to the broker. PEM files.
  public struct Identity: Sendable, CustomReflectable {
    public var certificateFile: String
    /// Without a passphrase.
    public var keyFile: String

    public init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }

    public var customMirror: Mirror { Mirror(self, children: ["certificateFile": certificateFile]) }
  }

  public var authority: Authority
  public var identity: Identity?

  public init(authority: Authority = .system, identity: Identity? = nil) {
    self.authority = authority
    self.identity = identity
  }
}

/// The last will: published by the broker if the client vanishes without a proper disconnect.
public struct Will: Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: QoS
  public var retain: Bool

  public init(topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = true) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
  }
}

extension Duration {
  /// Whole seconds for an MQTT property, rounded up, within 0 … 2³²−2 (2³²−1 means "forever").
  var mqttSeconds: UInt32 {
    let (seconds, attoseconds) = components
    let whole = attoseconds > 0 && seconds < Int64.max ? seconds + 1 : seconds
    return UInt32(clamping: min(max(whole, 0), Int64(UInt32.max) - 1))
  }
}

/// Waiting times between attempts to connect. They double up to a limit, and each is shortened at random by up to a
/// half, so that a hundred gateways do not return to a restarted broker in the same instant.
public struct Backoff: Sendable, Equatable {
  /// The first wait, before it is shortened.
  public var first = Duration.milliseconds(500)
  /// The longest wait of all.
  public var limit = Duration.seconds(60)

  /// The wait after `failures` failed attempts in a row (1 for the first).
  ///
  /// - Parameter chance: a random number, 0 … 1: 0 for the full wait, 1 for half of it.
  func delay(failures: Int, chance: Double) -> Duration {
    var delay = min(first, limit)
    var doublings = max(failures, 1) - 1
    while doublings > 0 && delay < limit && delay > .zero {
      delay = min(delay * 2, limit)
      doublings -= 1
    }
    return delay * (1 - 0.5 * min(max(chance, 0), 1))
  }
}
