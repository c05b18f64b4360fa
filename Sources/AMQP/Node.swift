/// A RabbitMQ node, and our login.
public struct Node: Hashable, Sendable {
  public var host: String
  public var port: Int
  public var virtualHost = "/"
  /// nil: the name in our certificate.
  public var user: String? = "guest"
  public var password = "guest"
  /// nil: no encryption.
  public var certificates: Certificates?

  /// PEM files.
  public struct Certificates: Hashable, Sendable {
    /// nil: those of the operating system.
    public var authorities: String?
    /// Our own certificate, with `key`.
    public var certificate: String?
    public var key: String?

    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
    }
  }

  public init(host: String, port: Int = 5672) {
    self.host = host
    self.port = port
  }
}
