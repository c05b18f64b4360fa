import Beacons

/// `fleet:` – a site of many gateways, whose observations RabbitMQ carries.
public struct FleetSettings: Hashable, Sendable {
  /// A node of the RabbitMQ cluster.
  public struct Node: Hashable, Sendable {
    public var host: String
    /// Default 5672, or 5671 for `amqps`.
    public var port: UInt16
    public var isTLS: Bool

    public init(host: String, port: UInt16, isTLS: Bool) {
      self.host = host
      self.port = port
      self.isTLS = isTLS
    }
  }

  /// `rabbitmq`: a worker connects to any that it reaches.
  public var nodes: [Node]
  /// nil: the name in our certificate; without one, RabbitMQ's `guest`.
  public var username: String?
  public var password: Secret?
  public var virtualHost: String
  public var tls: TLSSettings
  /// How many queues share the beacons; the same number as in every gateway's `publish`. Default 16.
  public var partitions: Int
  /// How often gateways publish observations: the slowest gateway's `interval`. Default 1 s.
  public var interval: TimeSpan
  /// How often a partition's state is saved. Default 5 s.
  public var checkpoint: TimeSpan

  public init(
    nodes: [Node], username: String? = nil, password: Secret? = nil, virtualHost: String = "/",
    tls: TLSSettings = TLSSettings(), partitions: Int = 16, interval: TimeSpan = .seconds(1),
    checkpoint: TimeSpan = .seconds(5)
  ) {
    self.nodes = nodes
    self.username = username
    self.password = password
    self.virtualHost = virtualHost
    self.tls = tls
    self.partitions = partitions
    self.interval = interval
    self.checkpoint = checkpoint
  }
}
