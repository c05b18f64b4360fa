import Beacons
import Scanners

/// `scanners:` – one or several receivers of one kind that publish what they hear over MQTT.
public struct ScannerSettings: Hashable, Sendable {
  public var kind: Scanner.Kind
  /// `topic`: nil: the usual one of its kind.
  public var topic: TopicPattern?
  /// `status`: the topic of its `online` and `offline` messages; nil: its kind's usual topic.
  public var status: TopicPattern?
  /// `receiver`: the receiver's name, if neither topic nor message has one.
  public var receiver: String?
  /// `prefix`: precedes the receivers' names.
  public var prefix: String
  /// `receivers`: names for receivers, by the scanner's own names.
  public var aliases: [String: String]
  /// `identities`: names of beacons, by the scanner's own names.
  public var identities: [String: String]
  /// `each` and `fields`: how a message is read, if `kind` is `json`.
  public var mapping: JSONMapping?

  public init(
    kind: Scanner.Kind, topic: TopicPattern? = nil, status: TopicPattern? = nil, receiver: String? = nil,
    prefix: String = "", aliases: [String: String] = [:], identities: [String: String] = [:],
    mapping: JSONMapping? = nil
  ) {
    self.kind = kind
    self.topic = topic
    self.status = status
    self.receiver = receiver
    self.prefix = prefix
    self.aliases = aliases
    self.identities = identities
    self.mapping = mapping
  }
}

extension Configuration {
  /// The scanners, with the beacons' keys in place of their names.
  public var resolvedScanners: [Scanner] {
    guard !scanners.isEmpty else { return [] }
    let keys = Dictionary(
      beacons.compactMap { beacon in
        BeaconEntry(name: beacon.name, pattern: beacon.pattern).key.map { (beacon.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    return scanners.map { scanner in
      Scanner(
        kind: scanner.kind, topic: scanner.topic, status: scanner.status, mapping: scanner.mapping,
        receiver: scanner.receiver, prefix: scanner.prefix, aliases: scanner.aliases,
        identities: scanner.identities.compactMapValues { keys[$0] }.merging(resolvingIdentities(keys)) {
          written, _ in written
        })
    }
  }

  /// ESPresense calls a device whose identity resolving key it has `irk:` and the key. A beacon with that key is the same, so that
  /// nobody must write the key into the configuration. It shows the octets in either order.
  private func resolvingIdentities(_ keys: [String: String]) -> [String: String] {
    var identities: [String: String] = [:]
    for beacon in beacons {
      guard let secret = beacon.identityKey.flatMap({ self.keys[$0] })?.revealed, let key = keys[beacon.name]
      else {
        continue
      }
      identities["irk:" + hexadecimal(secret)] = key
      identities["irk:" + hexadecimal(Array(secret.reversed()))] = key
    }
    return identities
  }
}
