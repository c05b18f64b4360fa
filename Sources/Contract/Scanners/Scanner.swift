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

  /// The scanner's own name for a receiver, by our name; nil: the scanner can have no receiver with this
  /// name.
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

/// A topic with fields in some of its levels: `espresense/devices/{id}/{receiver}`. A level is a text, a field in braces, or `+`
/// for any text; the last may be `#` for any further levels.
package struct TopicPattern: Hashable, Sendable {
  /// The meaning of a level.
  package enum Field: String, CaseIterable, Sendable {
    /// The receiver.
    case receiver
    /// The beacon's Bluetooth address.
    case address
    /// The scanner's own name for the beacon.
    case id
    /// The Beaconkeeper that publishes, and the partition of its beacons.
    case gateway, partition
  }

  /// Why a text is not a valid pattern.
  package enum Problem: Error, Hashable, Sendable {
    case empty
    /// A level that is neither a text, a known field, nor a wildcard on its own.
    case level(String)
    case repeated(Field)
    case tooLong
  }

  private enum Level: Hashable {
    case text(String)
    case any
    case field(Field)
    case rest
  }

  package static let limit = 200
  private let levels: [Level]

  private init(levels: [Level]) { self.levels = levels }

  package init(_ text: String) throws(Problem) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.limit else { throw .tooLong }
    var levels: [Level] = []
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part == "+" {
        levels.append(.any)
      } else if part == "#", index == parts.count - 1 {
        levels.append(.rest)
      } else if part.hasPrefix("{"), part.hasSuffix("}"),
        let field = Field(rawValue: String(part.dropFirst().dropLast()))
      {
        guard !levels.contains(.field(field)) else { throw .repeated(field) }
        levels.append(.field(field))
      } else if part.utf8.allSatisfy({ !"+#{}\0".utf8.contains($0) }) {
        levels.append(.text(String(part)))
      } else {
        throw .level(String(part))
      }
    }
    self.levels = levels
  }

  package func has(_ field: Field) -> Bool { levels.contains(.field(field)) }

  /// The pattern with fields instead of its wildcards: the meaning of `home/+/BTtoMQTT/+` for a kind. If there are fewer
  /// wildcards than fields, the last fields are used.
  func naming(_ fields: [Field]) -> TopicPattern {
    guard Field.allCases.allSatisfy({ !has($0) }) else { return self }
    var rest = fields.suffix(levels.count { $0 == .any })
    return TopicPattern(
      levels: levels.map { level in level == .any ? rest.popFirst().map(Level.field) ?? level : level })
  }

  /// The pattern in which the last level with this text and those after it are replaced; nil if there is none, or if a field
  /// would be repeated.
  func replacing(from level: String, by others: TopicPattern) -> TopicPattern? {
    guard let place = levels.lastIndex(of: .text(level)) else { return nil }
    let kept = levels[..<place]
    guard Field.allCases.allSatisfy({ !kept.contains(.field($0)) || !others.has($0) }) else { return nil }
    return TopicPattern(levels: kept + others.levels)
  }

  /// The MQTT filter that its topics match.
  package var filter: String {
    levels.map { level in
      switch level {
      case .text(let text): text
      case .any, .field: "+"
      case .rest: "#"
      }
    }.joined(separator: "/")
  }

  /// The values of the fields in a topic; nil if it does not match.
  func match(_ topic: String) -> [Field: String]? {
    var fields: [Field: String] = [:]
    var rest = topic.utf8[...]
    var isFirst = true
    for level in levels {
      if !isFirst {
        // `a/#` matches `a` too.
        if rest.isEmpty { return level == .rest ? fields : nil }
        rest = rest.dropFirst()
      }
      isFirst = false
      if level == .rest { return fields }
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let part = rest[..<end]
      rest = rest[end...]
      switch level {
      case .text(let text): guard part.elementsEqual(text.utf8) else { return nil }
      case .field(let field): fields[field] = String(Substring(part))
      case .any, .rest: break
      }
    }
    return rest.isEmpty ? fields : nil
  }
}
