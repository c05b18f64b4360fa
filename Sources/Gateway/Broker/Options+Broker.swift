import Configuration
import Contract
import Core
import Mosquitto

extension Options {
  /// How to reach a configured broker; the last will says `offline`.
  init(_ broker: RemoteBroker, gateway: String) {
    self.init(host: broker.host, port: Int(broker.port))
    protocolVersion = broker.version ?? .safest
    clientID = broker.clientID ?? Self.clientID(of: gateway, root: broker.baseTopic)
    keepAlive = .nanoseconds(broker.keepAlive.nanoseconds)
    if let username = broker.username {
      credentials = Credentials(username: username, password: broker.password?.revealed)
    }
    if let settings = broker.tls {
      var tls = TLS(
        authority: settings.caFile.map(TLS.Authority.file) ?? .system, serverName: settings.serverName)
      if let certificate = settings.certFile, let key = settings.keyFile {
        tls.identity = TLS.Identity(certificateFile: certificate, keyFile: key)
      }
      self.tls = tls
    }
    setWill(Topics(gateway: gateway, root: broker.baseTopic))
  }

  /// The base is part of the id, so that gateways of one name below two bases do not take over each other's session. `/` is
  /// replaced, because mosquitto's `%c` allows none.
  private static func clientID(of gateway: String, root: String) -> String {
    let place = root == Topics.usualRoot ? "" : "@" + root.replacing("/", with: ".")
    return "beaconkeeper-\(gateway)\(place)"
  }

  /// The options of a client that works beside a running gateway.
  init(beside broker: RemoteBroker, gateway: String) { self = Options(broker, gateway: gateway).beside() }

  /// The gateway's own broker on loopback.
  init(_ broker: EmbeddedBroker, gateway: String) {
    self.init(host: "127.0.0.1", port: broker.port)
    // Random, because a client with the same id takes over the session.
    clientID = "beaconkeeper-\(gateway)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    credentials = broker.credentials
    setWill(Topics(gateway: gateway))
  }

  private mutating func setWill(_ topics: Topics) {
    let offline = Status.offline.message(topics: topics)
    will = Will(topic: offline.topic, payload: offline.payload, qos: .atLeastOnce, retain: true)
  }
}

extension Client {
  /// Connects, and returns the answer of the first event that has one; nil: none came in time.
  func firstAnswer<Answer: Sendable>(
    within patience: Duration, _ answer: @escaping @Sendable (Event) -> Answer?
  ) async -> Answer? {
    start()
    let found = await withTaskGroup(of: Answer?.self) { group in
      group.addTask { [events] in
        for await event in events {
          if let answer = answer(event) { return answer }
        }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    await stop()
    return found
  }
}

extension RemoteBroker {
  /// `mosquitto_sub` with the options for this broker, except the password. It compares the certificate with the host to which it
  /// connects; no option can change that: see `subscriberNeeds`.
  var subscriber: String {
    var words = ["mosquitto_sub", "-h", tls?.serverName ?? host, "-p", String(port)]
    if let username { words += ["-u", username, "-P", "…"] }
    if let tls {
      words += tls.caFile.map { ["--cafile", $0] } ?? ["--tls-use-os-certs"]
      if let certificate = tls.certFile, let key = tls.keyFile {
        words += ["--cert", certificate, "--key", key]
      }
    }
    return words.map(shellWord).joined(separator: " ")
  }

  /// What the user must do before `subscriber` works; nil: nothing. Without a check of the name, it would send the password to
  /// anybody with some certificate.
  var subscriberNeeds: String? {
    tls?.serverName.map { "first make \($0) lead to \(host), as in /etc/hosts" }
  }
}
