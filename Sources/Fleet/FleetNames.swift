import Contract

/// The names of a site's queues, exchanges and keys in RabbitMQ.
package struct FleetNames: Hashable, Sendable {
  /// The exchange to which RabbitMQ's MQTT listener publishes.
  package static let exchange = "amq.topic"
  /// The ends of the keys of reports about phones' apps.
  static let appReports = [".app.set", ".app.seen"]

  package let site: String
  private let base: String

  package init(site: String) {
    self.site = site
    base = "beaconkeeper." + topicLevel(site)
    tick = "beaconkeeper-fleet.\(topicLevel(site)).tick"
  }

  /// The queue of the observations of one partition's beacons.
  package func queue(_ partition: Int) -> String { "\(base).\(partition)" }
  /// The queue that records which worker has a partition, and holds its last state.
  package func lease(_ partition: Int) -> String { "\(base).\(partition).lease" }
  /// An empty queue. The worker that consumes it publishes the topics of the whole site.
  package var lead: String { base + ".lead" }
  /// The exchange of ticks. Only workers may write to it, so that a gateway, which may only publish observations, cannot set
  /// the time.
  package var time: String { base + ".time" }
  /// The key of ticks.
  package let tick: String
  /// The key of ticks for other workers, which partitions do not get.
  package var alive: String { "beaconkeeper-fleet.\(topicLevel(site)).alive" }

  /// The keys of reports about the apps of any of the site's phones.
  private var appReports: [String] {
    Topics(gateway: site).appReports.map { Self.topic(ofKey: $0).replacing("+", with: "*") }
  }

  /// The keys of `exchange` that are bound to a partition's queue. Ticks come from `time`.
  package func bindings(_ partition: Int) -> [String] {
    ["beaconkeeper.*.observations.\(partition)", "beaconkeeper.*.status"] + appReports
  }

  /// The MQTT topic of a key: RabbitMQ writes `.` for `/`, and the other way round.
  package static func topic(ofKey key: String) -> String {
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
