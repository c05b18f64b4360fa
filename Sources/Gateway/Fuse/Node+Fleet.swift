import AMQP
import Settings

extension Node {
  /// How to reach a configured node.
  init(_ node: FleetSettings.Node, _ fleet: FleetSettings) {
    self.init(host: node.host, port: Int(node.port))
    virtualHost = fleet.virtualHost
    if let username = fleet.username {
      user = username
    } else if node.isTLS, fleet.tls.certFile != nil {
      user = nil
    }
    if let password = fleet.password { self.password = password.revealed }
    if node.isTLS {
      certificates = Certificates(
        authorities: fleet.tls.caFile, certificate: fleet.tls.certFile, key: fleet.tls.keyFile)
    }
  }
}
