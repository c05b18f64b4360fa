import MQTT
import Beacons
import Settings
import Messages
import Mosquitto

extension Options {
  /// How to reach a configured broker; the last will says `offline`.
  init(_ broker: RemoteBroker, gateway: String) {
    self.init(host: broker.host, port: Int(broker.port))
    protocolVersion = broker.version ?? .safest
    clientID = broker.clientID ?? "beaconkeeper-\(gateway)"
    keepAlive = .nanoseconds(broker.keepAlive.nanoseconds)
    if let username = broker.username {
      credentials = Credentials(username: username, password: broker.password?.revealed)
    }
    if let settings = broker.tls {
      var tls = TLS(authority: settings.caFile.map(TLS.Authority.file) ?? .system)
      if let certificate = settings.certFile, let key = settings.keyFile {
        tls.identity = TLS.Identity(certificateFile: certificate, keyFile: key)
      }
      self.tls = tls
    }
    setWill(gateway: gateway)
  }

  /// The gateway's own broker on loopback.
  init(_ broker: EmbeddedBroker, gateway: String) {
    self.init(host: "127.0.0.1", port: broker.port)
    // Random, because a client with the same id takes over the session.
    clientID = "beaconkeeper-\(gateway)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    credentials = broker.credentials
    setWill(gateway: gateway)
  }

  private mutating func setWill(gateway: String) {
    let offline = Status.offline.message(topics: Topics(gateway: gateway))
    will = Will(topic: offline.topic, payload: offline.payload, qos: .atLeastOnce, retain: true)
  }
}
