/// A configured beacon, or a region of them.
public struct BeaconEntry: Hashable, Sendable {
  public var name: String
  public var pattern: BeaconPattern
  /// RSSI at 1 m in dBm; overrides what frames say.
  public var measuredPower: Int8?

  public init(name: String, pattern: BeaconPattern, measuredPower: Int8? = nil) {
    self.name = name
    self.pattern = pattern
    self.measuredPower = measuredPower
  }
}

/// What a beacon must send to belong to an entry.
public enum BeaconPattern: Hashable, Sendable {
  /// One beacon with both major and minor, else a region. A minor without a major never matches.
  case iBeacon(uuid: UInt128, major: UInt16? = nil, minor: UInt16? = nil)
  /// One beacon with all 20 octets, else a region of those that begin so.
  case altBeacon(idPrefix: [UInt8])
  /// 80 and 48 bits; a region without instance.
  case eddystoneUID(namespace: UInt128, instance: UInt64? = nil)
  /// Written out, as `EddystoneURL.url`.
  case eddystoneURL(String)
  /// 48 bits, public or random.
  case address(UInt64)
  /// Whoever holds this entry's identity resolving key; `AddressResolver` says so.
  case resolvingKey
}

extension BeaconPattern {
  /// Whether many beacons can match, each then a member such as `fleet:1.2`.
  public var isRegion: Bool {
    switch self {
    case .iBeacon(_, let major, let minor): major == nil || minor == nil
    case .altBeacon(let prefix): prefix.count < 20
    case .eddystoneUID(_, let instance): instance == nil
    case .eddystoneURL, .address, .resolvingKey: false
    }
  }
}
