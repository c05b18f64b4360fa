import Contract
import Core

/// Reads `fleet:`.
struct FleetReader {
  var files: NamedFileReader

  private static let hint = "for example { rabbitmq: \"amqp://rabbit-1\", partitions: 16 }"
  private static let mostNodes = 16

  func read(_ value: Value) -> FleetSettings? {
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    let given = section.require("rabbitmq", hint: "the url of a node, or a list of them: \"amqp://rabbit-1\"")
    let values = given.map { $0.scalar == nil ? $0.list() ?? [] : [$0] } ?? []
    let nodes = values.prefix(Self.mostNodes).compactMap { readURL($0, .amqp) }
    if values.count > Self.mostNodes {
      values[Self.mostNodes].error(
        "more than \(Self.mostNodes) nodes", hint: "a worker needs to know only a few")
    }
    var settings = FleetSettings(
      nodes: nodes.map { .init(host: $0.host, port: $0.port, isTLS: $0.isTLS) })
    let broker = BrokerReader(files: files)
    let username = section.take("username").flatMap { $0.text() }
    settings.password = broker.readPassword(section, username: username)
    settings.username = username
    settings.virtualHost = section.take("virtual_host").flatMap { $0.text() } ?? "/"
    settings.tls = broker.readFiles(
      section, isTLS: nodes.isEmpty ? nil : nodes.contains(where: \.isTLS), .amqp)
    if let partitions = section.take("partitions"), let count = partitions.integer(upTo: 1024) {
      if count == 0 { partitions.error("partitions cannot be 0", hint: "16 suits most sites") }
      settings.partitions = max(count, 1)
    }
    section.take("interval", into: &settings.interval) {
      readTime($0, from: .milliseconds(50), upTo: .seconds(10))
    }
    section.take("checkpoint", into: &settings.checkpoint) {
      readTime($0, from: .seconds(1), upTo: .seconds(60))
    }
    return settings
  }

  /// Reports sections that a fleet cannot have.
  func check(_ value: Value, _ configuration: Configuration) {
    if configuration.broker == .embedded {
      value.error(
        "a fleet needs a broker to publish to", hint: "add broker: { url: mqtt://… } of a mosquitto")
    }
    if configuration.topics.root != Topics.usualRoot {
      value.error("a fleet has no base_topic", hint: "remove it from broker")
    }
    // A URL can be written in several ways, and the partition of a beacon depends on the spelling.
    if let phone = configuration.phones.first(where: { $0.beaconKey == nil }) {
      value.error(
        "in a fleet the phone \(quoted(phone.name)) cannot carry a beacon known by its URL",
        hint: "let the phone carry a beacon with another id or an address")
    }
    if !configuration.scanners.isEmpty {
      value.error("a fleet hears gateways through RabbitMQ only", hint: "remove scanners")
    }
  }
}

/// Reads `publish:`.
struct PublishReader {
  private static let hint = "true, or for example { interval: 200 ms, partitions: 1 }"
  /// In octets. The smallest holds a minute of a busy gateway.
  private static let buffers = 1e6...4e9

  func read(_ value: Value) -> PublishSettings {
    var settings = PublishSettings()
    guard let section = value.section(hint: "for example { observations: true }") else { return settings }
    defer { section.finish() }
    settings.observations = section.take("observations").flatMap(readObservations)
    return settings
  }

  /// Only a fleet's gateway needs more than one topic.
  func check(_ value: Value, _ configuration: Configuration) {
    let root = configuration.topics.root
    guard let observations = configuration.publish.observations, observations.partitions > 1,
      root != Topics.usualRoot
    else { return }
    value.warning(
      "no worker of a fleet hears this gateway: it publishes below \(root)/, and they listen below \(Topics.usualRoot)/",
      hint: "remove base_topic from broker")
  }

  private func readObservations(_ value: Value) -> ObservationSettings? {
    if value.scalar != nil, !value.isNull {
      return readFlag(value) == true ? ObservationSettings() : nil
    }
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    var settings = ObservationSettings()
    section.take("interval", into: &settings.interval) {
      readTime($0, from: .milliseconds(50), upTo: .seconds(10))
    }
    if let partitions = section.take("partitions") {
      if let count = partitions.integer(upTo: 1024) {
        if count == 0 { partitions.error("partitions cannot be 0", hint: "1 puts all beacons on one topic") }
        settings.partitions = max(count, 1)
      }
    }
    settings.buffer = section.take("buffer").flatMap(readBuffer)
    return settings
  }

  private func readBuffer(_ value: Value) -> Int? {
    guard let octets = value.measure(.size) else { return nil }
    guard Self.buffers.contains(octets) else {
      return value.refused(
        "buffer cannot be \(Measure(.size, octets))",
        hint: "from 1 MB to 4 GB; ten minutes of a busy gateway are about 10 MB")
    }
    return Int(octets)
  }
}

func sentence(_ fleet: FleetSettings) -> String {
  let nodes = listed(fleet.nodes.map { "\($0.host):\($0.port)\($0.isTLS ? " (TLS)" : "")" })
  let queues = fleet.partitions == 1 ? "one queue" : "\(fleet.partitions) queues"
  let user = fleet.username ?? (fleet.tls.certFile == nil ? "guest" : "whom the certificate names")
  return
    "workers (beaconkeeper fuse) take what gateways heard out of \(queues) of RabbitMQ at \(nodes) as \(user), where gateways publish every \(Measure(.time, fleet.interval.seconds)), and save their state there every \(Measure(.time, fleet.checkpoint.seconds))"
}
