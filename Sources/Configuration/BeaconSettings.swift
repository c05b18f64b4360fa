import Beacons

/// `beacons:` – one beacon or a region.
package struct BeaconSettings: Hashable, Sendable {
  package var name: String
  package var pattern: BeaconPattern
  /// `irk`: the name of its identity resolving key, if `pattern` is `resolvingKey`.
  package var identityKey: String?
  /// `measured_power`: RSSI in dBm at 1 m; overrides the frame's value.
  package var measuredPower: Double?
  /// `bind_key`: the name of the key that decrypts its readings (BTHome, MiBeacon, ATC and PVVX).
  package var bindKey: String?
  /// `names`: readable names for members of a region, by the part after the colon in `fleet:1.1`.
  package var names: [String: String] = [:]
}
