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
  /// `owner`: the person or group it belongs to; of a region: of all its members.
  package var owner: String?
  /// `icon`: as Home Assistant names it, `mdi:key`; of a region: of all its members.
  package var icon: String?
  /// `names`, `owners` and `icons`: the same of members of a region, by the part after the colon in `fleet:1.1`.
  package var names: [String: String] = [:]
  package var owners: [String: String] = [:]
  package var icons: [String: String] = [:]
}

/// What people say about a beacon, apart from how it is recognised.
package enum BeaconWord: String, CaseIterable, Sendable {
  case name, owner, icon

  /// The key under which a region says it for its members.
  package var ofMembers: String { rawValue + "s" }
}

extension BeaconSettings {
  /// The text in the entry itself. An entry has no readable name here: its `name` is the one that topics and
  /// zones use.
  package subscript(word: BeaconWord) -> String? {
    get {
      switch word {
      case .name: nil
      case .owner: owner
      case .icon: icon
      }
    }
    set {
      switch word {
      case .name: break
      case .owner: owner = newValue
      case .icon: icon = newValue
      }
    }
  }

  /// The texts for members of a region.
  package subscript(members word: BeaconWord) -> [String: String] {
    get {
      switch word {
      case .name: names
      case .owner: owners
      case .icon: icons
      }
    }
    set {
      switch word {
      case .name: names = newValue
      case .owner: owners = newValue
      case .icon: icons = newValue
      }
    }
  }

  /// The text about a beacon, by its published name: that of the member, or else that of its region.
  package func said(_ word: BeaconWord, of beacon: String) -> String? {
    guard pattern.isRegion, beacon.hasPrefix(name + ":") else { return self[word] }
    return self[members: word][String(beacon.dropFirst(name.count + 1))] ?? self[word]
  }
}
