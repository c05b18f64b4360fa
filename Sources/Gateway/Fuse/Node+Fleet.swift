import AMQP
import Settings

extension Node {
  /// How to reach a configured node.
  init(_ node: FleetSettings.Node, _ fleet: FleetSettings) {
    self.init(host: node.host, port: Int(node.port))
    virtualHost = fleet.virtualHost
    user = fleet.username
    if let password = fleet.password { self.password = password.revealed }
    if node.isTLS {
      certificates = Certificates(
        authorities: fleet.tls.caFile, certificate: fleet.tls.certFile, key: fleet.tls.keyFile)
    }
  }
}
