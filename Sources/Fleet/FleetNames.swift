import Messages

/// What a site's queues and keys in RabbitMQ are called.
public struct FleetNames: Hashable, Sendable {
  /// The exchange into which RabbitMQ's MQTT listener puts what it takes in.
  public static let exchange = "amq.topic"
  /// How the keys of reports about phones' apps end.
  static let appReport = ".app.set"

  public let site: String
  private let base: String

  public init(site: String) {
    self.site = site
    base = "beaconkeeper." + topicLevel(site)
  }

  /// Holds what is heard of one partition's beacons.
  public func queue(_ partition: Int) -> String { "\(base).\(partition)" }
  /// Says which worker has a partition, and holds its last state.
  public func lease(_ partition: Int) -> String { "\(base).\(partition).lease" }
  /// An empty queue. The worker that consumes it tells what belongs to the whole site.
  public var lead: String { base + ".lead" }
  /// The exchange of ticks. Only workers need the right to write it: whoever may publish observations cannot tell the time.
  public var time: String { base + ".time" }
  /// The key of ticks.
  public var tick: String { "beaconkeeper-fleet.\(topicLevel(site)).tick" }
  /// The key of ticks that are for other workers only, not for partitions.
  public var alive: String { "beaconkeeper-fleet.\(topicLevel(site)).alive" }

  /// The key of reports about the apps of any of the site's phones.
  private var appReports: String {
    Self.topic(ofKey: Topics(gateway: site).appReports).replacing("+", with: "*")
  }

  /// The keys of `exchange` that are bound to a partition's queue. Ticks come from `time`.
  public func bindings(_ partition: Int) -> [String] {
    ["beaconkeeper.*.observations.\(partition)", "beaconkeeper.*.status", appReports]
  }

  /// The MQTT topic of a key: RabbitMQ writes `.` for `/`, and the other way round.
  public static func topic(ofKey key: String) -> String {
    String(
      decoding: key.utf8.map { unit in
        switch unit {
        case UInt8(ascii: "."): UInt8(ascii: "/")
        case UInt8(ascii: "/"): UInt8(ascii: ".")
        default: unit
        }
      }, as: UTF8.self)
  }
}
