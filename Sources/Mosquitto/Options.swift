import MQTT

/// How to reach a broker and how to behave there.
public struct Options: Sendable {
  /// The version of MQTT to speak. A client does not fall back from one to the other by itself.
  public enum ProtocolVersion: Sendable {
    case v5
    case v311
  }

  /// Host name or address of the broker.
  public var host: String
  /// TCP port of the broker: by custom 1883, and 8883 with TLS.
  public var port: Int
  /// MQTT 5, unless an old broker needs 3.1.1, or an old libmosquitto: see `ProtocolVersion.safest`.
  public var protocolVersion: ProtocolVersion = .v5
  /// Client identifier, unique at the broker: a second client with the same one throws the first out.
  /// Empty: chosen at random.
  public var clientID: String = ""
  /// Begin with a fresh session at the broker, without what waited there from an earlier connection.
  public var cleanStart = true
  /// Without a clean start: how long the broker keeps the session after the connection is gone (MQTT 5).
  public var sessionExpiry: Duration = .seconds(3600)
  /// Longest silence before the client pings the broker, 5 s … 65,535 s. A dead connection is noticed
  /// after 1.5 times this.
  public var keepAlive: Duration = .seconds(30)
  public var credentials: Credentials?
  /// TLS, at least version 1.2. `nil`: plain TCP.
  public var tls: TLS?
  /// What the broker publishes in our name when the connection breaks.
  public var will: Will?
  /// Waiting times between attempts to connect.
  public var backoff = Backoff()
  /// How many QoS 1 messages may be on the way without acknowledgement, 1 … 65,535. The broker may ask for fewer.
  public var window = 100
  /// How many QoS 1 messages may wait for their acknowledgement altogether, sent or not. Also the bound on
  /// QoS 0 messages not yet written to the socket.
  public var maximumOutstanding = 1000
  /// Largest payload that is published or accepted, in bytes. With MQTT 5 the broker is told, and keeps larger ones.
  public var maximumPayload = 256 * 1024

  /// Largest packet that is taken. With MQTT 5 the broker is asked for no more: there is room for the payload, the topic and the
  /// packet's own header. With 3.1.1 it cannot know, and any client that may publish could keep us away with a slightly larger
  /// packet.
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

/// Whom to trust, and who we are.
public struct TLS: Sendable {
  public enum Authority: Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// A PEM file with one or several certificates.
    case file(String)
    /// A directory prepared with `openssl rehash`.
    case directory(String)
  }

  /// A certificate by which the broker knows us. Files in PEM.
  public struct Identity: Sendable, CustomReflectable {
    public var certificateFile: String
    public var keyFile: String
    public var passphrase: String?

    public init(certificateFile: String, keyFile: String, passphrase: String? = nil) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.passphrase = passphrase
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

/// The last will: published by the broker when the client vanishes without a proper good-bye.
public struct Will: Sendable {
  public var topic: String
  public var payload: [UInt8]
  public var qos: QoS
  public var retain: Bool
  /// How long the broker waits for us to come back before it publishes the will (MQTT 5).
  public var delay: Duration?
  /// After this time the broker forgets the will message (MQTT 5).
  public var expiry: Duration?

  public init(
    topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = true,
    delay: Duration? = nil, expiry: Duration? = nil
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.retain = retain
    self.delay = delay
    self.expiry = expiry
  }
}

extension Duration {
  /// Whole seconds as MQTT wants them in a property, rounded up, within 0 … 2³²−2 (2³²−1 means "for ever").
  var mqttSeconds: UInt32 {
    let (seconds, attoseconds) = components
    let whole = attoseconds > 0 && seconds < Int64.max ? seconds + 1 : seconds
    return UInt32(clamping: min(max(whole, 0), Int64(UInt32.max) - 1))
  }
}
