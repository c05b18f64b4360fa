import Beacons

/// What names the site's parts have, and the configuration in which they stand.
extension CrowdSite {
  static let receiver = "hci0"
  /// Of all tags.
  static let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"
  /// The region that they are members of.
  static let region = "tag"

  public static let siteName = "site"

  /// `fleet:` and `broker:` of a worker's configuration.
  public struct WorkerSettings: Sendable {
    public var name = CrowdSite.siteName
    /// Where workers publish: `mqtt://host:1883`.
    public var broker: String
    /// RabbitMQ's nodes: `amqp://host:5672`.
    public var nodes: [String]

    public init(broker: String, nodes: [String]) {
      self.broker = broker
      self.nodes = nodes
    }
  }

  /// The YAML of a configuration that knows this site. `worker`: nil: of one gateway that hears all others.
  public func configuration(_ settings: CrowdSettings, _ worker: WorkerSettings?) -> String {
    var lines = ["gateway: { name: \(worker?.name ?? Self.siteName) }"]
    if let worker {
      let nodes = worker.nodes.map { "\"\($0)\"" }.joined(separator: ", ")
      lines += [
        "broker: { url: \"\(worker.broker)\" }",
        "fleet: { rabbitmq: [\(nodes)], partitions: \(settings.partitions), interval: \(settings.interval.nanoseconds / 1_000_000) ms }",
      ]
    } else {
      lines += ["scanners: [{ kind: beaconkeeper }]"]
    }
    lines += [
      "home_assistant: off",
      "beacons: [{ name: \(Self.region), ibeacon: { uuid: \(Self.uuid) } }]", "receivers:",
    ]
    for gateway in gateways {
      let position = "[\(metres(gateway.x)), \(metres(gateway.y)), 2 m]"
      lines.append("  - { name: \(gateway.name)/\(Self.receiver), position: \(position) }")
    }
    lines.append("rooms:")
    for room in 0..<rooms {
      let (west, south) = (Double(room % columns) * Self.width, Double(room / columns) * Self.depth)
      let (east, north) = (west + Self.width, south + Self.depth)
      let corners = [(west, south), (east, south), (east, north), (west, north)]
        .map { "[\(metres($0)), \(metres($1))]" }.joined(separator: ", ")
      let receivers = gateways.filter { $0.room == room }.map { "\($0.name)/\(Self.receiver)" }
        .joined(separator: ", ")
      lines.append(
        "  - { name: \(name(ofRoom: room)), receivers: [\(receivers)], outline: [\(corners)] }")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension WalkingCrowd {
  private static let minors = 1000

  /// What the observations call a tag.
  static func key(_ tag: Int) -> String {
    "ibeacon \(CrowdSite.uuid.filter { $0 != "-" }) \(tag / minors) \(tag % minors)"
  }

  /// What transitions call a tag.
  public static func name(ofTag tag: Int) -> String { "\(CrowdSite.region):\(tag / minors).\(tag % minors)" }
}

private func metres(_ length: Double) -> String {
  let centimetres = Int((length * 100).rounded())
  let rest = centimetres % 100
  return "\(centimetres / 100).\(rest < 10 ? "0" : "")\(rest) m"
}
