/// A configured beacon or region.
public struct BeaconEntry: Hashable, Sendable {
  public var name: String
  public var pattern: BeaconPattern
  /// RSSI at 1 m in dBm; overrides the frames' value.
  public var measuredPower: Int8?

  public init(name: String, pattern: BeaconPattern, measuredPower: Int8? = nil) {
    self.name = name
    self.pattern = pattern
    self.measuredPower = measuredPower
  }
}

/// What a beacon must send to match an entry.
public enum BeaconPattern: Hashable, Sendable {
  /// One beacon if both major and minor are given, else a region. A minor without a major never matches.
  case iBeacon(uuid: UInt128, major: UInt16? = nil, minor: UInt16? = nil)
  /// One beacon if all 20 octets are given, else a region of all ids with this prefix.
  case altBeacon(idPrefix: [UInt8])
  /// 80 and 48 bits; a region if there is no instance.
  case eddystoneUID(namespace: UInt128, instance: UInt64? = nil)
  /// The expanded URL, as `EddystoneURL.url`.
  case eddystoneURL(String)
  /// 48 bits, public or random.
  case address(UInt64)
  /// The holder of this entry's identity resolving key, as found by `AddressResolver`.
  case resolvingKey
  /// The device that scanners know by a name of their own, such as `phone:anna`. Radios never hear it.
  case scannerID(String)
  /// Any device that sends this name. Anybody can.
  case localName(String)
  /// Any device that offers this service: two octets or sixteen, the lowest first.
  case service([UInt8])
}

extension BeaconPattern {
  var isAddress: Bool { if case .address = self { true } else { false } }

  /// Whether many beacons can match; each is then a member such as `fleet:1.2`.
  public var isRegion: Bool {
    switch self {
    case .iBeacon(_, let major, let minor): major == nil || minor == nil
    case .altBeacon(let prefix): prefix.count < 20
    case .eddystoneUID(_, let instance): instance == nil
    case .eddystoneURL, .address, .resolvingKey, .scannerID, .localName, .service: false
    }
  }
}
