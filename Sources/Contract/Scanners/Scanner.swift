import Core

/// A remote program or device that publishes advertisements over MQTT: its name, its topics, and how to read its messages.
package struct Scanner: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case espresense, theengs, beaconkeeper, json
  }

  package var kind: Kind
  /// The topic of observations.
  package var topic: TopicPattern
  /// The topic of `online` and `offline`; nil: none.
  package var status: TopicPattern?
  /// The topic of regular health reports.
  package var telemetry: TopicPattern?
  /// How its messages are read; unused for a Beaconkeeper.
  package var mapping: JSONMapping
  /// The receiver's name, if neither topic nor message has it.
  package var receiver: String?
  /// A prefix for the scanner's names of receivers.
  package var prefix: String
  /// Names for receivers, by the scanner's names. `prefix` does not apply to them.
  package var aliases: [String: String]
  /// Beacons by the scanner's own ids: in a configuration the beacons' names, otherwise their keys
  /// (`BeaconCatalogue.key(of:)`).
  package var identities: [String: String]
  /// How long gateways collect observations at most before they publish them. Other scanners publish at once.
  package var interval: TimeSpan
  /// Whether there are rooms, which wait for `interval`.
  package var servesRooms = false

  package static let usualInterval = TimeSpan.milliseconds(200)
  /// How much later an observation may come and still count for rooms.
  package static let slack = TimeSpan.milliseconds(400)

  package init(
    kind: Kind, topic: TopicPattern? = nil, status: TopicPattern? = nil, mapping: JSONMapping? = nil,
    receiver: String? = nil, prefix: String = "", aliases: [String: String] = [:],
    identities: [String: String] = [:], interval: TimeSpan = usualInterval
  ) {
    self.kind = kind
    self.topic = (topic ?? kind.usualTopic()).naming(kind.wildcards)
    self.status =
      status?.naming([kind == .beaconkeeper ? .gateway : .receiver]) ?? kind.status(for: self.topic)
    telemetry = kind.telemetry(for: self.topic)
    self.mapping = mapping ?? kind.mapping
    self.receiver = receiver
    self.prefix = prefix
    self.aliases = aliases
    self.identities = identities
    self.interval = interval
  }

  /// Our name of a receiver.
  func name(of receiver: String) -> String { aliases[receiver] ?? prefix + receiver }

  /// The scanner's own name of a receiver that has our name; nil: it has none such.
  func receiver(named name: String) -> String? {
    if let own = aliases.filter({ $0.value == name }).keys.min() { return own }
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
  }
}

extension Scanner.Kind {
  /// Source: ESPresense's and OpenMQTTGateway's documentation; ours.
  ///
  /// - Parameter root: the levels before a Beaconkeeper's name.
  package func usualTopic(root: String = Topics.usualRoot) -> TopicPattern {
    switch self {
    case .espresense: pattern("espresense/devices/{id}/{receiver}")
    case .theengs: pattern("home/{receiver}/BTtoMQTT/{address}")
    case .beaconkeeper: pattern("\(root)/{gateway}/observations/{partition}")
    // Never used, because the configuration must have one.
    case .json: pattern("scanners/{receiver}")
    }
  }

  /// The fields that wildcards in a topic stand for, in order.
  var wildcards: [TopicPattern.Field] {
    switch self {
    case .espresense: [.id, .receiver]
    case .theengs: [.receiver, .address]
    case .beaconkeeper: [.gateway, .partition]
    case .json: []
    }
  }

  /// The status topic of a scanner of this kind, derived from its topic.
  func status(for topic: TopicPattern) -> TopicPattern? {
    switch self {
    case .espresense: topic.replacing(from: "devices", by: pattern("rooms/{receiver}/status"))
    case .theengs: topic.replacing(from: "BTtoMQTT", by: pattern("LWT"))
    case .beaconkeeper: topic.replacing(from: "observations", by: pattern("status"))
    case .json: nil
    }
  }

  /// The topic of its regular health reports.
  func telemetry(for topic: TopicPattern) -> TopicPattern? {
    switch self {
    case .espresense: topic.replacing(from: "devices", by: pattern("rooms/{receiver}/telemetry"))
    case .beaconkeeper: topic.replacing(from: "observations", by: pattern("health"))
    case .theengs, .json: nil
    }
  }

  package var mapping: JSONMapping {
    switch self {
    case .espresense:
      JSONMapping(fields: [.address: "mac", .id: "id", .rssi: "rssi", .measuredPower: "rssi@1m"])
    case .theengs:
      JSONMapping(fields: [
        .address: "id", .rssi: "rssi", .manufacturerData: "manufacturerdata", .serviceData: "servicedata",
        .serviceUUID: "servicedatauuid", .uuid: "uuid", .major: "major", .minor: "minor",
        .measuredPower: "txpower",
      ])
    case .beaconkeeper, .json: JSONMapping(fields: [:])
    }
  }

  private func pattern(_ text: String) -> TopicPattern {
    do { return try TopicPattern(text) } catch { preconditionFailure("\(text): \(error)") }
  }
}
