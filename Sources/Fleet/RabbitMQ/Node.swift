/// A RabbitMQ node, and our login.
package struct Node: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var virtualHost = "/"
  /// nil: the name in our certificate.
  package var user: String? = "guest"
  package var password = "guest"
  /// nil: no encryption.
  package var certificates: Certificates?

  /// PEM files.
  package struct Certificates: Hashable, Sendable {
    /// nil: those of the operating system.
    package var authorities: String?
    /// Our own certificate, with `key`.
    package var certificate: String?
    package var key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
    }
  }

  package init(host: String, port: Int = 5672) {
    self.host = host
    self.port = port
  }
}
