/// A RabbitMQ node, and who we are there.
public struct Node: Hashable, Sendable {
  public var host: String
  public var port: Int
  public var virtualHost = "/"
  /// nil: our certificate says it.
  public var user: String? = "guest"
  public var password = "guest"
  /// nil: no encryption.
  public var certificates: Certificates?

  /// PEM files.
  public struct Certificates: Hashable, Sendable {
    /// nil: those of the operating system.
    public var authorities: String?
    /// Identifies us, with `key`.
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
