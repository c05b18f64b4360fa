import Beacons

/// `beacons:` – one beacon or a region.
public struct BeaconSettings: Hashable, Sendable {
  public var name: String
  public var pattern: BeaconPattern
  /// `irk`: the name of its identity resolving key, if `pattern` is `resolvingKey`.
  public var identityKey: String?
  /// `measured_power`: RSSI in dBm at 1 m; overrides the frame's value.
  public var measuredPower: Double?
  /// `bind_key`: the name of the key that decrypts its readings (BTHome).
  public var bindKey: String?
  /// `names`: readable names for members of a region, by the part after the colon in `fleet:1.1`.
  public var names: [String: String]

  public init(
    name: String, pattern: BeaconPattern, identityKey: String? = nil, measuredPower: Double? = nil,
    bindKey: String? = nil, names: [String: String] = [:]
  ) {
    self.name = name
    self.pattern = pattern
    self.identityKey = identityKey
    self.measuredPower = measuredPower
    self.bindKey = bindKey
    self.names = names
  }
}
