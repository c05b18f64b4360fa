import Core

/// `fleet:` – a site of many gateways, whose observations RabbitMQ carries.
package struct FleetSettings: Hashable, Sendable {
  /// A node of the RabbitMQ cluster.
  package struct Node: Hashable, Sendable {
    package var host: String
    /// Default 5672, or 5671 for `amqps`.
    package var port: UInt16
    package var isTLS: Bool
  }

  /// `rabbitmq`: a worker connects to any that it reaches.
  package var nodes: [Node]
  /// nil: the name in our certificate; without one, RabbitMQ's `guest`.
  package var username: String?
  package var password: Secret?
  package var virtualHost: String = "/"
  package var tls: TLSSettings = TLSSettings()
  /// How many queues share the beacons; the same number as in every gateway's `publish`. Default 16.
  package var partitions: Int = 16
  /// How often gateways publish observations: the slowest gateway's `interval`. Default 1 s.
  package var interval: TimeSpan = .seconds(1)
  /// How often a partition's state is saved. Default 5 s.
  package var checkpoint: TimeSpan = .seconds(5)
}
