import Core

/// How to reach a broker and how to behave there.
package struct Options: Sendable {
  /// Host name or address of the broker.
  package var host: String
  /// TCP port of the broker: usually 1883, or 8883 with TLS.
  package var port: Int
  /// MQTT 5, unless an old broker or an old libmosquitto needs 3.1.1; see `ProtocolVersion.safest`.
  package var protocolVersion: ProtocolVersion = .v5
  /// Client identifier, unique at the broker: a second client with the same one disconnects the first.
  /// Empty: a random one.
  package var clientID: String = ""
  /// Longest silence before the client pings the broker, 5 s … 65,535 s. A dead connection is noticed
  /// after 1.5 times this.
  package var keepAlive: Duration = .seconds(30)
  package var credentials: Credentials?
  /// TLS, at least version 1.2. `nil`: plain TCP.
  package var tls: TLS?
  /// The message that the broker publishes for us when the connection breaks.
  package var will: Will?
  /// Whether to connect again after a connection ended or an attempt failed. Without, the client ends then.
  package var reconnects = true
  /// Waiting times between attempts to connect.
  package var backoff = Backoff()
  /// How many QoS 1 messages may be under way without acknowledgement, 1 … 65,535. The broker may ask for fewer.
  package var window = 100
  /// How many QoS 1 messages may wait for acknowledgement in total, sent or not. Also the limit for
  /// QoS 0 messages that are not yet written to the socket.
  package var maximumOutstanding = 1000
  /// Largest payload to publish or accept, in bytes. With MQTT 5 the broker learns the limit, and does not send larger ones.
  package var maximumPayload = 256 * 1024

  /// Largest packet to accept: room for the payload, the topic and the packet's own header. With MQTT 5 the broker is asked
  /// to send nothing larger. With 3.1.1 it cannot know, so the limit is far higher. Otherwise any client that may publish could
  /// keep disconnecting us with a slightly larger packet.
  var maximumPacket: Int {
    protocolVersion == .v5 ? maximumPayload + 70_000 : max(16 << 20, maximumPayload + 70_000)
  }

  package init(host: String, port: Int = 1883) {
    self.host = host
    self.port = port
  }

  /// For another client beside the one with these options: it has its own id and no last will.
  ///
  /// Brokers may admit clients by the beginning of their ids (mosquitto: `clientid_prefixes`) or refuse an empty one, so its id
  /// begins like the other's. It is short, because a broker need not take more than 23 octets (MQTT 3.1.1, section 3.1.3.1).
  package func beside() -> Options {
    var options = withoutWill()
    if !clientID.isEmpty {
      options.clientID = "\(clientID)-\(String(UInt16.random(in: 0x1000 ... .max), radix: 16))"
    }
    return options
  }

  package func withoutWill() -> Options {
    var options = self
    options.will = nil
    return options
  }
}

/// User name and password. Never shows the password when printed.
package struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
  package var username: String
  package var password: String?

  package init(username: String, password: String?) {
    self.username = username
    self.password = password
  }

  package var description: String { "\(username):***" }
  package var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// Whom to trust, and how to identify ourselves.
package struct TLS: Sendable {
  package enum Authority: Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// A PEM file with one or several certificates.
    case file(String)
    /// A directory prepared with `openssl rehash`.
    case directory(String)
  }

  /// A certificate that identifies us to the broker. PEM files.
  package struct Identity: Sendable, CustomReflectable {
    package var certificateFile: String
    /// Without a passphrase.
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }

    package var customMirror: Mirror { Mirror(self, children: ["certificateFile": certificateFile]) }
  }

  package var authority: Authority
  package var identity: Identity?
  /// The name or address in the broker's certificate; nil: its host.
  package var serverName: String?

  package init(authority: Authority = .system, identity: Identity? = nil, serverName: String? = nil) {
    self.authority = authority
    self.identity = identity
    self.serverName = serverName
  }
}

/// The last will: published by the broker if the client vanishes without a proper disconnect.
package struct Will: Sendable {
  package var topic: String
  package var payload: [UInt8]
  package var qos: QoS
  package var retain: Bool

  package init(topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = true) {
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
package struct Backoff: Sendable, Equatable {
  /// The first wait, before it is shortened.
  package var first = Duration.milliseconds(500)
  /// The longest wait of all.
  package var limit = Duration.seconds(60)

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
