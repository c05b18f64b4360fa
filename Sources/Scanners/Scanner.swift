import Beacons

/// A program or device elsewhere that publishes what it hears over MQTT: its name, its topics, and how to read them.
public struct Scanner: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case espresense, theengs, beaconkeeper, json
  }

  public var kind: Kind
  /// Where observations come.
  public var topic: TopicPattern
  /// Where `online` and `offline` come; nil: nowhere.
  public var status: TopicPattern?
  /// Where it says more of how it is.
  public var telemetry: TopicPattern?
  /// How its messages are read; unused for a Beaconkeeper.
  public var mapping: JSONMapping
  /// The receiver, if neither topic nor message says it.
  public var receiver: String?
  /// What the scanner calls receivers is preceded by this.
  public var prefix: String
  /// Names for receivers, by what the scanner calls them. `prefix` does not apply.
  public var aliases: [String: String]
  /// Beacons by the scanner's own names for them: in a configuration their names, else their keys (`BeaconCatalogue.key(of:)`).
  public var identities: [String: String]
  /// How long gateways collect what they hear before they publish it, at most. Others publish at once.
  public var interval: TimeSpan
  /// Whether there are rooms, which wait for that long.
  public var servesRooms = false

  public static let usualInterval = TimeSpan.milliseconds(200)
  /// How much longer than that an observation may take and still count for rooms.
  public static let slack = TimeSpan.milliseconds(400)

  public init(
    kind: Kind, topic: TopicPattern? = nil, status: TopicPattern? = nil, mapping: JSONMapping? = nil,
    receiver: String? = nil, prefix: String = "", aliases: [String: String] = [:],
    identities: [String: String] = [:], interval: TimeSpan = usualInterval
  ) {
    self.kind = kind
    self.topic = (topic ?? kind.usualTopic).naming(kind.wildcards)
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

  /// What our configuration calls a receiver.
  func name(of receiver: String) -> String { aliases[receiver] ?? prefix + receiver }
}

extension Scanner.Kind {
  /// Source: ESPresense's and OpenMQTTGateway's documentation; ours.
  public var usualTopic: TopicPattern {
    switch self {
    case .espresense: pattern("espresense/devices/{id}/{receiver}")
    case .theengs: pattern("home/{receiver}/BTtoMQTT/{address}")
    case .beaconkeeper: pattern("beaconkeeper/{gateway}/observations/{partition}")
    // Never used: the configuration must give one.
    case .json: pattern("scanners/{receiver}")
    }
  }

  /// What wildcards in a topic mean, in order.
  var wildcards: [TopicPattern.Field] {
    switch self {
    case .espresense: [.id, .receiver]
    case .theengs: [.receiver, .address]
    case .beaconkeeper: [.gateway, .partition]
    case .json: []
    }
  }

  /// Where a scanner of this kind says whether it is there, judged by where it publishes.
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

  public var mapping: JSONMapping {
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
